import Testing
import Wire

@testable import Rooms

@Suite("Presence")
struct PresenceTests {
    @Test("The profile of a user of whom only the name is known has all members, also when it comes as a record")
    func named() throws {
        let person = Person(id: #"a"b"#, name: "Ann")
        let time = "1970-01-01T00:00:00Z"
        let expected =
            #"{"id":"a\"b","auth0Id":"a\"b","email":"","username":"Ann","firstName":"Ann","#
            + "\"dateOfBirth\":\"\(time)\",\"createdAt\":\"\(time)\"}"
        #expect(String(decoding: person.profile, as: UTF8.self) == expected)
        var record = RecordWriter()
        record.put(person)
        var reader = RecordReader(record.bytes)
        let read: Person = try reader.value()
        #expect(read == person && read.profile == person.profile)
        #expect(person != Person(id: person.id, name: "Bob"))
    }

    @Test("Others are told of a join; the joining client gets the state")
    func join() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        #expect(stage.summary(ada) == ["user:joined"])
        #expect(stage.summary(bo) == [])
        #expect(stage.room.participantCount == 2 && stage.room.lastSeq == 2)
    }

    @Test("Joining twice is the same as once")
    func twice() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let joined = try stage.room.join(ada, Stage.person("ada"), at: stage.now)
        #expect(joined.slot == 0 && joined.takenOver == nil)
        #expect(!stage.room.isDirty && stage.room.connectionCount == 1)
    }

    @Test("A person on two devices is one participant and has left with the last of them")
    func devices() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let phone = try stage.join("ada")
        let tablet = try stage.join("ada")
        #expect(stage.room.participantCount == 2 && stage.room.connectionCount == 3)
        #expect(stage.summary(watcher) == ["user:joined"])
        try stage.room.leave(phone)
        stage.tick()
        #expect(stage.summary(watcher) == [])
        try stage.room.leave(tablet)
        stage.tick()
        #expect(stage.summary(watcher) == ["user:left"])
        #expect(stage.room.participantCount == 1)
    }

    @Test("A device too many takes over from the oldest, and its person's touch on it ends")
    func takeOver() throws {
        var stage = Stage { $0.connectionsPerParticipantMax = 2 }
        let watcher = try stage.join("bo")
        let first = try stage.join("ada")
        try stage.move(first, 1)
        try stage.join("ada")
        _ = stage.texts(watcher)
        let third = stage.newConnection()
        #expect(try stage.room.join(third, Stage.person("ada"), at: stage.now).takenOver == first)
        stage.tick()
        #expect(stage.summary(watcher) == ["touch:moved 1", "touch:ended"])
        #expect(throws: RoomError.self) { try stage.room.leave(first) }
        stage.room.lose(first, at: stage.now)
        #expect(stage.room.connectionCount == 3 && stage.room.nextGraceEnds == nil)
    }

    @Test("A lost person stays for the grace and comes back in silence")
    func grace() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let ada = try stage.join("ada")
        _ = stage.texts(watcher)
        stage.room.lose(ada, at: stage.now)
        stage.room.checkInvariants()
        #expect(stage.room.nextGraceEnds == 6_000 && stage.room.participantCount == 2)
        stage.now.monotonic = 5_999
        stage.room.expireGraces(at: stage.now)
        try stage.join("ada")
        stage.now.monotonic = 6_000
        stage.room.expireGraces(at: stage.now)
        stage.tick()
        #expect(stage.summary(watcher) == [] && stage.room.nextGraceEnds == nil)
    }

    @Test("A grace ends exactly in its last millisecond, each person's on its own")
    func graceEnds() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let ada = try stage.join("ada")
        let cy = try stage.join("cy")
        stage.room.lose(ada, at: stage.now)
        stage.now.monotonic += 1
        stage.room.lose(cy, at: stage.now)
        stage.now.monotonic = 6_000
        stage.room.expireGraces(at: stage.now)
        stage.tick()
        #expect(stage.room.nextGraceEnds == 6_001 && stage.room.participantCount == 2)
        stage.now.monotonic = 6_001
        stage.room.expireGraces(at: stage.now)
        stage.tick()
        #expect(stage.summary(watcher) == ["user:joined", "user:joined", "user:left", "user:left"])
        #expect(stage.room.nextGraceEnds == nil && stage.room.participantCount == 1)
    }

    @Test("The touch of a connection that may come back ends with the grace, and not before")
    func keptTouch() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let ada = try stage.join("ada")
        let slot = try stage.room.slot(of: ada)
        try stage.move(ada, 1)
        stage.tick()
        _ = stage.texts(watcher)
        stage.room.lose(ada, at: stage.now, mayReturn: true)
        stage.tick()
        #expect(stage.summary(watcher) == [])
        // The same connection is back.
        _ = try stage.room.join(ada, Stage.person("ada"), at: stage.now)
        try stage.move(ada, 2)
        stage.tick()
        #expect(stage.summary(watcher) == ["touch:moved 2"])
        stage.room.lose(ada, at: stage.now, mayReturn: true)
        stage.now.monotonic = 6_000
        stage.room.expireGraces(at: stage.now)
        stage.tick()
        #expect(stage.summary(watcher) == ["touch:moved 2", "touch:ended", "user:left"])
        // Its place is another user's by now: what it sends with its old slot moves nobody else.
        let cy = try stage.join("cy")
        #expect(try stage.room.slot(of: cy) == slot)
        let (x, none): ([UInt8], [UInt8]) = ([49], [])
        #expect(throws: RoomError.self) {
            try stage.room.moveTouch(of: ada, slot: slot, x: x.span, y: x.span, elementID: none.span)
        }
    }

    @Test("A kept touch ends when its user comes back with another connection")
    func keptTouchOfAnother() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let ada = try stage.join("ada")
        try stage.move(ada, 1)
        stage.tick()
        _ = stage.texts(watcher)
        stage.room.lose(ada, at: stage.now, mayReturn: true)
        try stage.join("ada")
        #expect(stage.summary(watcher) == ["touch:moved 1", "touch:ended"])
    }

    @Test("The participants of an earlier home keep their places for the grace")
    func seats() throws {
        let now = Moment(monotonic: 1_000, unixSeconds: 1_760_090_400)
        let profile = Array(#"{"id":"ada"}"#.utf8)
        let contents = RoomContents(
            elements: [], rememberedCreations: [], seq: 7,
            present: [Presence("ada", slot: 3, joinedAt: 1_760_000_000, profile: profile), Presence("old")])
        var room = Room(
            id: "lounge", info: Array("{}".utf8), limits: RoomLimits(), contents: contents, seatsPresentAt: now)
        room.checkInvariants()
        #expect(room.people == ["ada"] && room.lastSeq == 8)
        #expect(room.listed(3).starts(with: Array(#"{"roomId":"lounge","userId":"ada""#.utf8)))
        let joined = try room.join(ConnectionID(node: 2, shard: 0, number: 1), Stage.person("ada"), at: now)
        #expect(joined.slot == 3 && room.lastSeq == 8 && room.nextGraceEnds == nil)
        let other = try room.join(ConnectionID(shard: 0, number: 2), Stage.person("bo"), at: now)
        #expect(other.slot != 3)
        room.checkInvariants()
        // Members may see a touch of ada that only the home before knew.
        let last = room.lastSeq
        room.close(reason: "deleted")
        #expect(room.lastSeq == last + 2, "the end of that touch, and of the room")
    }

    @Test("A touch that only an earlier home knew ends when its user comes back, or is given up")
    func lostTouches() throws {
        let now = Moment(monotonic: 1_000, unixSeconds: 1_760_090_400)
        let present = ["ada", "bo", "cy"].enumerated().map { slot, id in
            Presence(id, slot: slot, joinedAt: 1_760_000_000, profile: Array("{\"id\":\"\(id)\"}".utf8))
        }
        let contents = RoomContents(elements: [], rememberedCreations: [], seq: 7, present: present)
        var room = Room(
            id: "lounge", info: Array("{}".utf8), limits: RoomLimits(), contents: contents, keepsRecords: true,
            seatsPresentAt: now)
        func told() -> [String] {
            room.takeRecords().map { record in
                let argument = try? JSONReader(record.argument)
                return "\(record.name) \(argument?["userId"]?.string ?? "")"
            }
        }
        for (id, tellsEnd) in [("ada", true), ("bo", false)] {
            let connection = ConnectionID(node: 2, shard: 0, number: UInt64(id.count))
            _ = try room.join(connection, Stage.person(id), at: now)
            room.endLostTouch(of: connection, tellsEnd: tellsEnd)
        }
        // The connection of bo has stayed: its node would know the touch.
        #expect(told() == ["touch:ended ada"])
        let later = now.monotonic + RoomLimits().graceMilliseconds
        room.expireGraces(at: Moment(monotonic: later, unixSeconds: now.unixSeconds + 5))
        #expect(told() == ["user:left cy"])
        room.checkInvariants()
    }

    @Test("A full room refuses new users, but no further connection of a participant, also in the grace")
    func full() throws {
        var stage = Stage { $0.participantsMax = 2 }
        let ada = try stage.join("ada")
        try stage.join("bo")
        #expect(throws: RoomError(.roomFull, "The room has 2 participants already.")) { try stage.join("cy") }
        try stage.join("ada")
        stage.room.lose(ada, at: stage.now)
        try stage.join("ada")
        #expect(stage.room.participantCount == 2)
    }

    @Test("Slots are given again once they are free, and stay small")
    func slots() throws {
        var stage = Stage()
        var connections: [ConnectionID] = []
        for index in 0..<5 { connections.append(try stage.join("p\(index)")) }
        try stage.room.leave(connections[1])
        try stage.room.leave(connections[3])
        let again = try ["x", "y", "z"].map {
            try stage.room.join(stage.newConnection(), Stage.person($0), at: stage.now).slot
        }
        #expect(Set(again) == [1, 3, 5])
        stage.tick()
    }

    @Test("A connection that has not joined can do nothing")
    func strangers() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let stranger = stage.newConnection()
        let refusal = RoomError(.forbidden, "You have not joined this room.")
        #expect(throws: refusal) { try stage.room.leave(stranger) }
        #expect(throws: refusal) { try stage.move(stranger, 1) }
        #expect(throws: refusal) { try stage.room.endTouch(of: stranger) }
        #expect(throws: refusal) { _ = try stage.create(stranger, id: "e") }
        #expect(throws: refusal) { _ = try stage.room.delete("e", by: stranger) }
        stage.room.lose(stranger, at: stage.now)
        try stage.room.leave(ada)
        #expect(throws: refusal) { try stage.room.leave(ada) }
    }

    @Test("A slot's hint does not let a connection move another participant")
    func hint() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        try stage.move(ada, 1)
        let one = Array("1".utf8)
        let none: [UInt8] = []
        try stage.room.moveTouch(of: ada, slot: 0, x: one.span, y: one.span, elementID: none.span)
        try stage.room.leave(ada)
        for stranger in [ada, stage.newConnection()] {
            #expect(throws: RoomError.self) {
                try stage.room.moveTouch(of: stranger, slot: 0, x: one.span, y: one.span, elementID: none.span)
            }
        }
    }

    @Test("What is on the canvas and the log's count outlive the room")
    func contents() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        _ = try stage.create(ada, clientID: "mine", id: "e1")
        try stage.room.leave(ada)
        stage.tick()
        var again = Stage(contents: stage.room.contents)
        #expect(again.room.lastSeq == 3 && again.room.elementCount == 1 && again.replica.lastSeq == 3)
        let back = try again.join("ada")
        #expect(try again.create(back, clientID: "mine", id: "e2").id == "e1")
        #expect(again.room.entries(after: 2) == nil && again.room.entries(after: 3)?.map(\.seq) == [4])
    }
}
