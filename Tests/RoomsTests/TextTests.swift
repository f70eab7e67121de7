import Testing
import Wire

@testable import Rooms

/// Edits of texts in a room: what is kept of them, and what members of each form get.
@Suite struct TextTests {
    private func edit(_ version: Int, _ parts: [TextEdit.Part], clientID: String? = nil, of id: String = "e")
        -> Room.Edit
    {
        Room.Edit(elementID: id, version: version, changes: TextEdit(parts), clientID: clientID)
    }

    private func insertion(_ text: String) -> TextEdit.Part { .insert([UInt16](text)) }

    private func conflict(_ change: () throws -> Void) -> String? {
        do { try change() } catch {
            guard let error = error as? RoomError, error.code == .conflict, !error.details.isEmpty else { return nil }
            return error.message
        }
        return nil
    }

    @Test("Past the number of changes of one text the oldest are forgotten, and an edit from before them is a conflict")
    func numberOfChanges() throws {
        var stage = Stage { $0.textChangesPerElementMax = 5 }
        let ada = try stage.join("ada")
        let author = try stage.room.author(ada)
        _ = try stage.create(ada, id: "e")
        for version in 1...8 {
            _ = try stage.room.edit(edit(version, [.keep(version - 1), insertion("a")]), by: author, at: stage.now)
        }
        let message = conflict { _ = try stage.room.edit(edit(3, [.keep(2)]), by: author, at: stage.now) }
        #expect(message == "The changes since version 3 are not known any more.")
        let edited = try stage.room.edit(edit(4, [insertion("b"), .keep(3)]), by: author, at: stage.now)
        #expect(edited.element.text == [UInt16]("baaaaaaaa") && !edited.isDirect)
        #expect(conflict { _ = try stage.room.edit(edit(11, []), by: author, at: stage.now) } != nil)
    }

