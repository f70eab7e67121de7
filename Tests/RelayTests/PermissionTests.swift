import Rooms
import Testing
import Threads
import Transport
import Wire

@testable import Relay

/// Answers when a test says so: what a store that takes its time does.
final class HeldDirectory: RoomDirectory {
    typealias Answer = Result<[UInt8], RoomError>

    private let asked = Locked<[String: [@Sendable (Answer) -> Void]]>([:])

    func find(_ roomID: String, for person: Person, later: @escaping @Sendable (Answer) -> Void) -> Answer? {
        if roomID.hasPrefix("open") { return .success(RoomInfo.ofID(roomID)) }
        if roomID.hasPrefix("closed") { return .failure(RoomError(.forbidden, "Not for \(person.id).")) }
        asked.withLock { $0[roomID, default: []].append(later) }
        return nil
    }

    func waits(for roomID: String, count: Int = 1) -> Bool {
        eventually { asked.withLock { $0[roomID]?.count == count } }
    }

    func answer(_ roomID: String, _ answer: Answer) {
        for later in asked.withLock({ $0.removeValue(forKey: roomID) }) ?? [] { later(answer) }
    }
}

/// A keeper that takes its time with some rooms.
final class HeldKeeper: RoomKeeper {
    typealias Answer = Result<RoomContents?, RoomError>

    private let memory = MemoryKeeper()
    private let asked = Locked<[String: @Sendable (Answer) -> Void]>([:])
    let stored = Counter()

    func load(_ roomID: String, later: @escaping @Sendable (Answer) -> Void) -> Answer? {
        guard roomID.hasPrefix("slow") else { return memory.load(roomID, later: later) }
        asked.withLock { $0[roomID] = later }
        return nil
    }

    func store(_ contents: RoomContents, of roomID: String) {
        stored.add()
        memory.store(contents, of: roomID)
    }

    func waits(for roomID: String) -> Bool { eventually { asked.withLock { $0[roomID] != nil } } }

