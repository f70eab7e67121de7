import Testing
import Wire

@testable import Rooms

@Suite("A log that is kept")
struct KeptLogTests {
    private func room(_ incarnation: UInt64, _ contents: RoomContents? = nil) -> Room {
        Room(
            id: "r", incarnation: incarnation, info: Array("{}".utf8), limits: RoomLimits(), contents: contents,
            keepsRecords: true)
    }

    private let ada = ConnectionID(shard: 0, number: 1)
    private let now = Moment(monotonic: 1, unixSeconds: 1_760_090_400)

    @Test("Records say what an entry tells and does")
    func records() throws {
        var room = room(1)
        _ = try room.join(ada, Stage.person("ada"), at: now)
        let one = Array("1".utf8)
        let none: [UInt8] = []
        try room.moveTouch(of: ada, x: one.span, y: one.span, elementID: none.span)
        try room.endTouch(of: ada)
        var values = Element.noValues
        for field in 0..<4 { values[field] = one }
        _ = try room.create(
            Room.Creation(kind: .note, values: values, clientID: "c"), by: ada, newID: "e", at: now)
        _ = try room.delete("e", by: ada)
        try room.leave(ada)
        let records = room.takeRecords()
        #expect(
            records.map { "\($0.name)" } == [
                "user:joined", "touch:ended", "element:created", "element:deleted", "user:left",
            ])
        #expect(records.map(\.seq) == [1, 2, 3, 4, 5])
        #expect(records.map(\.except) == [nil, "ada", nil, nil, nil])
        for record in records { #expect(try JSONReader(record.argument)["roomId"]?.string == "r") }
        guard case .created(let element, let creation) = records[2].effect,
            case .deleted("e", version: 2) = records[3].effect, case .came(let presence) = records[0].effect,
            presence.id == "ada", presence.slot == 0,
            case .left("ada") = records[4].effect
        else {
            Issue.record("\(records)")
            return
        }
        #expect(element.id == "e" && creation == "3:adac")
        #expect(room.takeRecords().isEmpty)
    }

    @Test("The end of a touch comes back with its last position")
    func endOfTouch() throws {
        var first = room(1)
        _ = try first.join(ada, Stage.person(#"ada,"last":{"#), at: now)
        let (one, element) = (Array("1".utf8), Array(#""e,\"last\":{}""#.utf8))
        try first.moveTouch(of: ada, x: one.span, y: one.span, elementID: element.span)
        try first.endTouch(of: ada)
        let delta = first.takeDelta()
        let told = try #require(delta)
        let kept = first.takeRecords().map {
            KeptEntry(seq: $0.seq, name: "\($0.name)", argument: $0.argument, incarnation: 1, except: $0.except)
        }
        #expect(try JSONReader(kept[1].argument)["last"]?["x"]?.int == 1)
        let second = room(
            2, RoomContents(elements: [], rememberedCreations: [], seq: 2, recent: kept, present: []))
        #expect(second.entries(after: 0)?.map(\.frames) == told.entries.map(\.frames))
    }

    @Test("Entries come back as they were sent, and earlier participants have left")
    func back() throws {
        var first = room(1)
        _ = try first.join(ada, Stage.person("ada"), at: now)
        let delta = first.takeDelta()
        let told = try #require(delta)
        let kept = first.takeRecords().map {
            KeptEntry(seq: $0.seq, name: "\($0.name)", argument: $0.argument, incarnation: 1)
        }
        var second = room(
            2, RoomContents(elements: [], rememberedCreations: [], seq: 1, recent: kept, present: [Presence("ada")]))
        #expect(second.lastSeq == 2)
        let newest = second.takeDelta()
        let left = try #require(newest)
        #expect(left.entries.map(\.seq) == [2])
        #expect(second.entries(after: 0)?.map(\.frames) == (told.entries + left.entries).map(\.frames))
        guard case .left("ada")? = second.takeRecords().first?.effect else {
            Issue.record("nobody has left")
            return
        }
    }

    @Test("A number names an entry only together with the incarnation that logged it")
    func lives() {
        let kept = [(5, 1), (6, 1), (7, 2), (8, 3)].map { seq, life in
            KeptEntry(seq: UInt64(seq), name: "x", argument: Array("{}".utf8), incarnation: UInt64(life))
        }
        let room = room(4, RoomContents(elements: [], rememberedCreations: [], seq: 8, recent: kept))
        #expect(room.knows(5, of: 1) && room.knows(6, of: 1) && room.knows(7, of: 2) && room.knows(8, of: 3))
        // The second server had told this, and was killed before it was stored.
        #expect(!room.knows(8, of: 2) && !room.knows(7, of: 1) && !room.knows(4, of: 1) && !room.knows(8, of: 9))
        #expect(room.knows(9, of: 4))
    }

    @Test("A client that has the closing of a room as its newest entry is not in the room that was opened later")
    func closedBefore() {
        func opened(_ recent: [(seq: Int, name: String)]) -> Room {
            let kept = recent.map {
                KeptEntry(seq: UInt64($0.seq), name: $0.name, argument: Array("{}".utf8), incarnation: 1)
            }
            return room(2, RoomContents(elements: [], rememberedCreations: [], seq: 6, recent: kept))
        }
        let closed = opened([(5, "element:created"), (6, "room:closed")])
        #expect(closed.wasClosed(since: 1, after: 5) && closed.wasClosed(since: 1, after: 6))
        #expect(closed.wasClosed(since: 1, after: nil) && !closed.wasClosed(since: 1, after: 7))
        let open = opened([(5, "element:created"), (6, "element:created")])
        #expect(!open.wasClosed(since: 1, after: 0) && !open.wasClosed(since: 1, after: 6))
    }
}
