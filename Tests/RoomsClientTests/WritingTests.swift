import RoomsClient
import Testing
import Wire

@Suite("Texts that several write")
struct WritingTests {
    private func edit(_ text: String, at place: Int, of count: Int) -> TextEdit {
        var edit = TextEdit()
        edit.keep(place)
        edit.insert([UInt16](text))
        edit.keep(count - place)
        return edit
    }

    @Test("reach clients that take edits and clients that take whole elements")
    func forms() async throws {
        let server = try LocalServer()
        let ada = try await participant("ada", server.url) { $0.textsInEdits = true }
        let bob = try await participant("bob", server.url)
        let (toAda, toBob) = (Told(ada), Told(bob))
        try await ada.join("lobby")
        try await bob.join("lobby")
        let note = try await ada.create(
            NewElement(.note, x: 1, y: 2, width: 3, height: 4, content: "one three"), in: "lobby")
        let changes = edit("two ", at: 4, of: 9)
        let edited = try await ada.edit(note.id, in: "lobby", changes, version: 1, clientID: "k")
        #expect(edited.version == 2 && edited.element == nil)
        try await toAda.wait {
            guard case .textEdited(let change) = $0 else { return false }
            return change.changes == changes && change.clientID == "k" && change.userID == "ada" && change.version == 2
        }
        #expect(await ada.room("lobby")?.elements[note.id]?.content == "one two three")
        try await toBob.wait {
            if case .elementUpdated(let element) = $0 { element.content == "one two three" } else { false }
        }
        let merged = try await bob.update(
            note.id, in: "lobby", ElementChange(content: "one three four"), baseVersion: 1)
        #expect(merged.content == "one two three four")
        let late = try await ada.edit(note.id, in: "lobby", edit("zero ", at: 0, of: 9), version: 1)
        #expect(late.element?.content == "zero one two three four" && late.version == 4)
        await #expect(throws: ClientError.self) {
            try await ada.edit(note.id, in: "lobby", edit("x", at: 0, of: 3), version: 4)
        }

        await bob.setCaret(Caret(elementID: note.id, position: 3, anchor: 5, version: 4), in: "lobby")
        let caret = Caret(elementID: note.id, position: 3, anchor: 5, version: 4)
        try await toAda.wait { $0 == .caretMoved(room: "lobby", userID: "bob", caret) }
        await bob.setCaret(nil, in: "lobby")
        try await toAda.wait { $0 == .caretMoved(room: "lobby", userID: "bob", nil) }
        await ada.close()
        await bob.close()
    }

    @Test("of two who write at once have all words of both, each once")
    func together() async throws {
        let server = try LocalServer()
        let clients = [
            try await participant("ada", server.url) { $0.textsInEdits = true },
            try await participant("bob", server.url) { $0.textsInEdits = true },
        ]
        for client in clients { try await client.join("lobby") }
        let note = try await clients[0].create(
            NewElement(.note, x: 1, y: 2, width: 3, height: 4, content: "."), in: "lobby")
        let desks = clients.enumerated().map { Desk($0.element, note, named: $0.offset == 0 ? "a" : "b") }
        for desk in desks { await desk.begin() }
        let words = 40
        await withTaskGroup(of: Void.self) { group in
            for desk in desks { group.addTask { for _ in 0..<words { await desk.writeWord() } } }
        }
        #expect(
            await eventually(within: 30) {
                guard await desks[0].isSettled, await desks[1].isSettled else { return false }
                return await desks[0].text == desks[1].text
            })
        let text = await desks[0].text
        #expect(await clients[0].room("lobby")?.elements[note.id]?.content == text)
        for desk in desks {
            for word in await desk.words { #expect(text.components(of: word) == 1, "\(word) in \(text)") }
        }
        for client in clients { await client.close() }
    }
}

/// Somebody who writes in one note, and takes what the others write there.
private actor Desk {
    private let client: RoomsClient
    private let note: Element
    private let name: Character
    private var writer: TextWriter
    private var isUnderWay = false
    private(set) var words: [String] = []
    private var task: Task<Void, Never>?

    init(_ client: RoomsClient, _ note: Element, named name: Character) {
        (self.client, self.note, self.name) = (client, note, name)
        writer = TextWriter([UInt16](note.content ?? ""), version: note.version)
    }

    deinit { task?.cancel() }

    var text: String { String(units: writer.text) }
    var isSettled: Bool { writer.isSettled && !isUnderWay }

    func begin() {
        let events = client.events()
        task = Task { for await event in events { self.take(event) } }
    }

    /// Between two words, wherever that is by now.
    func writeWord() {
        words.append("\(name)\(words.count),")
        let text = writer.text
        let places = [0] + text.indices.filter { text[$0] == UInt16(UInt8(ascii: ",")) }.map { $0 + 1 }
        let place = places[words.count % places.count]
        var edit = TextEdit()
        edit.keep(place)
        edit.insert([UInt16](words[words.count - 1]))
        edit.keep(text.count - place)
        writer.write(edit)
        send()
    }

    private func take(_ event: RoomsEvent) {
        guard case .textEdited(let change) = event, change.elementID == note.id else { return }
        #expect(writer.edited(change.changes, version: change.version, clientID: change.clientID) != nil)
        send()
    }

    private func send() {
        // An edit that was answered is confirmed by its event.
        guard !isUnderWay, writer.sent == nil,
            let sent = writer.next(clientID: "\(name)-\(words.count)-\(writer.version)")
        else { return }
        isUnderWay = true
        Task {
            do {
                let edited = try await client.edit(
                    note.id, in: "lobby", sent.changes, version: sent.version, clientID: sent.clientID)
                let text = edited.element.map { [UInt16]($0.content ?? "") }
                _ = writer.accepted(sent, version: edited.version, text: text)
            } catch {
                Issue.record("\(error)")
            }
            isUnderWay = false
            send()
        }
    }
}

extension String {
    /// How often a word that ends with a comma is in a list of such.
    fileprivate func components(of word: String) -> Int {
        split(separator: ",").count { "\($0)," == word }
    }
}