    func answer(_ roomID: String, _ answer: Answer? = nil) {
        let later = asked.withLock { $0.removeValue(forKey: roomID) }
        later?(answer ?? memory.load(roomID, later: { _ in }) ?? .success(nil))
    }
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct PermissionTests {
    private func id(_ room: String) -> String { "{\"roomId\":\"\(room)\"}" }
    private let note = #""type":"note","positionX":1,"positionY":2,"width":3,"height":4"#

    @Test func whoMayNotIsRefusedAndDoesNotSeeTheRoom() throws {
        let server = try RelayServer(shards: 2, directory: HeldDirectory())
        let ada = try server.client("ada")
        let answer = try ada.join("closed")
        #expect(answer["error"]?["code"]?.string == "FORBIDDEN")
        #expect(answer["error"]?["message"]?.string == "Not for ada.")
        #expect(try ada.ask("touch:move", #"{"roomId":"closed","x":1,"y":1}"#)["error"]?["code"]?.string == "FORBIDDEN")
        for shard in 0..<2 { #expect(try server.onShard(shard) { $0.home.rooms.isEmpty && $0.home.loading.isEmpty }) }
    }

    @Test func theRoomIsShownAsTheDirectoryDescribesIt() throws {
        let directory = HeldDirectory()
        let server = try RelayServer(directory: directory)
        let ada = try server.client("ada")
        let join = try ada.begin("room:join", id("den"))
        #expect(directory.waits(for: "den"))
        directory.answer("den", .success(Array(#"{"id":"den","name":"The den","by":[1]}"#.utf8)))
        #expect(
            try ada.ack(join)["room"].map { String(decoding: $0.json, as: UTF8.self) }
                == #"{"id":"den","name":"The den","by":[1]}"#)
    }

    @Test func aJoinWaitsForNoOtherRoomsLookup() throws {
        let directory = HeldDirectory()
        let server = try RelayServer(directory: directory)
        let ada = try server.client("ada")
        let join = try ada.begin("room:join", id("den"))
        #expect(directory.waits(for: "den"))
        #expect(try ada.join("open1")["ok"]?.bool == true)
        #expect(try server.client("bob").join("open1")["participants"]?.items?.count == 2)
        directory.answer("den", .failure(RoomError(.notFound, "There is no such room.")))
        #expect(try ada.ack(join)["error"]?["code"]?.string == "NOT_FOUND")
    }

    @Test func aClientMayVanishWhileItIsLookedUp() throws {
        let directory = HeldDirectory()
        let server = try RelayServer(directory: directory)
        do {
            let ada = try server.client("ada")
            try ada.begin("room:join", id("den"))
            #expect(directory.waits(for: "den"))
        }
        #expect(try eventually { try server.onShard { $0.edge.clients.isEmpty } })
        directory.answer("den", .success(RoomInfo.ofID("den")))
        #expect(try eventually { try server.onShard { $0.edge.lookups.count == 0 } })
        #expect(try server.onShard { $0.home.rooms.isEmpty })
    }

    @Test func whatFollowsAJoinWaitsForItsAnswerInItsOrder() throws {
        let directory = HeldDirectory()
        let server = try RelayServer(directory: directory)
        let ada = try server.client("ada")
        let join = try ada.begin("room:join", id("den"))
        let create = try ada.begin("element:create", "{\"roomId\":\"den\",\(note)}")
        let leave = try ada.begin("room:leave", id("den"))
        let other = try ada.begin("room:join", id("open1"))
        #expect(try ada.ack(other)["ok"]?.bool == true)
        directory.answer("den", .success(RoomInfo.ofID("den")))
        for ack in [join, create, leave] { #expect(try ada.ack(ack)["ok"]?.bool == true) }
        #expect(try ada.ask("touch:end", id("den"))["error"]?["code"]?.string == "FORBIDDEN")
    }

    @Test func whatFollowsAJoinThatIsRefusedIsRefusedToo() throws {
        let directory = HeldDirectory()
        let server = try RelayServer(directory: directory)
        let ada = try server.client("ada")
        let join = try ada.begin("room:join", id("den"))
        let create = try ada.begin("element:create", "{\"roomId\":\"den\",\(note)}")
        #expect(directory.waits(for: "den"))
        directory.answer("den", .failure(RoomError(.forbidden, "No.")))
        for ack in [join, create] { #expect(try ada.ack(ack)["error"]?["code"]?.string == "FORBIDDEN") }
    }

    /// The answer was right when it was given, and is on its way while the user is removed.
    @Test(arguments: [1, 2], [true, false]) func whoIsPutOutWhileJoiningIsNotLetIn(shards: Int, closes: Bool) throws {
        let directory = HeldDirectory()
        let server = try RelayServer(shards: shards, directory: directory)
        let room = server.room("den", homeOn: shards - 1)
        let ada = try server.client("ada", onShard: 0)
        let join = try ada.begin("room:join", id(room))
        #expect(directory.waits(for: room))
        let outcome = try server.outcome {
            closes ? $0.close(room, reason: "x", $1) : $0.expel("ada", from: room, reason: "x", $1)
        }
        #expect(outcome == .notInUse)
        directory.answer(room, .success(RoomInfo.ofID(room)))
        #expect(directory.waits(for: room))
        directory.answer(room, .failure(RoomError(.forbidden, "Not any more.")))
        #expect(try ada.ack(join)["error"]?["message"]?.string == "Not any more.")
        for shard in 0..<shards {
            #expect(try server.onShard(shard) { $0.home.rooms.isEmpty && $0.home.loading.isEmpty })
        }
    }

    @Test func whoIsPutOutOfARoomThatIsBeingReadIsLookedUpAgain() throws {
        let (directory, keeper) = (HeldDirectory(), HeldKeeper())
        let server = try RelayServer(directory: directory, keeper: keeper)
        let ada = try server.client("ada")
        let join = try ada.begin("room:join", id("slow"))
        #expect(directory.waits(for: "slow"))
        directory.answer("slow", .success(RoomInfo.ofID("slow")))
        #expect(keeper.waits(for: "slow"))
        server.rooms.expel("ada", from: "slow", reason: "x") { _ in }
        #expect(try eventually { try server.onShard { $0.home.loading[RoomID("slow")]?.waiting.count == 2 } })
        keeper.answer("slow")
        #expect(directory.waits(for: "slow"))
        directory.answer("slow", .success(RoomInfo.ofID("slow")))
        if keeper.waits(for: "slow") { keeper.answer("slow") }
        #expect(try ada.ack(join)["ok"]?.bool == true)
    }

    // MARK: What rooms were left with

    @Test(arguments: [0, 1]) func aRoomIsReadOnceForAllWhoWaitAndOthersGoOn(shard: Int) throws {
        let keeper = HeldKeeper()
        let server = try RelayServer(shards: 2, keeper: keeper)
        let room = server.room("slow", homeOn: 1)
        let people = try ["ada", "bob", "eve"].map { try server.client($0, onShard: shard) }
        let joins = try people.map { ($0, try $0.begin("room:join", id(room))) }
        #expect(keeper.waits(for: room))
        #expect(try people[0].join("other")["ok"]?.bool == true)
        keeper.answer(room)
        for (client, join) in joins { #expect(try client.ack(join)["ok"]?.bool == true) }
        #expect(try server.onShard(1) { $0.home.rooms[RoomID(room)]?.room.participantCount } == 3)
    }

    @Test func whoVanishesWhileARoomIsReadLeavesNoGhost() throws {
        let keeper = HeldKeeper()
        let server = try RelayServer(shards: 2, keeper: keeper)
        let room = server.room("slow", homeOn: 1)
        let bob = try server.client("bob", onShard: 0)
        do {
            let ada = try server.client("ada", onShard: 0)
            try ada.begin("room:join", id(room))
            #expect(keeper.waits(for: room))
        }
        #expect(try eventually { try server.onShard(0) { $0.edge.clients.count == 1 } })
        let join = try bob.begin("room:join", id(room))
        #expect(try eventually { try server.onShard(1) { $0.home.loading[RoomID(room)]?.waiting.count == 1 } })
        keeper.answer(room)
        #expect(try bob.ack(join)["participants"]?.items?.count == 1)
    }

    @Test func aRoomThatNobodyWaitsForAnyMoreIsGivenBack() throws {
        let keeper = HeldKeeper()
        let server = try RelayServer(keeper: keeper)
        do {
            let ada = try server.client("ada")
            try ada.begin("room:join", id("slow"))
            #expect(keeper.waits(for: "slow"))
        }
        #expect(try eventually { try server.onShard { $0.edge.clients.isEmpty } })
        keeper.answer("slow")
        #expect(eventually { keeper.stored.value == 1 })
        #expect(try server.onShard { $0.home.rooms.isEmpty })
    }

    @Test func aRoomThatCannotBeReadIsNotJoined() throws {
        let keeper = HeldKeeper()
        let server = try RelayServer(keeper: keeper)
        let ada = try server.client("ada")
        let join = try ada.begin("room:join", id("slow"))
        #expect(keeper.waits(for: "slow"))
        keeper.answer("slow", .failure(RoomError(.server, "The room cannot be read.")))
        #expect(try ada.ack(join)["error"]?["code"]?.string == "SERVER_ERROR")
        #expect(try server.onShard { $0.home.rooms.isEmpty && $0.home.loading.isEmpty })
    }

    @Test func whatIsOnTheCanvasOutlivesTheLastWhoLeaves() throws {
        let keeper = HeldKeeper()
        let server = try RelayServer(keeper: keeper)
        let ada = try server.client("ada")
        _ = try ada.join("den")
        _ = try ada.ask("element:create", "{\"roomId\":\"den\",\(note)}")
        _ = try ada.ask("room:leave", id("den"))
        #expect(eventually { keeper.stored.value == 1 })
        let again = try ada.join("den")
        #expect(again["elements"]?.items?.count == 1)
        #expect(again["seq"]?.int == 4)
    }
}
