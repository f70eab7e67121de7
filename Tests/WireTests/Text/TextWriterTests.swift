import Testing
import Wire

/// Writers at one text, with a home that orders their edits: whatever the order, all reach the home's text.
@Suite struct TextWriterTests {
    /// What a room's home does with the edits of one text.
    private struct Home {
        struct Change { let edit: TextEdit, clientID: String }

        /// The texts of all versions.
        var texts: [[UInt16]]
        var changes: [Change] = []
        /// So many changes are stored, and acked.
        var stored = 0
        var text: [UInt16] { texts[texts.count - 1] }
        var version: Int { changes.count + 1 }

        /// The answer is the version that has the edit; nil if the edit does not fit what the home knows.
        mutating func take(_ sent: TextWriter.Sent) -> Int? {
            if let made = changes.firstIndex(where: { $0.clientID == sent.clientID }) { return made + 2 }
            guard sent.version <= version else { return nil }
            var edit = sent.changes
            for change in changes[(sent.version - 1)...] { edit = edit.transformed(after: change.edit) }
            guard let new = edit.apply(to: text) else { return nil }
            texts.append(new)
            changes.append(Change(edit: edit, clientID: sent.clientID))
            return version
        }

        /// The home ends without a word: what is not stored was never made.
        mutating func kill() {
            changes.removeSubrange(stored...)
            texts.removeSubrange((stored + 1)...)
        }
    }

    /// A writer and what is on the way between it and the home.
    private struct Desk {
        var writer: TextWriter
        var seen = 0
        var underWay: [TextWriter.Sent] = []
        /// Edits that were made and are not acked.
        var made: [(sent: TextWriter.Sent, version: Int)] = []
        /// What was written here, each once.
        var written: [[UInt16]] = []

        /// Checks that the change that is told is the change of the text.
        mutating func tell(_ told: (inout TextWriter) -> TextEdit?) {
            let before = writer.text
            if told(&writer)?.apply(to: before) != writer.text { Issue.record("a change that is not that of the text") }
        }

        mutating func hear(_ home: Home) {
            guard seen < home.changes.count else { return }
            let change = home.changes[seen]
            seen += 1
            let version = seen + 1
            tell { $0.edited(change.edit, version: version, clientID: change.clientID) }
        }

        mutating func deliver(_ home: inout Home) {
            guard !underWay.isEmpty else { return }
            let sent = underWay.removeFirst()
            if let version = home.take(sent) { return made.append((sent, version)) }
            let (text, version) = (home.text, home.version)
            tell { $0.conflicted(sent, version: version, text: text) }
        }

        /// An ack comes when the edit is stored.
        mutating func hearAcks(_ home: Home) {
            while let (sent, version) = made.first, version <= home.stored + 1 {
                made.removeFirst()
                let text = home.texts[version - 1]
                tell { $0.accepted(sent, version: version, text: text) }
            }
        }

        /// The connection is lost, and the client gets the whole state. It sends its edit again.
        mutating func comeBack(_ home: Home) {
            (underWay, made, seen) = ([], [], home.changes.count)
            tell { $0.reset(home.text, version: home.version) }
            if let sent = writer.sent { underWay.append(sent) }
        }
    }

    private enum Losses { case nothing, connections, changes }

    private static func run(_ seed: UInt64, _ losses: Losses) -> (edits: Int, surprises: Int) {
        var random = SmallRandom(seed: seed)
        var home = Home(texts: [[UInt16]("hello 😀 world")])
        var desks = (0..<2 + random.below(3)).map { _ in Desk(writer: TextWriter(home.text, version: 1)) }
        var number = 0
        for _ in 0..<20 + random.below(60) {
            let index = random.below(desks.count)
            number += 1
            switch random.below(60) {
            case 0..<12: desks[index].writer.write(random.edit(of: desks[index].writer.text))
            case 12..<24:
                if let sent = desks[index].writer.next(clientID: "\(number)") {
                    desks[index].underWay += random.percent(10) ? [sent, sent] : [sent]
                }
            case 24..<36: desks[index].deliver(&home)
            case 36..<48: desks[index].hear(home)
            case 48..<52: home.stored = home.changes.count
            case 52..<57: desks[index].hearAcks(home)
            case 57..<59: if losses != .nothing { desks[index].comeBack(home) }
            default:
                guard losses == .changes else { break }
                home.kill()
                for index in desks.indices { desks[index].comeBack(home) }
            }
        }
        settle(&home, &desks, &number)
        for desk in desks where desk.writer.text != home.text || !desk.writer.isSettled {
            Issue.record("seed \(seed): \(String(units: desk.writer.text)), not \(String(units: home.text))")
        }
        return (home.changes.count, desks.reduce(0) { $0 + $1.writer.surpriseCount })
    }

    private static func settle(_ home: inout Home, _ desks: inout [Desk], _ number: inout Int) {
        var isBusy = true
        while isBusy {
            isBusy = false
            for index in desks.indices {
                number += 1
                if let sent = desks[index].writer.next(clientID: "\(number)") { desks[index].underWay.append(sent) }
                isBusy = isBusy || !desks[index].underWay.isEmpty || desks[index].seen < home.changes.count
                isBusy = isBusy || !desks[index].made.isEmpty
                while !desks[index].underWay.isEmpty { desks[index].deliver(&home) }
                home.stored = home.changes.count
                desks[index].hearAcks(home)
                while desks[index].seen < home.changes.count { desks[index].hear(home) }
            }
        }
    }

    @Test("Whatever the order, all reach the same text, and no writer is surprised by how the home merges")
    func orders() {
        var edits = 0
        for seed in 0..<1_500 {
            let result = Self.run(UInt64(seed), .nothing)
            #expect(result.surprises == 0)
            edits += result.edits
        }
        #expect(edits > 5_500)
    }