    @Test("An edit that is sent again after its change was forgotten changes nothing; a refusal says what was not made")
    func forgottenChanges() throws {
        var stage = Stage {
            $0.textChangesPerElementMax = 1
            $0.rememberedEditsMax = 4
        }
        let ada = try stage.join("ada")
        let author = try stage.room.author(ada)
        _ = try stage.create(ada, id: "e")
        let edits = (1...6).map { edit($0, [.keep($0 - 1), insertion("a")], clientID: "k\($0)") }
        for edit in edits { _ = try stage.room.edit(edit, by: author, at: stage.now) }
        #expect(stage.room.texts.idCount == 4)
        for edit in edits[2...] {
            let again = try stage.room.edit(edit, by: author, at: stage.now)
            #expect(again.element.version == 7 && !again.isDirect)
        }
        func refusal(_ edit: Room.Edit, by author: Author) throws -> String? {
            let error = #expect(throws: RoomError.self) { _ = try stage.room.edit(edit, by: author, at: stage.now) }
            return error.map { String(decoding: $0.details, as: UTF8.self) }
        }
        // The ids of all edits since version 3 are known, and of those before it no more.
        let (bob, isMade) = (Author("bob"), #","isMade":false}"#)
        #expect(try refusal(edits[3], by: bob)?.hasSuffix(isMade) == true)
        #expect(try refusal(edits[2], by: bob)?.hasSuffix(isMade) == true)
        #expect(try refusal(edits[1], by: author)?.hasSuffix(isMade) == false)
        #expect(stage.room.lastSeq == 8)
    }

    @Test("What an edit of an old version costs does not grow with its parts times the changes since")
    func costOfOldVersions() throws {
        /// How long an edit takes that is merged with so many changes.
        func time(parts: Int, merging count: Int) throws -> Duration {
            var stage = Stage()
            let ada = try stage.join("ada")
            let author = try stage.room.author(ada)
            _ = try stage.create(ada, id: "e", content: "\"\(String(repeating: "a", count: 600))\"")
            for version in 1..<1 + count {
                let end: [TextEdit.Part] = [.keep(599 + version), insertion("b")]
                _ = try stage.room.edit(edit(version, end), by: author, at: stage.now)
            }
            let scattered = (0..<parts / 2).flatMap { _ in [.keep(1), insertion("c")] }
            let edit = edit(1, scattered + [.keep(600 - parts / 2)])
            let times = try (0..<15).map { _ in
                var room = stage.room
                return try ContinuousClock().measure { _ = try room.edit(edit, by: author, at: stage.now) }
            }
            return times.sorted()[7]
        }
        let few = try time(parts: 4, merging: 250) - time(parts: 4, merging: 1)
        let many = try time(parts: 500, merging: 250) - time(parts: 500, merging: 1)
        #expect(many / few < 8)
    }

    @Test("The changes of all texts of a room have a bound in bytes, and a deleted element's go")
    func bytesOfChanges() throws {
        var stage = Stage { $0.textChangesBytesMax = 4_000 }
        let ada = try stage.join("ada")
        let author = try stage.room.author(ada)
        for id in ["e", "f"] { _ = try stage.create(ada, id: id) }
        for version in 1...100 {
            for id in ["e", "f"] {
                _ = try stage.room.edit(
                    edit(version, [.keep(version - 1), insertion("a")], of: id), by: author, at: stage.now)
            }
            #expect(stage.room.texts.byteCount <= 4_000)
        }
        #expect(conflict { _ = try stage.room.edit(edit(1, []), by: author, at: stage.now) } != nil)
        _ = try stage.room.edit(edit(98, [.keep(97), insertion("b")]), by: author, at: stage.now)
        try _ = stage.room.delete("f", by: author)
        for version in 102...140 {
            _ = try stage.room.edit(edit(version, [.keep(version - 1), insertion("a")]), by: author, at: stage.now)
            #expect(stage.room.texts.byteCount <= 4_000)
        }
        #expect(stage.room.texts.count < 20)
    }

    @Test(
        "A room that was not in use for a while goes on merging; one that is read from a store takes edits of its version"
    )
    func afterReading() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        _ = try stage.create(ada, id: "e", content: "\"a\"")
        let author = try stage.room.author(ada)
        _ = try stage.room.edit(edit(1, [.keep(1), insertion("b")], clientID: "k"), by: author, at: stage.now)
        stage.tick()
        var again = Stage(contents: stage.room.contents)
        var connection = try again.join("bob")
        var bob = try again.room.author(connection)
        let merged = try again.room.edit(edit(1, [insertion("z"), .keep(1)]), by: bob, at: again.now)
        #expect(merged.element.text == [UInt16]("zab"))

        var stored = stage.room.contents
        stored.texts = TextHistory()
        stored.recent = try #require(stage.room.entries(after: 0)).map {
            let name = $0.argument.starts(with: Array(#"{"id":"e""#.utf8)) ? "element:updated" : "user:joined"
            return KeptEntry(seq: $0.seq, name: name, argument: $0.argument, incarnation: 1)
        }
        again = Stage(contents: stored)
        connection = try again.join("bob")
        bob = try again.room.author(connection)
        #expect(conflict { _ = try again.room.edit(edit(1, [.keep(1)]), by: bob, at: again.now) } != nil)
        // A resend of its author is known from the stored log.
        let known = try again.room.edit(edit(1, [.keep(1), insertion("b")], clientID: "k"), by: author, at: again.now)
        #expect(known.element.text == [UInt16]("ab") && known.element.version == 2)
        let edited = try again.room.edit(edit(2, [.keep(2), insertion("c")]), by: bob, at: again.now)
        #expect(edited.element.text == [UInt16]("abc") && edited.isDirect)
    }

    @Test(
        "An edit is an element:edited for those who take edits, and the whole element for the others, with offsets or not"
    )
    func forms() throws {
        var stage = Stage()
        let forms: [DeliveryForm] = [[], .edits, .offsets, [.edits, .offsets], [.edits, .batches]]
        let members = try forms.enumerated().map { try stage.join("p\($0.offset)", form: $0.element) }
        let author = try stage.room.author(members[0])
        _ = try stage.create(members[0], id: "e", content: "\"a\"")
        stage.tick()
        for member in members { _ = stage.texts(member) }
        _ = try stage.room.edit(edit(1, [.keep(1), insertion("b")], clientID: "k"), by: author, at: stage.now)
        stage.tick()
        let texts = members.map { stage.texts($0) }
        let edited =
            #"2["element:edited",{"roomId":"lounge","elementId":"e","version":2,"changes":[1,"b"],"userId":"p0","clientId":"k","#
        for (form, got) in zip(forms, texts) {
            #expect(got.count == 1)
            let text = try #require(got.first)
            #expect(text.hasPrefix(edited) == form.contains(.edits))
            #expect(text.hasPrefix(#"2["element:updated",{"id":"e""#) == !form.contains(.edits))
            #expect(text.hasSuffix(#".zzz"]"#) == form.contains(.offsets))
        }
        // A member that was behind gets the same.
        let late = try stage.join("late", form: .edits)
        _ = stage.texts(late)
        _ = try stage.room.edit(edit(2, [.keep(2), insertion("c")]), by: author, at: stage.now)
        stage.tick()
        _ = try stage.room.edit(edit(3, [.keep(3), insertion("d")]), by: author, at: stage.now)
        stage.tick()
        #expect(stage.texts(late).count { $0.hasPrefix(#"2["element:edited""#) } == 2)
    }

    @Test("Carets go to members that take edits, the newest of each participant")
    func carets() throws {
        var stage = Stage()
        let (ada, bob, cleo) = (try stage.join("ada"), try stage.join("bob", form: .edits), try stage.join("cleo"))
        _ = try stage.create(ada, id: "e")
        stage.tick()
        for member in [ada, bob, cleo] { _ = stage.texts(member) }
        for position in 1...3 {
            try stage.room.setCaret(Caret(elementID: "e", position: position), of: ada)
        }
        stage.tick()
        #expect(
            stage.texts(bob) == [#"2["element:caret",{"roomId":"lounge","userId":"ada","elementId":"e","position":3}]"#]
        )
        #expect(stage.texts(cleo).isEmpty)
        let dora = try stage.join("dora", form: .edits)
        #expect(stage.texts(dora).contains { $0.contains(#""position":3"#) })
        // The caret of a connection that has gone ends.
        try stage.room.leave(ada)
        stage.tick()
        #expect(stage.texts(bob).contains { $0.hasSuffix(#""userId":"ada","elementId":null}]"#) })
        #expect(!stage.room.isDirty)
    }
}
