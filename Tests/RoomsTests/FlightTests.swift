import Testing
import Wire

@testable import Rooms

/// Segments in memory.
private final class Segments: FlightSink {
    var all: [[UInt8]] = []

    func begin(_ piece: [UInt8]) { all.append(piece) }
    func append(_ piece: [UInt8]) { all[all.count - 1] += piece }
}

/// What was done to a room is done again.
@Suite struct FlightTests {
    /// Does everything that can be done to a room, with a tick after each few things, and gives the deltas as records.
    private func fly(_ room: inout Room, rounds: Int = 4) -> [[UInt8]] {
        var deltas: [[UInt8]] = []
        var (now, number) = (Moment(monotonic: 5, unixSeconds: 1_760_000_000), UInt64(0))
        func act(_ input: RoomInput) {
            now.monotonic += 700
            now.unixSeconds += 1
            guard let delta = room.apply(input) else { return }
            var record = RecordWriter()
            record.put(delta)
            deltas.append(record.bytes)
        }
        func tick() { act(.tick(interval: 7)) }
        for _ in 0..<rounds {
            number += 10
            let (ada, bob, again) = (
                ConnectionID(shard: 0, number: number), ConnectionID(shard: 1, number: number + 1),
                ConnectionID(shard: 1, number: number + 2)
            )
            act(.setInfo(Array(#"{"id":"lounge","n":\#(number)}"#.utf8)))
            for (connection, name) in [(ada, "ada"), (bob, "bob"), (again, "bob")] {
                act(.join(connection, Stage.person(name), now))
            }
            tick()
            let position = ["\(number)", "2.5", #""e""#].map { Array($0.utf8) }
            act(.move(ada, slot: -1, x: position[0], y: position[1], elementID: position[2]))
            act(.move(ada, slot: 0, x: position[1], y: position[0], elementID: []))
            act(.move(bob, slot: 7, x: position[1], y: position[0], elementID: []))
            var creation = Room.Creation(kind: .note, values: Element.noValues, clientID: "c\(number)")
            creation.values[Element.Field.content.rawValue] = Array(#""two words""#.utf8)
            act(.create(creation, by: "ada", newID: "e\(number)", now))
            tick()
            act(.create(creation, by: "ada", newID: "never", now))
            act(.setCaret(Caret(elementID: "e\(number)", position: 2), bob))
            act(.endTouch(ada))
            tick()
            for (version, text) in [(1, "a"), (1, "b")] {
                let edit = Room.Edit(
                    elementID: "e\(number)", version: version, changes: TextEdit([.insert([UInt16](text)), .keep(9)]))
                act(.edit(edit, by: "bob", now))
            }
            var changes = [[UInt8]?](repeating: nil, count: Element.Field.allCases.count)
            changes[Element.Field.content.rawValue] = Array(#""two new words""#.utf8)
            act(.update("e\(number)", changes, version: nil, baseVersion: 1, by: "ada", now))
            act(.update("e\(number)", changes, version: 1, baseVersion: nil, by: "ada", now))
            tick()
            act(.lose(again, now, mayReturn: false))
            act(.lose(bob, now, mayReturn: true))
            act(.expireGraces(Moment(monotonic: now.monotonic + 1_000_000, unixSeconds: now.unixSeconds)))
            act(.endLostTouch(ada, tellsEnd: true))
            tick()
            for input in commands(number, ada) { act(input) }
            tick()
        }
        act(.close(reason: "done"))
        tick()
        return deltas
    }

    private func commands(_ number: UInt64, _ connection: ConnectionID) -> [RoomInput] {
        [
            .rename("name \(number)"), .tellAdded(Array("{}".utf8), info: Array("{}".utf8)),
            .tellRemoved("eve", info: Array(#"{"a":1}"#.utf8)), .delete("e\(number - 10)", by: "ada"),
            .startRecording(RoomRecording(id: "r\(number)", startedAt: 1_760_000_000_000, startedBy: "ada")),
            .stopRecording("r\(number - 10)", reason: "stopped"), .expel("nobody"),
            number % 20 == 0 ? .leave(connection) : .expel("ada"),
        ]
    }

    private func replayed(_ segments: [[UInt8]]) throws -> (deltas: [[UInt8]], reports: [Refly.Report]) {
        var deltas: [[UInt8]] = []
        let reports = try segments.map { segment in
            try Refly.run(segment) { delta in
                var record = RecordWriter()
                record.put(delta)
                deltas.append(record.bytes)
            }
        }
        return (deltas, reports)
    }

    @Test(
        "Everything that is done to a room makes the same bytes again, from the state of any tick",
        arguments: [1, 900, 1 << 20])
    func replay(segmentBytesMax: Int) throws {
        let segments = Segments()
        var room = Stage().room
        room.begin(FlightRecorder(segments, segmentBytesMax: segmentBytesMax))
        let deltas = fly(&room)
        let again = try replayed(segments.all)
        #expect(again.deltas == deltas && deltas.count > 20)
        #expect(again.reports.allSatisfy { $0.differs == nil && !$0.isCutOff && $0.roomID == "lounge" })
        #expect(again.reports.reduce(0) { $0 + $1.tickCount } == deltas.count)
        switch segmentBytesMax {
        // The last one begins after the last tick.
        case 1: #expect(segments.all.count == deltas.count + 1)
        case 900: #expect(segments.all.count > 3)
        default: #expect(segments.all.count == 1)
        }
    }

    @Test("A room with a past begins a flight with it: participants in the grace, and entries that nobody was told")
    func past() throws {
        let contents = RoomContents(
            elements: [], rememberedCreations: ["3:adac10"], seq: 9,
            recent: [KeptEntry(seq: 9, name: "x", argument: Array("{}".utf8), incarnation: 3)],
            present: [Presence("bob", slot: 3, joinedAt: 7, profile: Array("{}".utf8)), Presence("eve")])
        for now in [nil, Moment(monotonic: 0, unixSeconds: 8)] {
            let segments = Segments()
            var room = Room(
                id: "lounge", incarnation: 5, info: Array("{}".utf8), limits: RoomLimits(), contents: contents,
                seatsPresentAt: now)
            room.begin(FlightRecorder(segments, segmentBytesMax: 900))
            let deltas = fly(&room)
            #expect(try replayed(segments.all).deltas == deltas)
        }
    }

    @Test("A flight begins with the touches of later devices that those of earlier ones hide")
    func hiddenTouch() throws {
        let segments = Segments()
        var stage = Stage()
        let devices = try (0..<2).map { _ in try stage.join("ada") }
        for (x, device) in devices.enumerated().reversed() { try stage.move(device, x) }
        stage.tick()
        stage.room.begin(FlightRecorder(segments, segmentBytesMax: 1 << 20))
        _ = stage.room.apply(.endTouch(devices[0]))
        let ticked = stage.room.apply(.tick(interval: 7))
        let delta = try #require(ticked)
        #expect(delta.touches.count == 1)
        var record = RecordWriter()
        record.put(delta)
        #expect(try replayed(segments.all).deltas == [record.bytes])
    }

    @Test("What a room was asked is kept before the room does it, and a part of a piece is left out")
    func cutOff() throws {
        let segments = Segments()
        var room = Stage().room
        room.begin(FlightRecorder(segments, segmentBytesMax: 1 << 20))
        let whole = segments.all[0].count
        _ = room.apply(.rename("new"))
        let report = try Refly.run(segments.all[0])
        #expect(report.inputCount == 1 && report.tickCount == 0 && report.differs == nil && !report.isCutOff)
        for count in [whole + 1, segments.all[0].count - 1] {
            let report = try Refly.run(Array(segments.all[0].prefix(count)))
            #expect(report.inputCount == 0 && report.isCutOff)
        }
        #expect(throws: RecordFault()) { try Refly.run(Array(segments.all[0].prefix(whole - 1))) }
    }

    @Test("Another byte is damage, and another delta is told")
    func differences() throws {
        let segments = Segments()
        var room = Stage().room
        room.begin(FlightRecorder(segments, segmentBytesMax: 1 << 20))
        _ = fly(&room, rounds: 1)
        var damaged = segments.all[0]
        damaged[damaged.count / 2] ^= 1
        #expect(throws: RecordFault()) { try Refly.run(damaged) }
        // The same inputs, of which the second tick is said to have made something else.
        var (rest, forged, ticks) = (segments.all[0][...], [UInt8](), 0)
        while let piece = try FlightPiece.next(&rest) {
            if piece.digest != 0 { ticks += 1 }
            forged += FlightPiece.sealed(piece.content, digest: ticks == 2 && piece.digest != 0 ? 1 : piece.digest)
        }
        let first = try Refly.run(segments.all[0])
        #expect(try Refly.run(forged).differs == first.firstTick + 2)
    }
}
