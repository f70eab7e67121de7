import Testing
import Wire

@testable import Rooms

@Suite("Elements")
struct ElementTests {
    private func changes(_ field: Element.Field, _ json: String) -> [[UInt8]?] {
        var changes: [[UInt8]?] = Array(repeating: nil, count: Element.Field.allCases.count)
        changes[field.rawValue] = Array(json.utf8)
        return changes
    }

    @Test("Everyone gets what is made, changed and deleted, the sender too, in one order")
    func order() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        _ = stage.texts(ada)
        let element = try stage.create(ada, id: "e1")
        #expect(element.version == 1)
        let changed = try stage.room.update("e1", changes(.content, "\"hi\""), version: nil, by: bo, at: stage.now)
        #expect(changed.version == 2 && changed.values[4] == Array("\"hi\"".utf8))
        #expect(try stage.room.delete("e1", by: ada) == 3)
        stage.tick()
        for member in [ada, bo] {
            #expect(stage.summary(member) == ["element:created", "element:updated", "element:deleted"])
        }
    }

    @Test("A resent creation makes nothing twice; another person's with the same name does")
    func idempotent() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let tablet = try stage.join("ada")
        let bo = try stage.join("bo")
        #expect(try stage.create(ada, clientID: "c", id: "e1").id == "e1")
        #expect(try stage.create(tablet, clientID: "c", id: "e2").id == "e1")
        #expect(try stage.create(bo, clientID: "c", id: "e3").id == "e3")
        #expect(try stage.create(ada, id: "e4").id == "e4")
        #expect(stage.room.elementCount == 3)
        _ = try stage.room.delete("e1", by: bo)
        #expect(throws: RoomError(.notFound, "The element of this clientId was deleted.")) {
            _ = try stage.create(ada, clientID: "c", id: "e5")
        }
        // The separator between the user's id and the client's id cannot be forged.
        let other = try stage.join("ad")
        #expect(try stage.create(other, clientID: "ac", id: "e6").id == "e6")
    }

    /// The creation of an element that was still there was forgotten when others, made later, had been deleted.
    @Test("Creations of living elements are never forgotten; of deleted ones the earliest deleted is first")
    func remembered() throws {
        var stage = Stage { $0.rememberedCreationsMax = 3 }
        let ada = try stage.join("ada")
        _ = try stage.create(ada, clientID: "old", id: "old")
        for index in 0..<200 {
            _ = try stage.create(ada, clientID: "c\(index)", id: "e\(index)")
            _ = try stage.room.delete("e\(index)", by: ada)
            stage.room.checkInvariants()
        }
        #expect(try stage.create(ada, clientID: "old", id: "new").id == "old")
        for index in 197..<200 {
            #expect(throws: RoomError.self) { _ = try stage.create(ada, clientID: "c\(index)", id: "again") }
        }
        #expect(try stage.create(ada, clientID: "c196", id: "again").id == "again")
    }

    @Test("A conditional change with an old version is refused with the present element")
    func conflict() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        _ = try stage.create(ada, id: "e1")
        _ = try stage.room.update("e1", changes(.width, "9"), version: 1, by: ada, at: stage.now)
        stage.tick()
        do throws(RoomError) {
            _ = try stage.room.update("e1", changes(.width, "8"), version: 1, by: ada, at: stage.now)
            Issue.record("the change was not refused")
        } catch {
            #expect(error.code == .conflict)
            let details = try JSONReader(error.details)
            #expect(details["element"]?["version"]?.int == 2 && details["element"]?["width"]?.int == 9)
        }
        #expect(!stage.room.isDirty)
    }

    @Test("The last writer wins by field")
    func fields() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        _ = try stage.create(ada, id: "e1")
        _ = try stage.room.update("e1", changes(.width, "9"), version: nil, by: ada, at: stage.now)
        let element = try stage.room.update("e1", changes(.height, "7"), version: nil, by: bo, at: stage.now)
        #expect(element.values[2] == [0x39] && element.values[3] == [0x37] && element.updatedBy == Array("\"bo\"".utf8))
    }

    @Test("Deleting twice: not found for the second, silence for the room")
    func deleteTwice() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        _ = try stage.create(ada, id: "e1")
        _ = try stage.room.delete("e1", by: ada)
        stage.tick()
        let refusal = RoomError(.notFound, "There is no such element.")
        #expect(throws: refusal) { _ = try stage.room.delete("e1", by: ada) }
        #expect(throws: refusal) {
            _ = try stage.room.update("e1", changes(.width, "9"), version: nil, by: ada, at: stage.now)
        }
        #expect(!stage.room.isDirty)
    }

    @Test("All of them together are no more than can be told at once; what becomes smaller may")
    func bytes() throws {
        var stage = Stage { $0.elementsBytesMax = 2_000 }
        let ada = try stage.join("ada")
        _ = try stage.create(ada, id: "e1", content: String(repeating: "x", count: 800))
        _ = try stage.create(ada, id: "e2", content: "")
        #expect(throws: RoomError.self) {
            try stage.create(ada, id: "e3", content: String(repeating: "x", count: 800))
        }
        let long = changes(.content, "\"\(String(repeating: "y", count: 1_800))\"")
        #expect(throws: RoomError.self) { try stage.room.update("e2", long, version: nil, by: ada, at: stage.now) }
        _ = try stage.room.update("e1", changes(.content, "\"\""), version: nil, by: ada, at: stage.now)
        _ = try stage.create(ada, id: "e3", content: String(repeating: "x", count: 800))
        _ = try stage.room.delete("e3", by: ada)
        stage.tick()
        var joined: [UInt8] = []
        stage.room.elements.append(roomJSON: stage.room.idJSON, to: &joined)
        #expect(joined.count == stage.room.elements.byteCount + 2 * stage.room.idJSON.count + 1)
    }

    @Test("A room takes as many elements as its limit says, and again when one has gone")
    func full() throws {
        var stage = Stage { $0.elementsMax = 2 }
        let ada = try stage.join("ada")
        for index in 0..<2 { _ = try stage.create(ada, clientID: "c\(index)", id: "e\(index)") }
        #expect(throws: RoomError(.validation, "The room has 2 elements already.")) {
            _ = try stage.create(ada, id: "e2")
        }
        #expect(try stage.create(ada, clientID: "c1", id: "e3").id == "e1")
        _ = try stage.room.delete("e0", by: ada)
        #expect(try stage.create(ada, id: "e4").id == "e4")
    }

    @Test("The state lists elements in the order of their creation, whatever was deleted between")
    func listed() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        for index in 0..<300 {
            _ = try stage.create(ada, id: "e\(index)")
            if index % 3 > 0 { _ = try stage.room.delete("e\(index)", by: ada) }
        }
        stage.tick()
        var json: [UInt8] = [UInt8(ascii: "{")]
        stage.room.state().append(to: &json, self: stage.room.listed(0))
        json.append(UInt8(ascii: "}"))
        let ids = try JSONReader(json)["elements"]?.items?.compactMap { $0["id"]?.string }
        #expect(ids == stride(from: 0, to: 300, by: 3).map { "e\($0)" })
    }
}
