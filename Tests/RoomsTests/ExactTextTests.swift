import Testing
import Wire

@testable import Rooms

/// Strings of Swift are equal when Unicode holds them for the same letters. Ids are not texts: the Kelvin sign is no K.
@Suite("Ids that only look the same")
struct ExactTextTests {
    private let composed = "caf\u{e9}"
    private let decomposed = "cafe\u{301}"

    @Test("People whose ids differ in bytes are two, and each does things in their own name")
    func people() throws {
        var stage = Stage()
        let one = try stage.join(composed)
        let other = try stage.join(decomposed)
        #expect(stage.room.participantCount == 2)
        let element = try stage.create(other, id: "e1")
        #expect(element.createdBy == Array("\"\(decomposed)\"".utf8))
        #expect(stage.room.expel(decomposed) == [other])
        #expect(stage.room.contains(one))
    }

    /// A look-alike was found, told to the room as the client had written it, and not found by the store, which from then
    /// on stored nothing of the room.
    @Test("An element is deleted and changed by its own id alone")
    func elements() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        _ = try stage.create(ada, id: "eK")
        #expect(throws: RoomError(.notFound, "There is no such element.")) {
            _ = try stage.room.delete("e\u{212a}", by: ada)
        }
        var changes: [[UInt8]?] = Array(repeating: nil, count: Element.Field.allCases.count)
        changes[0] = [UInt8(ascii: "1")]
        #expect(throws: RoomError(.notFound, "There is no such element.")) {
            _ = try stage.room.update("e\u{212a}", changes, version: nil, by: ada, at: stage.now)
        }
        #expect(try stage.room.delete("eK", by: ada) == 2)
    }

    @Test("Creations whose names differ in bytes are two, also when the room comes back")
    func creations() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        #expect(try stage.create(ada, clientID: composed, id: "e1").id == "e1")
        #expect(try stage.create(ada, clientID: decomposed, id: "e2").id == "e2")
        let contents = RoomContents(
            elements: [], rememberedCreations: ["3:ada\(composed)", "3:ada\(decomposed)"], seq: 9)
        var again = Stage(contents: contents)
        let back = try again.join("ada")
        for name in [composed, decomposed] {
            #expect(throws: RoomError.self) { _ = try again.create(back, clientID: name, id: "e3") }
        }
    }
}
