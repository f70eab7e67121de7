import Rooms
import Testing
import Wire

@testable import Relay

/// The states of rooms, which go out to joiners over several turns of the loop.
@Suite(.serialized, .timeLimit(.minutes(2))) struct WelcomeTests {
    private func creation(_ room: String, _ content: String) -> String {
        let note = #""type":"note","positionX":1,"positionY":2,"width":3,"height":4"#
        return #"{"roomId":"\#(room)",\#(note),"content":"\#(content)"}"#
    }

    /// A member of each room, whose state has some 240 KB.
    private func writer(_ rooms: [String], on server: RelayServer) throws -> TestClient {
        let writer = try server.client("writer")
        for room in rooms {
            _ = try writer.join(room)
            for _ in 0..<60 {
                let ack = try writer.ask("element:create", creation(room, String(repeating: "x", count: 3_900)))
                #expect(ack["ok"]?.bool == true)
            }
        }
        return writer
    }

    /// From now on no state goes out until `goOn`.
    private func hold(_ server: RelayServer, shard: Int = 0) throws {
        try server.onShard(shard) { $0.edge.isWelcomingLater = true }
    }

    private func goOn(_ server: RelayServer, shard: Int = 0) throws {
        try server.onShard(shard) { $0.edge.isWelcomingLater = false }
    }

    private func begin(_ client: TestClient, _ room: String) throws -> Int {
        try client.begin("room:join", #"{"roomId":"\#(room)"}"#)
    }

    /// All were written at once.
    @Test func aTurnWritesABoundedNumberOfBytes() throws {
        let server = try RelayServer(flow: { $0 = .off })
        let rooms = (0..<6).map { "r\($0)" }
        let writer = try writer(rooms, on: server)
        let ada = try server.client("ada")
        try hold(server)
        let acks = try rooms.map { try begin(ada, $0) }
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 6 })
        // The room's others do not wait for that.
        #expect(try writer.ask("element:create", creation("r0", "on time"))["ok"]?.bool == true)
        // Each is 480 KB: the event, and the ack.
        let left = try server.onShard { relay -> Int in
            relay.edge.isWelcomingLater = false
            relay.edge.welcomeSome()
            return relay.edge.welcomes.count
        }
        #expect(left == 3)
        let counts = try acks.map { try ada.ack($0)["elements"]?.items?.count }
        #expect(counts == [60, 60, 60, 60, 60, 60])
        #expect(try server.onShard { $0.edge.welcomes.isEmpty })
    }

    @Test func whoJoinsARoomDoesNotWaitForACrowdInAnother() throws {
        let server = try RelayServer(flow: { $0 = .off })
        _ = try writer(["crowded", "quiet"], on: server)
        try hold(server)
        let crowd = try (0..<7).map { try server.client("guest\($0)") }
        var acks = [try begin(crowd[0], "crowded")]
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 1 })
        acks += try crowd.dropFirst().map { try begin($0, "crowded") }
        #expect(try eventually { try server.onShard { $0.home.rooms[RoomID("crowded")]?.enteringCount } == 6 })
        // The first has its state; the others come in together, and wait for theirs.
        try server.onShard { relay in
            relay.edge.isWelcomingLater = false
            relay.edge.welcomeSome()
            relay.edge.isWelcomingLater = true
        }
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 6 })
        let ada = try server.client("ada")
        let last = try begin(ada, "quiet")
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 7 })
        // A turn writes three of these states: one of them is that of the room that came last.
        let left = try server.onShard { relay -> [String] in
            relay.edge.isWelcomingLater = false
            relay.edge.welcomeSome()
            var waiting = relay.edge.welcomes
            var rooms: [String] = []
            while let next = waiting.next() { rooms.append(next.room.id.text) }
            return rooms
        }
        #expect(left == Array(repeating: "crowded", count: 4))
        #expect(try ada.ack(last)["elements"]?.items?.count == 60)
        for (client, ack) in zip(crowd, acks) { #expect(try client.ack(ack)["elements"]?.items?.count == 60) }
    }

    @Test func theStateIsWrittenOnceForAllWhoJoinMeanwhile() throws {
        let server = try RelayServer()
        _ = try writer(["den"], on: server)
        try hold(server)
        let people = try (0..<8).map { try server.client("guest\($0)") }
        let first = try begin(people[0], "den")
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 1 })
        // While the state of one tick is not told to all, there is no other: clients that join then wait, and come in
        // together.
        let others = try people.dropFirst().map { try begin($0, "den") }
        #expect(try eventually { try server.onShard { $0.home.rooms[RoomID("den")]?.enteringCount } == 7 })
        #expect(try server.onShard { $0.home.rooms[RoomID("den")]?.room.participantCount } == 2)
        #expect(try server.onShard { $0.edge.welcomes.count } == 1)
        try goOn(server)
        for (client, ack) in zip(people, [first] + others) {
            let answer = try client.ack(ack)
            #expect(answer["elements"]?.items?.count == 60)
            #expect(answer["self"]?["userId"]?.string?.hasPrefix("guest") == true)
        }
    }

    @Test func aClientThatGoesWhileItWaitsToComeInIsForgotten() throws {
        let server = try RelayServer()
        let (guest, ada) = (try server.client("guest"), try server.client("ada"))
        var eve: TestClient? = try server.client("eve")
        try hold(server)
        let first = try begin(guest, "den")
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 1 })
        _ = try eve.map { try begin($0, "den") }
        let last = try begin(ada, "den")
        #expect(try eventually { try server.onShard { $0.home.rooms[RoomID("den")]?.enteringCount } == 2 })
        eve = nil
        #expect(try eventually { try server.onShard { $0.home.rooms[RoomID("den")]?.enteringCount } == 1 })
        try goOn(server)
        #expect(try guest.ack(first)["participants"]?.items?.count == 1)
        #expect(try ada.ack(last)["participants"]?.items?.count == 2)
    }

    @Test(arguments: [0, 1]) func whatIsLoggedMeanwhileFollowsTheStateWithoutAGap(shard: Int) throws {
        let server = try RelayServer(shards: 2, flow: { $0 = .off })
        let room = server.room("den", homeOn: 0)
        let writer = try server.client("writer", onShard: 0)
        _ = try writer.join(room)
        for number in 0..<3 { _ = try writer.ask("element:create", creation(room, "\(number)")) }
        let ada = try server.client("ada", onShard: shard)
        for round in 0..<2 {
            try hold(server, shard: shard)
            let ack = try begin(ada, room)
            #expect(try eventually { try server.onShard(shard) { $0.edge.welcomes.count } == 1 })
            let before = 3 + 5 * round
            for number in before..<before + 5 { _ = try writer.ask("element:create", creation(room, "\(number)")) }
            _ = try writer.ask("touch:move", #"{"roomId":"\#(room)","x":\#(round),"y":0}"#)
            try goOn(server, shard: shard)
            // The second time she is in the room already, and is told nothing ahead of its state either.
            #expect(try ada.ack(ack)["ok"]?.bool == true)
            let joined = try ada.event("room:joined").first
            #expect(joined?["elements"]?.items?.count == before)
            for number in before..<before + 5 {
                #expect(try ada.event("element:created").first?["content"]?.string == "\(number)")
            }
            while try ada.event("touch:moved").first?["x"]?.int != round {}
        }
        #expect(try ada.ask("element:create", creation(room, "mine"))["ok"]?.bool == true)
    }

    /// Makes twenty notes, more than the room's log takes, and waits until their shard has them in its log.
    private func outrunTheLog(_ writer: TestClient, _ room: String) throws {
        for number in 0..<20 { _ = try writer.ask("element:create", creation(room, "\(number)")) }
        while try writer.event("element:created").first?["content"]?.string != "19" {}
    }

    /// So much happens meanwhile that the log does not reach back to the state.
    @Test func whoWaitedTooLongIsToldANewerState() throws {
        let server = try RelayServer({ $0.room.logBytesMax = 2_000 }, flow: { $0 = .off })
        let writer = try server.client("writer")
        _ = try writer.join("den")
        let ada = try server.client("ada")
        try hold(server)
        let ack = try begin(ada, "den")
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 1 })
        try outrunTheLog(writer, "den")
        try goOn(server)
        #expect(try ada.ack(ack)["elements"]?.items?.count == 20)
        _ = try writer.ask("element:create", creation("den", "next"))
        #expect(try ada.event("element:created").first?["content"]?.string == "next")
    }

    /// The room's home was not told that the first join failed: the user stayed in the room for ever.
    @Test func whoWaitedTooLongAndIsThenRefusedIsNotInTheRoom() throws {
        let server = try RelayServer(
            {
                $0.room.logBytesMax = 2_000
                $0.room.graceMilliseconds = 50
            }, flow: { $0 = .off })
        let writer = try server.client("writer")
        _ = try writer.join("den")
        let ada = try server.client("ada")
        try hold(server)
        let ack = try begin(ada, "den")
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 1 })
        try outrunTheLog(writer, "den")
        try server.onShard { $0.home.rooms[RoomID("den")]?.isFull = true }
        try goOn(server)
        #expect(try ada.ack(ack)["error"]?["code"]?.string == "SERVER_ERROR")
        #expect(try eventually { try server.onShard { $0.home.rooms[RoomID("den")]?.room.participantCount } == 1 })
    }

    /// The ninth connection of a user takes the place of the first, which has not got the state of the room yet.
    @Test func aDeviceWhosePlaceIsTakenMeanwhileIsToldSo() throws {
        let server = try RelayServer()
        let (guest, first) = (try server.client("guest"), try server.client("ada"))
        try hold(server)
        _ = try begin(guest, "den")
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 1 })
        // All nine come in with the same tick.
        let ack = try begin(first, "den")
        #expect(try eventually { try server.onShard { $0.home.rooms[RoomID("den")]?.enteringCount } == 1 })
        let others = try (0..<8).map { _ in try server.client("ada") }
        let acks = try others.map { try begin($0, "den") }
        try goOn(server)
        #expect(try first.ack(ack)["error"]?["code"]?.string == "CONFLICT")
        for (other, ack) in zip(others, acks) { #expect(try other.ack(ack)["ok"]?.bool == true) }
    }

    @Test func whoIsPutOutMeanwhileIsToldSo() throws {
        let server = try RelayServer()
        _ = try server.client("writer").join("den")
        let ada = try server.client("ada")
        try hold(server)
        let ack = try begin(ada, "den")
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 1 })
        #expect(try server.outcome { $0.expel("ada", from: "den", reason: "why", $1) } == .done)
        try goOn(server)
        #expect(try ada.ack(ack)["error"]?["code"]?.string == "FORBIDDEN")
        #expect(try ada.event("room:closed").first?["reason"]?.string == "why")
        #expect(try ada.join("den")["ok"]?.bool == true)
    }

    @Test func aRoomThatIsClosedMeanwhileIsToldToItsEnd() throws {
        let server = try RelayServer()
        let ada = try server.client("ada")
        try hold(server)
        let ack = try begin(ada, "den")
        #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 1 })
        #expect(try server.outcome { $0.close("den", reason: "why", $1) } == .done)
        try goOn(server)
        #expect(try ada.ack(ack)["ok"]?.bool == true)
        #expect(try ada.names(through: "room:closed") == ["room:joined", "room:closed"])
        #expect(
            try server.onShard { $0.edge.clients.values.allSatisfy { $0.farewells.isEmpty } && $0.edge.locals.isEmpty })
    }

    @Test func whoVanishesMeanwhileLeavesNothing() throws {
        let server = try RelayServer { $0.room.graceMilliseconds = 50 }
        try hold(server)
        do {
            let ada = try server.client("ada")
            _ = try begin(ada, "den")
            #expect(try eventually { try server.onShard { $0.edge.welcomes.count } == 1 })
        }
        #expect(
            try eventually {
                try server.onShard { $0.edge.clients.isEmpty && $0.home.rooms.isEmpty && $0.edge.locals.isEmpty }
            })
        try goOn(server)
        #expect(try eventually { try server.onShard { $0.edge.welcomes.isEmpty } })
    }
}
