import Dispatch
import Identity
import Rooms
import TestSupport
import Testing
import Wire

@testable import Relay

/// What a client does after it has learned of another's change comes after that change, also when they are on different
/// shards.
@Suite(.serialized, .timeLimit(.minutes(2))) struct OrderBetweenShardsTests {
    /// The shard of the room's home found the join in a socket before it looked into its mailbox, and refused it.
    @Test func aJoinAfterALeaveGetsThePlaceInAFullRoom() throws {
        let stage = try Stage(participantsMax: 1)
        _ = try stage.ada.join(stage.room)
        #expect(try stage.bob.join(stage.room)["error"]?["code"]?.string == "ROOM_FULL")
        try stage.holdShard()
        #expect(try stage.ada.ask("room:leave", stage.argument)["ok"]?.bool == true)
        let join = try stage.bob.begin("room:join", stage.argument)
        stage.letGo()
        #expect(try stage.bob.ack(join)["participants"]?.items?.count == 1)
    }

    /// A client's own messages for a room of its shard keep their order while those of others wait there.
    @Test func aLeaveAndAJoinKeepTheirOrder() throws {
        let stage = try Stage(participantsMax: 2)
        _ = try stage.ada.join(stage.room)
        _ = try stage.bob.join(stage.room)
        try stage.holdShard()
        _ = try stage.ada.ask("room:leave", stage.argument)
        let leave = try stage.bob.begin("room:leave", stage.argument)
        let join = try stage.bob.begin("room:join", stage.argument)
        stage.letGo()
        #expect(try stage.bob.ack(leave)["ok"]?.bool == true)
        #expect(try stage.bob.ack(join)["participants"]?.items?.count == 1)
        let room = RoomID(stage.room)
        #expect(try stage.server.onShard { $0.home.rooms[room]?.room.connectedPeople } == ["bob"])
    }
}

/// A room, its home's shard with bob and eve, and another shard with ada.
private struct Stage {
    let directory = HoldingDirectory()
    let server: RelayServer
    let room: String
    let ada: TestClient
    let bob: TestClient
    let eve: TestClient

    init(participantsMax: Int) throws {
        server = try RelayServer(shards: 2, directory: directory) { $0.room.participantsMax = participantsMax }
        room = server.room("r", homeOn: 0)
        ada = try server.client("ada", onShard: 1)
        bob = try server.client("bob", onShard: 0)
        eve = try server.client("eve", onShard: 0)
    }

    var argument: String { "{\"roomId\":\"\(room)\"}" }

    /// Holds the room's shard while it serves its sockets, which it looks at again before its mailbox.
    func holdShard() throws {
        try eve.begin("room:join", "{\"roomId\":\"\(HoldingDirectory.held)\"}")
        guard directory.isAsked.wait(timeout: .now() + 20) == .success else { throw TestFailure("nobody was asked") }
    }

    func letGo() { directory.goOn.signal() }
}

/// Answers at once, but for one room.
private final class HoldingDirectory: RoomDirectory {
    static let held = "held"
    let isAsked = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)

    func find(
        _ roomID: String, for person: Person, later: @escaping @Sendable (Result<[UInt8], RoomError>) -> Void
    ) -> Result<[UInt8], RoomError>? {
        if roomID == Self.held {
            isAsked.signal()
            goOn.wait()
        }
        return OpenDirectory().find(roomID, for: person, later: later)
    }
}
