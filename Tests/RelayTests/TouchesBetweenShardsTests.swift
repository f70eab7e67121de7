import Testing
import Wire

@testable import Relay

/// Touches of members whose shard is not the room's home, which are gathered there between the room's ticks.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TouchesBetweenShardsTests {
    /// Two people on different shards, in a room of long ticks whose home is bob's.
    private func people() throws -> (server: RelayServer, room: String, ada: TestClient, bob: TestClient) {
        let server = try RelayServer(shards: 2) { $0.tickMilliseconds = 60...60 }
        let room = server.room("r", homeOn: 1)
        let ada = try server.client("ada", onShard: 0)
        let bob = try server.client("bob", onShard: 1)
        _ = try ada.join(room)
        _ = try bob.join(room)
        return (server, room, ada, bob)
    }

    private func move(_ client: TestClient, _ room: String, to positions: ClosedRange<Int>) throws {
        for x in positions { try client.emit("touch:move", "{\"roomId\":\"\(room)\",\"x\":\(x),\"y\":0}") }
    }

    /// What is seen of x, up to the position.
    private func seen(by client: TestClient, upTo last: Int) throws -> [Int] {
        var seen: [Int] = []
        while seen.last != last { seen.append(try client.event("touch:moved").first?["x"]?.int ?? -1) }
        return seen
    }

    @Test func theNewestPositionArrivesAndNoOlderOneAfterIt() throws {
        let (server, room, ada, bob) = try people()
        try withExtendedLifetime(server) {
            for round in 0..<5 {
                try move(ada, room, to: (100 * round + 1)...(100 * round + 50))
                let seen = try seen(by: bob, upTo: 100 * round + 50)
                #expect(seen == seen.sorted())
                #expect(seen.count < 50, "they are gathered")
            }
        }
    }

    /// It was acked and dropped where the room's home was another shard.
    @Test(arguments: [1, 3]) func aTouchThatARoomDoesNotTakeIsRefused(shards: Int) throws {
        let server = try RelayServer(shards: shards) { $0.tickMilliseconds = 60...60 }
        let room = server.room("r", homeOn: shards - 1)
        let (ada, bob) = (try server.client("ada", onShard: 0), try server.client("bob", onShard: shards - 1))
        _ = try ada.join(room)
        _ = try bob.join(room)
        let touch = "{\"roomId\":\"\(room)\",\"x\":1,\"y\":0}"
        _ = try server.onShard(shards - 1) { $0.home.rooms[RoomID(room)]?.isFull = true }
        for client in [ada, bob] {
            #expect(try client.ask("touch:move", touch)["error"]?["code"]?.string == "SERVER_ERROR")
        }
        try ada.emit("touch:move", touch)
        #expect(try ada.event("error").last?["code"]?.string == "SERVER_ERROR")
        _ = try server.onShard(shards - 1) { $0.home.rooms[RoomID(room)]?.isFull = false }
        #expect(try ada.ask("touch:move", touch)["ok"]?.bool == true)
        #expect(try seen(by: bob, upTo: 1) == [1])
        // The room is closed, and its members' shards do not know it yet.
        _ = try server.onShard(shards - 1) { relay in relay.home.rooms[RoomID(room)].map { relay.home.retire($0) } }
        for client in [ada, bob] {
            #expect(try client.ask("touch:move", touch)["error"]?["code"]?.string == "FORBIDDEN")
        }
    }

    /// What was acked before the room became full is not dropped by that.
    @Test func aTouchThatWasTakenIsToldAlthoughTheRoomIsFullNow() throws {
        let (server, room, ada, bob) = try people()
        try withExtendedLifetime(server) {
            // The next tick is some time away: what ada does is gathered on her shard until then.
            try move(bob, room, to: 1...1)
            #expect(try ada.event("touch:moved").first?["x"]?.int == 1)
            #expect(try ada.ask("touch:move", "{\"roomId\":\"\(room)\",\"x\":7,\"y\":0}")["ok"]?.bool == true)
            _ = try server.onShard(1) { $0.home.rooms[RoomID(room)]?.isFull = true }
            #expect(try seen(by: bob, upTo: 7) == [7])
        }
    }

    @Test func whatWasGatheredGoesAheadOfTheTouchsEnd() throws {
        let (server, room, ada, bob) = try people()
        try withExtendedLifetime(server) {
            try move(ada, room, to: 1...30)
            try ada.emit("touch:end", "{\"roomId\":\"\(room)\"}")
            let seen = try seen(by: bob, upTo: 30)
            #expect(seen == seen.sorted())
            #expect(try bob.event("touch:ended").first?["userId"]?.string == "ada")
        }
    }
}