    @Test("The same with lost connections after which the whole state comes")
    func losses() {
        for seed in 0..<1_000 { _ = Self.run(UInt64(seed), .connections) }
    }

    @Test("The same with a server that is killed before it has stored what it has told")
    func kills() {
        for seed in 0..<1_000 { _ = Self.run(UInt64(seed), .changes) }
    }

    @Test("An edit that was told and not acked is sent again to a server that has lost it")
    func lostEdits() throws {
        var writer = TextWriter([UInt16]("one"), version: 1)
        writer.write(SmallEdits.edit(3, " two"))
        let first = writer.next(clientID: "k")
        let sent = try #require(first)
        _ = writer.edited(sent.changes, version: 2, clientID: "k")
        #expect(!writer.isSettled && writer.sent == sent)
        writer.write(SmallEdits.edit(7, " three"))
        _ = writer.edited(SmallEdits.edit("zero ", 7), version: 3, clientID: "other")
        #expect(String(units: writer.text) == "zero one two three")
        // The server comes back without both, and with the edit of a third.
        _ = writer.reset([UInt16]("one!"), version: 2)
        _ = writer.conflicted(sent, version: 2, text: [UInt16]("one!"), isMade: false)
        let second = writer.next(clientID: "l")
        let next = try #require(second)
        #expect(next.version == 2 && next.changes.apply(to: [UInt16]("one!")) == writer.text)
        #expect(String(units: writer.text).contains(" two three"))
    }

    @Test("An edit that was told in a text of which its writer knew little is sent again to a server that has lost it")
    func lostEditsOfOtherTexts() throws {
        var writer = TextWriter([UInt16]("abc"), version: 1)
        writer.write(SmallEdits.edit("one", 3))
        let first = writer.next(clientID: "k")
        let sent = try #require(first)
        // The state has another text, and the edit goes into that.
        _ = writer.reset([UInt16]("d"), version: 2)
        _ = writer.edited(SmallEdits.edit(1, "one"), version: 3, clientID: "k")
        #expect(String(units: writer.text) == "done")
        _ = writer.reset([UInt16]("d"), version: 2)
        _ = writer.conflicted(sent, version: 2, text: [UInt16]("d"))
        let second = writer.next(clientID: "l")
        let next = try #require(second)
        #expect(next.changes.apply(to: [UInt16]("d")).map { String(units: $0) } == "done")
    }

    @Test("An edit that the server cannot merge is made anew from its current text, and nothing is doubled")
    func conflicts() throws {
        var writer = TextWriter([UInt16]("one"), version: 1)
        writer.write(SmallEdits.edit(3, " two"))
        let first = writer.next(clientID: "k")
        let sent = try #require(first)
        writer.write(SmallEdits.edit(7, " three"))
        // The server had taken the edit, another has written since, and a restart has made it forget both.
        _ = writer.conflicted(sent, version: 9, text: [UInt16]("zero one two"))
        #expect(String(units: writer.text) == "zero one two three")
        let second = writer.next(clientID: "l")
        let next = try #require(second)
        #expect(next.version == 9)
        #expect(next.changes.apply(to: [UInt16]("zero one two")) == [UInt16]("zero one two three"))
    }

    @Test("Of an edit that is in the text nothing is doubled, also when another user has written on right behind it")
    func foundEdits() throws {
        var writer = TextWriter([UInt16]("abfd"), version: 1)
        writer.write(SmallEdits.edit(4, "k"))
        let first = writer.next(clientID: "k")
        writer.write(SmallEdits.edit(5, "fm"))
        _ = writer.conflicted(try #require(first), version: 3, text: [UInt16]("abfdk other"))
        #expect(String(units: writer.text) == "abfdkfm other")
        let second = writer.next(clientID: "l")
        #expect(try #require(second).changes.apply(to: [UInt16]("abfdk other")) == writer.text)
    }

    @Test("Of an edit that was surely not made, no letter is taken for one that others have written at the same place")
    func newEdits() throws {
        for (isMade, text) in [(false, "thethe"), (nil, "the")] as [(Bool?, String)] {
            var writer = TextWriter([], version: 1)
            writer.write(SmallEdits.edit("the"))
            let first = writer.next(clientID: "k")
            _ = writer.conflicted(try #require(first), version: 9, text: [UInt16]("the"), isMade: isMade)
            #expect(String(units: writer.text) == text)
        }
    }

    @Test("After a restart a whole element that is one's own edit confirms it")
    func ownElement() {
        var writer = TextWriter([UInt16]("a"), version: 1)
        writer.write(SmallEdits.edit(1, "b"))
        let sent = writer.next(clientID: "k")
        _ = writer.updated([UInt16]("ab"), version: 2)
        if let sent { _ = writer.accepted(sent, version: 2, text: nil) }
        #expect(writer.isSettled && writer.text == [UInt16]("ab"))
    }

    @Test("An edit that is refused is taken back, and what was written after it stays")
    func refusals() throws {
        var writer = TextWriter([UInt16]("a"), version: 1)
        writer.write(SmallEdits.edit(1, "b"))
        let first = writer.next(clientID: "k")
        let sent = try #require(first)
        writer.write(SmallEdits.edit("z", 2))
        let change = writer.refused(sent)
        #expect(change.apply(to: [UInt16]("zab")) == [UInt16]("za"))
        #expect(writer.text == [UInt16]("za") && !writer.isSettled)
    }

    @Test("A version that is missing shows")
    func gaps() {
        var writer = TextWriter([], version: 1)
        #expect(writer.edited(SmallEdits.edit("a"), version: 3, clientID: nil) == nil)
        #expect(writer.edited(SmallEdits.edit("a"), version: 1, clientID: nil) == .nothing(0))
    }
}
