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
}
