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
