import Rooms
import Sessions
import Testing
import Threads
import Transport
import Wire

@testable import Relay

@Suite(.serialized, .timeLimit(.minutes(2))) struct RoomCommandsTests {
    private let note = #""type":"note","positionX":1,"positionY":2,"width":3,"height":4"#

    /// Two users on different shards, in a room with its home on the second.
    private func people(_ server: RelayServer, in room: String) throws -> (TestClient, TestClient) {
        let ada = try server.client("ada", onShard: 0)
        let bob = try server.client("bob", onShard: 1)
        _ = try ada.join(room)
        _ = try bob.join(room)
        return (ada, bob)
    }

    @Test func aRenamedRoomIsToldToMembersOnAllShardsAndToWhoJoinsLater() throws {
        let server = try RelayServer(shards: 2)
        let room = server.room("den", homeOn: 1)
        let (ada, bob) = try people(server, in: room)
        #expect(try server.outcome { $0.rename(room, to: "New", $1) } == .done)
        for client in [ada, bob] { #expect(try client.event("room:renamed").first?["name"]?.string == "New") }
        #expect(try server.client("eve").join(room)["room"]?["name"]?.string == "New")
        guard case .refused(let error) = try server.outcome({ $0.rename(room, to: "", $1) }) else {
            throw TestFailure("a room without a name")
        }
        #expect(error.code == .validation)
    }

    @Test func aClosedRoomIsToldToMembersOnAllShardsAndNobodyIsInIt() throws {
        let server = try RelayServer(shards: 2)
        let room = server.room("den", homeOn: 1)
        let (ada, bob) = try people(server, in: room)
        #expect(try bob.ask("touch:move", "{\"roomId\":\"\(room)\",\"x\":1,\"y\":1}")["ok"]?.bool == true)
        #expect(try server.outcome { $0.close(room, reason: "deleted", $1) } == .done)
        #expect(try ada.names(through: "room:closed").suffix(3) == ["touch:moved", "touch:ended", "room:closed"])
        let closed = try bob.event("room:closed").first
        #expect(closed?["reason"]?.string == "deleted" && closed?["roomId"]?.string == room)
        for client in [ada, bob] {
            #expect(
                try client.ask("element:create", "{\"roomId\":\"\(room)\",\(note)}")["error"]?["code"]?.string
                    == "FORBIDDEN")
        }
        for shard in 0..<2 { #expect(try server.onShard(shard) { $0.home.rooms.isEmpty && $0.edge.locals.isEmpty }) }
        #expect(try server.outcome { $0.close(room, reason: "again", $1) } == .notInUse)
        // Whom the directory lets in is in the room as it is anew.
        #expect(try bob.join(room)["participants"]?.items?.count == 1)
    }

    @Test func whoIsExpelledIsToldWhyAndOthersSeeThatTheyLeft() throws {
        let server = try RelayServer(shards: 2)
        let room = server.room("den", homeOn: 1)
        let (ada, bob) = try people(server, in: room)
        #expect(try server.outcome { $0.expel("ada", from: room, reason: "removed", $1) } == .done)
        #expect(try ada.event("room:closed").first?["reason"]?.string == "removed")
        #expect(try bob.event("user:left").first?["userId"]?.string == "ada")
        #expect(
            try ada.ask("touch:move", "{\"roomId\":\"\(room)\",\"x\":1,\"y\":1}")["error"]?["code"]?.string
                == "FORBIDDEN")
        guard case .refused(let error) = try server.outcome({ $0.expel("ada", from: room, reason: "x", $1) }) else {
            throw TestFailure("somebody was expelled twice")
        }
        #expect(error.code == .notFound)
    }

    @Test func aCommandToARoomThatIsBeingReadWaitsForIt() throws {
        let keeper = HeldKeeper()
        let server = try RelayServer(keeper: keeper)
        let ada = try server.client("ada")
        let join = try ada.begin("room:join", #"{"roomId":"slow"}"#)
        #expect(keeper.waits(for: "slow"))
        let outcome = Locked<RoomCommands.Outcome?>(nil)
        server.rooms.rename("slow", to: "New") { given in outcome.withLock { $0 = given } }
        #expect(try eventually { try server.onShard { $0.home.loading[RoomID("slow")]?.waiting.count == 2 } })
        #expect(outcome.withLock { $0 } == nil)
        keeper.answer("slow")
        #expect(eventually { outcome.withLock { $0 } == .done })
        #expect(try ada.ack(join)["ok"]?.bool == true)
    }

    @Test func aJoinBehindTheCommandThatClosesTheRoomIsForTheNextOfItsName() throws {
        let keeper = HeldKeeper()
        let server = try RelayServer(keeper: keeper)
        let (ada, bob) = (try server.client("ada"), try server.client("bob"))
        let first = try ada.begin("room:join", #"{"roomId":"slow"}"#)
        #expect(keeper.waits(for: "slow"))
        server.rooms.close("slow", reason: "deleted") { _ in }
        #expect(try eventually { try server.onShard { $0.home.loading[RoomID("slow")]?.waiting.count == 2 } })
        let second = try bob.begin("room:join", #"{"roomId":"slow"}"#)
        #expect(try eventually { try server.onShard { $0.home.loading[RoomID("slow")]?.waiting.count == 3 } })
        keeper.answer("slow")
        #expect(keeper.waits(for: "slow"))
        // The closing has changed the permissions: ada's is looked up again, and her join comes behind the closing,
        // too.
        #expect(try eventually { try server.onShard { $0.home.loading[RoomID("slow")]?.waiting.count == 2 } })
        keeper.answer("slow")
        #expect(try bob.ack(second)["participants"]?.items?.count == 2)
        #expect(try ada.ack(first)["participants"]?.items?.count == 2)
    }

    @Test func aCommandToAServerThatHasStoppedIsAnswered() throws {
        let server = try RelayServer()
        server.transport.stop()
        #expect(try server.outcome { $0.rename("den", to: "New", $1) } == .unavailable)
    }

    /// The log of a closed room reaches its end for a member that reads slowly, although the room is gone.
    @Test func whoIsBehindWhenTheRoomClosesGetsItsLogToTheEnd() throws {
        let server = try RelayServer(flow: { $0 = .off })
        let (ada, slow) = (try server.client("ada"), try server.client("slow"))
        _ = try ada.join("den")
        _ = try slow.join("den")
        let content = String(repeating: "x", count: 4_000)
        // More than the socket's buffers take, less than the log keeps.
        var created = 0
        while created < 5_000,
            try server.onShard(0, { $0.edge.clients.values.allSatisfy { $0.session.isWritable } })
        {
            _ = try ada.ask("element:create", "{\"roomId\":\"den\",\(note),\"content\":\"\(content)\"}")
            created += 1
        }
        for _ in 0..<50 {
            _ = try ada.ask("element:create", "{\"roomId\":\"den\",\(note),\"content\":\"\(content)\"}")
            created += 1
        }
        #expect(try server.outcome { $0.close("den", reason: "deleted", $1) } == .done)
        #expect(try server.onShard { relay in relay.edge.clients.values.contains { !$0.farewells.isEmpty } })
        #expect(try server.onShard { $0.edge.locals.isEmpty })
        let names = try slow.names(through: "room:closed")
        #expect(names.filter { $0 == "element:created" }.count == created)
        #expect(try eventually { try server.onShard { $0.edge.clients.values.allSatisfy { $0.farewells.isEmpty } } })
    }
}
