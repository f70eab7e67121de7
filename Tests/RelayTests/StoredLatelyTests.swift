import Rooms
import Store
import Testing

@testable import Relay

/// What a home has for a database that loses what it has confirmed.
@Suite struct StoredLatelyTests {
    private func entry(_ seq: UInt64, bytes: Int = 10, _ incarnation: UInt64 = 1) -> JournalEntry {
        JournalEntry(
            seq: seq, kind: "room:renamed", json: [UInt8](repeating: UInt8(ascii: "1"), count: bytes), except: nil,
            at: 0,
            effect: .none, media: [], incarnation: incarnation)
    }

    @Test func theEntriesOfARoomComeInTheirOrder() {
        var lately = StoredLately()
        let (one, two) = (RoomID("one"), RoomID("two"))
        lately.add([entry(1), entry(2)], of: one, at: 0)
        lately.add([entry(7)], of: two, at: 10)
        lately.add([entry(3)], of: one, at: 20)
        #expect(lately.entries(of: one, after: 1).map(\.seq) == [2, 3])
        #expect(lately.entries(of: two, after: 0).map(\.seq) == [7])
        #expect(lately.rooms == [one, two])
        // After a room was read anew its numbers can come again.
        lately.add([entry(3, 2)], of: one, at: 30)
        #expect(lately.entries(of: one, after: 2).map(\.incarnation) == [2])
    }

    @Test func theyAreForgottenAfterAMinute() {
        var lately = StoredLately()
        let room = RoomID("room")
        lately.add([entry(1)], of: room, at: 0)
        lately.add([entry(2)], of: room, at: StoredLately.milliseconds - 1)
        #expect(lately.entries(of: room, after: 0).count == 2)
        lately.add([entry(3)], of: room, at: StoredLately.milliseconds)
        #expect(lately.entries(of: room, after: 0).map(\.seq) == [2, 3])
    }

    @Test func theirBytesAreBounded() {
        var lately = StoredLately()
        let room = RoomID("room")
        for seq in 1...100 { lately.add([entry(UInt64(seq), bytes: 1 << 20)], of: room, at: 0) }
        #expect(lately.byteCount <= StoredLately.bytesMax)
        #expect(lately.entries(of: room, after: 0).map(\.seq).last == 100)
        lately.add([entry(101, bytes: StoredLately.bytesMax)], of: room, at: 0)
        #expect(lately.byteCount == 0 && lately.rooms.isEmpty)
    }

    // MARK: At home

    private let room = RoomID("r")

    @Test func aHomeStoresAgainWhatTheDatabaseHasLost() {
        let node = TestNode(2, others: [])
        node.join(room, ConnectionID(node: 2, shard: 0, number: 1), as: "ann")
        node.homes.nextAppend = .outOfOrder(stored: 0)
        node.take(.homes(.databaseWasStarted))
        #expect(node.homes.appends.map { $0.map(\.seq) } == [[1], [1], [1]])
        #expect(node.relay.home.rooms[room]?.isStored == true)
    }

    /// In a failover the first appends fail. The room refuses changes until the database has proved that it has everything.
    @Test func aProofThatFailsIsRepeated() {
        let node = TestNode(2, others: [])
        node.join(room, ConnectionID(node: 2, shard: 0, number: 1), as: "ann")
        node.homes.nextAppend = .overloaded
        node.take(.homes(.databaseWasStarted))
        #expect(node.relay.home.rooms[room]?.journal?.isFailing == true)
        node.pass(milliseconds: 1_000)
        #expect(node.homes.appends.map { $0.map(\.seq) } == [[1], [1], [1]])
        #expect(node.relay.home.rooms[room]?.journal?.isFailing == false)
    }

    /// Nothing waits to be stored, so nothing fails.
    @Test func aProofThatCannotBeRepeatedAnyMoreHoldsUpNothing() {
        let node = TestNode(2, others: [])
        node.join(room, ConnectionID(node: 2, shard: 0, number: 1), as: "ann")
        node.homes.nextAppend = .overloaded
        node.take(.homes(.databaseWasStarted))
        node.relay.home.storedLately = StoredLately()
        node.pass(milliseconds: 1_000)
        #expect(node.homes.appends.map { $0.map(\.seq) } == [[1], [1]])
        #expect(node.relay.home.rooms[room]?.journal?.isFailing == false)
    }

    /// The database was started anew while the proof was under way.
    @Test func aProofThatIsWantedMeanwhileIsGivenAnew() {
        let node = TestNode(2, others: [])
        node.join(room, ConnectionID(node: 2, shard: 0, number: 1), as: "ann")
        node.homes.holds = true
        node.take(.homes(.databaseWasStarted))
        node.take(.homes(.databaseWasStarted))
        node.release()
        #expect(node.homes.appends.map { $0.map(\.seq) } == [[1], [1], [1]])
    }

    /// The database had lost it before another node became the room's home for a while.
    @Test func aHomeDoesNotStoreAgainWhatIsNotInTheRoomsLog() {
        let node = TestNode(2, others: [3])
        node.join(room, ConnectionID(node: 2, shard: 0, number: 1), as: "ann")
        node.homes.homes["r"] = 3
        node.take(.peer(.lapsed(1)))
        #expect(node.relay.home.rooms.isEmpty)
        node.homes.homes["r"] = nil
        node.homes.stored = StoredRoom(
            id: "r", seq: 1, elements: [], rememberedCreations: [], entries: [entry(1, 77)], present: [])
        node.join(room, ConnectionID(node: 2, shard: 0, number: 2), as: "bo")
        #expect(node.homes.appends.map { $0.map(\.seq) } == [[1], [2]])
        node.homes.nextAppend = .outOfOrder(stored: 0)
        node.take(.homes(.databaseWasStarted))
        #expect(node.homes.appends.dropFirst(2).map { $0.map(\.seq) } == [[2]])
        #expect(node.relay.home.rooms.isEmpty)
        // What its members were told is lost.
        #expect(node.homes.released == ["r": true])
    }
}
