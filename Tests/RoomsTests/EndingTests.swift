import Testing

@testable import Rooms

@Suite("Rooms that are renamed or closed, and users who are removed")
struct EndingTests {
    @Test("A new name is an entry of the log, and part of what later joiners see")
    func rename() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        try stage.room.rename(to: "The \"Lounge\"")
        stage.tick()
        #expect(stage.texts(ada) == [#"2["room:renamed",{"roomId":"lounge","name":"The \"Lounge\""}]"#])
        #expect(String(decoding: stage.room.info, as: UTF8.self) == #"{"id":"lounge","name":"The \"Lounge\""}"#)
        try stage.room.rename(to: "Den")
        #expect(String(decoding: stage.room.info, as: UTF8.self) == #"{"id":"lounge","name":"Den"}"#)
        #expect(stage.room.lastSeq == 3)
    }

    @Test(
        "The other members of a room's description stay as they are",
        arguments: [
            (#"{"id":"a","isActive":true}"#, #"{"id":"a","name":"n","isActive":true}"#),
            (#"{"id":"a","name":"old","by":{"x":[1.50]}}"#, #"{"id":"a","name":"n","by":{"x":[1.50]}}"#),
            (#"{}"#, #"{"name":"n"}"#), (#"{"b":1,"id":2}"#, #"{"name":"n","b":1,"id":2}"#),
        ])
    func description(info: String, renamed: String) {
        #expect(String(decoding: RoomInfo.named("n", Array(info.utf8)), as: UTF8.self) == renamed)
    }

    @Test("A name has 1 to 80 characters", arguments: ["", String(repeating: "é", count: 81)])
    func badNames(name: String) throws {
        var stage = Stage()
        #expect(throws: RoomError.self) { try stage.room.rename(to: name) }
        #expect(!stage.room.isDirty)
        try stage.room.rename(to: String(repeating: "é", count: 80))
    }

    @Test("A closed room ends the touches, then tells all members, and is empty")
    func close() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        let bo = try stage.join("bo")
        _ = stage.texts(ada)
        try stage.move(bo, 7)
        stage.room.close(reason: "deleted")
        #expect(stage.room.participantCount == 0 && stage.room.connectionCount == 0 && stage.room.isClosed)
        stage.tick()
        #expect(stage.replica.isOver)
        #expect(stage.summary(ada) == ["touch:moved 7", "touch:ended", "room:closed"])
        #expect(stage.texts(bo).last == #"2["room:closed",{"roomId":"lounge","reason":"deleted"}]"#)
        #expect(stage.replica.hasAll(0) && stage.replica.hasAll(1))
    }

    @Test("Nothing more happens in a closed room")
    func afterwards() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        stage.room.close(reason: "deleted")
        stage.tick()
        let seq = stage.room.lastSeq
        stage.room.close(reason: "again")
        #expect(throws: RoomError.self) { try stage.move(ada, 1) }
        #expect(throws: RoomError.self) { try stage.room.rename(to: "x") }
        #expect(throws: RoomError.self) { try stage.room.leave(ada) }
        #expect(throws: RoomError.self) {
            try stage.room.join(stage.newConnection(), Stage.person("bo"), at: stage.now)
        }
        stage.room.lose(ada, at: stage.now)
        #expect(stage.room.lastSeq == seq && !stage.room.isDirty && stage.room.nextGraceEnds == nil)
    }

    @Test("What is on the canvas of a closed room stays, with the number of its log")
    func contents() throws {
        var stage = Stage()
        let ada = try stage.join("ada")
        _ = try stage.create(ada, id: "e1")
        stage.room.close(reason: "deleted")
        stage.tick()
        #expect(stage.room.contents.elementCount == 1 && stage.room.contents.seq == 3)
    }

    @Test("A user who is expelled has left, with all connections and the touch")
    func expel() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let phone = try stage.join("ada")
        let tablet = try stage.join("ada")
        try stage.move(tablet, 3)
        _ = stage.texts(watcher)
        #expect(stage.room.expel("ada") == [phone, tablet])
        #expect(stage.room.participantCount == 1 && stage.room.connectionCount == 1)
        stage.tick()
        #expect(stage.summary(watcher) == ["touch:moved 3", "touch:ended", "user:left"])
        #expect(stage.room.expel("ada").isEmpty)
        try stage.join("ada")
        #expect(stage.room.participantCount == 2)
    }

    @Test("A user who is expelled in the grace has left at once")
    func expelInGrace() throws {
        var stage = Stage()
        let watcher = try stage.join("bo")
        let ada = try stage.join("ada")
        stage.room.lose(ada, at: stage.now)
        stage.tick()
        _ = stage.texts(watcher)
        #expect(stage.room.expel("ada").isEmpty)
        stage.tick()
        #expect(stage.summary(watcher) == ["user:left"])
        #expect(stage.room.nextGraceEnds == nil)
    }
}
