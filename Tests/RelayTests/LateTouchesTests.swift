import Rooms
import Store
import Testing

@testable import Relay

/// A user has lost a connection to one node and has come back over another one. What the room's home hears of the old
/// connection can be late.
@Suite struct LateTouchesTests {
    private let room = RoomID("r")
    private let old = ConnectionID(node: 1, shard: 0, number: 1)
    private let new = ConnectionID(node: 3, shard: 0, number: 2)

    /// What can come late.
    enum End: CaseIterable {
        case touchEnds, connectionEnds, nodeIsLost
    }

    private func tell(_ end: End, to home: TestNode) {
        switch end {
        case .touchEnds: home.take(.home(room, .endTouch(old, number: 1)))
        case .connectionEnds: home.take(.home(room, .leave(old, .lost)))
        case .nodeIsLost: home.take(.peer(.lost(old.node)))
        }
    }

    /// A home that sees both connections.
    private func home() -> TestNode {
        let home = TestNode(2, others: [1, 3])
        join([old, new], home)
        return home
    }

    /// One after the other, each when the one before has been told the room's state.
    private func join(_ connections: [ConnectionID], _ home: TestNode) {
        for connection in connections {
            home.join(room, connection, as: "ann")
            home.pass(milliseconds: 100)
            _ = home.link.take(to: connection.node)
        }
    }

    /// Where members see the user: x, if it is a position of the new connection.
    private func place(_ home: TestNode) -> String? {
        let position = home.relay.home.rooms[room]?.room.position(of: new)
        return position.map { String(decoding: $0.x, as: UTF8.self) }
    }

    @Test(arguments: End.allCases) func theEndOfTheOldConnectionDoesNotEndTheTouchOfTheNewOne(_ end: End) {
        let home = home()
        home.move(in: room, old, to: 1)
        home.move(in: room, new, to: 2)
        tell(end, to: home)
        #expect(place(home) == "2")
    }

    @Test(arguments: End.allCases) func positionsOfTheOldConnectionDoNotReplaceThoseOfTheNewOneForGood(_ end: End) {
        let home = home()
        home.move(in: room, new, to: 2)
        home.pass(milliseconds: 100)
        home.move(in: room, old, to: 1)
        #expect(place(home) == nil)
        tell(end, to: home)
        #expect(place(home) == "2")
        // The touch of the new connection ends with the new connection.
        home.take(.home(room, .endTouch(new, number: 2)))
        #expect(home.relay.home.rooms[room]?.room.positions.isEmpty == true)
    }

    /// The touch that members see goes on when the node comes back.
    @Test(arguments: 1...8) func theTouchOfAUserIsKeptWhenTheWayToAllTheirDevicesIsLost(_ mover: UInt64) {
        let home = TestNode(2, others: [1])
        join((1...8).map { ConnectionID(node: 1, shard: 0, number: $0) }, home)
        home.move(in: room, ConnectionID(node: 1, shard: 0, number: mover), to: 5)
        home.take(.peer(.lost(1)))
        #expect(home.relay.home.rooms[room]?.room.positions.map(\.mover.number) == [mover])
    }

    /// The home before has told the node of a user, but not all members and not the store, that the touch of a lost connection
    /// has ended. The user's connection has been in the room since, and has no touch.
    @Test(arguments: [1, 2]) func anEndThatAHomeHasNotStoredIsToldByTheNext(newestSeen: UInt64) {
        let node = TestNode(2, others: [])
        let entry = JournalEntry(
            seq: 1, kind: "room:renamed", json: Array("1".utf8), except: nil, at: 0, effect: .none, media: [],
            incarnation: 7)
        node.homes.stored = StoredRoom(
            id: room.text, seq: 1, elements: [], rememberedCreations: [], entries: [entry],
            present: [Presence("ann", slot: 0, profile: Array(#"{"id":"ann"}"#.utf8))])
        let before = ReturningRoom(id: room, incarnation: 7, membership: 1, since: newestSeen)
        node.take(
            .home(
                room,
                .enter(
                    Entry(
                        connection: ConnectionID(node: 2, shard: 0, number: 1), person: Person(id: "ann", name: "ann"),
                        room: room, purpose: .goOn(before, since: newestSeen), budget: nil,
                        mark: node.hub.permissions[room], info: Array(#"{"id":"r"}"#.utf8)))))
        node.pass(milliseconds: 100)
        #expect(node.homes.appends.joined().map(\.kind) == (newestSeen == 1 ? [] : ["touch:ended"]))
    }
}
