import Testing
import Wire

/// Writers at one text, with a home that orders their edits: whatever the order, all reach the home's text.
@Suite struct TextWriterTests {
    /// What a room's home does with the edits of one text.
    private struct Home {
        struct Change { let edit: TextEdit, clientID: String }

        var text: [UInt16]
        var changes: [Change] = []
        var version: Int { changes.count + 1 }

        mutating func take(_ sent: TextWriter.Sent) {
            if changes.contains(where: { $0.clientID == sent.clientID }) { return }
            var edit = sent.changes
            for change in changes[(sent.version - 1)...] { edit = edit.transformed(after: change.edit) }
            guard let new = edit.apply(to: text) else {
                Issue.record("\(edit.parts) does not fit")
                return
            }
            text = new
            changes.append(Change(edit: edit, clientID: sent.clientID))
        }
    }

    /// A writer and what is on the way between it and the home.
    private struct Desk {
        var writer: TextWriter
        var seen = 0
        var underWay: [TextWriter.Sent] = []
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

        /// The connection is lost, and the client gets the whole state. It sends its edit again.
        mutating func comeBack(_ home: inout Home, _ random: inout SmallRandom) {
            underWay = []
            let (text, version) = (home.text, home.version)
            seen = home.changes.count
            tell { $0.reset(text, version: version) }
            guard let sent = writer.sent else { return }
            home.take(sent)
            if random.percent(50) { while seen < home.changes.count { hear(home) } }
            let (newText, newVersion) = (home.text, home.version)
            tell { $0.accepted(sent, version: newVersion, text: newText) }
        }
    }

    private static func run(_ seed: UInt64, isLossy: Bool) -> (edits: Int, surprises: Int) {
        var random = SmallRandom(seed: seed)
        var home = Home(text: [UInt16]("hello 😀 world"))
        var desks = (0..<2 + random.below(3)).map { _ in Desk(writer: TextWriter(home.text, version: 1)) }
        var number = 0
        for _ in 0..<20 + random.below(40) {
            let index = random.below(desks.count)
            number += 1
            switch random.below(50) {
            case 0..<12: desks[index].writer.write(random.edit(of: desks[index].writer.text))
            case 12..<24:
                if let sent = desks[index].writer.next(clientID: "\(number)") {
                    desks[index].underWay += random.percent(10) ? [sent, sent] : [sent]
                }
            case 24..<36: if !desks[index].underWay.isEmpty { home.take(desks[index].underWay.removeFirst()) }
            case 36..<48: desks[index].hear(home)
            default: if isLossy { desks[index].comeBack(&home, &random) }
            }
        }
        var isBusy = true
        while isBusy {
            isBusy = false
            for index in desks.indices {
                number += 1
                if let sent = desks[index].writer.next(clientID: "\(number)") { desks[index].underWay.append(sent) }
                isBusy = isBusy || !desks[index].underWay.isEmpty || desks[index].seen < home.changes.count
                while !desks[index].underWay.isEmpty { home.take(desks[index].underWay.removeFirst()) }
                while desks[index].seen < home.changes.count { desks[index].hear(home) }
            }
        }
        for desk in desks where desk.writer.text != home.text || !desk.writer.isSettled {
            Issue.record("seed \(seed): \(String(units: desk.writer.text)), not \(String(units: home.text))")
        }
        return (home.changes.count, desks.reduce(0) { $0 + $1.writer.surpriseCount })
    }

    @Test("Whatever the order, all reach the same text, and no writer is surprised by how the home merges")
    func orders() {
        var edits = 0
        for seed in 0..<1_500 {
            let result = Self.run(UInt64(seed), isLossy: false)
            #expect(result.surprises == 0)
            edits += result.edits
        }
        #expect(edits > 4_000)
    }

    @Test("The same with lost connections after which the whole state comes")
    func losses() {
        for seed in 0..<1_000 { _ = Self.run(UInt64(seed), isLossy: true) }
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
        _ = writer.next(clientID: "k")
        _ = writer.updated([UInt16]("ab"), version: 2, isOwn: true)
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
