import Rooms
import Sessions
import Testing

@testable import Relay

/// Rooms whose home is another node.
@Suite struct OutpostTests {
    private let room = RoomID("r")
    private let own = ConnectionID(node: 2, shard: 0, number: 1)
    private let others = ConnectionID(node: 1, shard: 0, number: 2)

    /// The last device of a user takes the place of the first one, also when the home is lost before it has let them in.
    @Test func clientsThatEnterLookForTheNextHomeInTheirOrder() {
        let node = TestNode(2, others: [3])
        node.homes.homes["r"] = 3
        let all = (1...16).map { ConnectionID(node: 2, shard: 0, number: $0 * 7 % 17) }
        for connection in all { node.join(room, connection, as: "ann") }
        #expect(entering(node.link.take(to: 3)).map(\.connection) == all)
        node.take(.outpost(room, .notHome, from: 3))
        #expect(entering(node.link.take(to: 3)).map(\.connection) == all)
    }

    private func entering(_ messages: [RelayMessage]) -> [Entry] {
        messages.compactMap { if case .home(_, .enter(let entry)) = $0 { entry } else { nil } }
    }

    /// A node that was the room's home gets positions late that members of another node have sent it. Their node has told the
    /// next home newer ones meanwhile.
    @Test func positionsOfAnotherNodesMembersAreNotPassedOnToTheNextHome() {
        let node = TestNode(2, others: [1, 3])
        node.homes.homes["r"] = 3
        node.join(room, own, as: "ann")
        _ = node.link.take(to: 3)
        node.move(in: room, others, to: 7)
        node.move(in: room, own, to: 8)
        #expect(node.link.takePositions(to: 3) == ["1 at 8"])
    }

    /// The end of its touch is not stored when the home is lost, so the next home would get the touch with its end.
    @Test func theTouchOfAUserWhoWasRemovedDoesNotFollowToTheNextHome() throws {
        let node = TestNode(2, others: [3])
        node.join(room, own, as: "ann")
        node.join(room, ConnectionID(node: 2, shard: 0, number: 4), as: "bo")
        node.homes.holds = true
        node.move(in: room, own, to: 8)
        node.take(.home(room, .endTouch(own)))
        node.take(.home(room, .command(.expel("ann", reason: "removed"), question: 1)))
        node.homes.homes["r"] = 3
        node.take(.peer(.lapsed(1)))
        node.join(room, own, as: "ann")
        let entry = try #require(entering(node.link.take(to: 3)).last)
        #expect(entry.connection == own && !entry.touchFollows)
    }

    /// The room's home, which is lost and has said so, refuses a change that was on its way. It was refused here already.
    @Test(arguments: [2, 3])
    func aChangeIsAnsweredOnceWhenTheHomeIsLost(nextHome: Int) throws {
        let (node, home) = (TestNode(2, others: [3]), TestNode(3, others: [2]))
        node.homes.homes["r"] = 3
        let client = TestPeer("ann", on: 2)
        node.connect(client)
        node.send("room:join", #"{"roomId":"r"}"#, from: client)
        node.talk(to: home)
        #expect(client.answers == 1 && home.relay.home.rooms[room]?.room.connectionCount == 1)
        node.send("element:update", #"{"roomId":"r","elementId":"none","positionX":1}"#, from: client)
        let asked = node.link.take(to: 3).compactMap { message -> RelayMessage? in
            guard case .home(let room, .change(_, .member(let connection, let event, let call))) = message else {
                return nil
            }
            let refusal = ClientMessage.refused(event, call, Home.hasMoved)
            return .outpost(room, .client(connection, refusal), from: 3)
        }
        node.homes.homes["r"] = nextHome == 3 ? 3 : nil
        node.take(.outpost(room, .notHome, from: 3))
        #expect(client.answers == 2 && asked.count == 1)
        for message in asked { node.take(message) }
        #expect(client.answers == 2)
    }

    /// The states of all rooms with members on a node would be more than may wait for it: the pipe would be lost again and again.
    @Test func clientsOfANodeThatIsLateAreAnsweredWhenItHasCaughtUp() {
        func answered(_ home: TestNode) -> Int {
            home.link.take(to: 1).count { if case .outpost(_, .entered, _) = $0 { true } else { false } }
        }
        let home = TestNode(2, others: [1])
        home.link.late = [1]
        home.join(room, others, as: "bo")
        home.join(room, own, as: "ann")
        #expect(answered(home) == 0 && home.relay.home.rooms[room]?.room.people == ["ann", "bo"])
        home.pass(milliseconds: 100)
        #expect(answered(home) == 0)
        home.link.late = []
        home.pass(milliseconds: 100)
        #expect(answered(home) == 1)
        home.pass(milliseconds: 100)
        #expect(answered(home) == 0)
    }

    /// The home has let it in. If it cannot enter again it is not in the room.
    @Test func aClientWhoseStateIsOutdatedBeforeItIsToldGivesUpItsPlace() {
        let (node, home) = (TestNode(2, others: [3]), TestNode(3, others: [2]))
        node.homes.homes["r"] = 3
        let client = TestPeer("ann", on: 2)
        node.connect(client)
        node.send("room:join", #"{"roomId":"r"}"#, from: client)
        // First the home asks to look up the permission again.
        for _ in 0..<2 {
            for message in node.link.take(to: 3) { home.take(message) }
            for message in home.link.take(to: 2) {
                if case .outpost(_, .entered, _) = message {
                    node.take(message, .edge(.resync(room)))
                } else {
                    node.take(message)
                }
            }
        }
        let said = node.link.take(to: 3).compactMap { message -> String? in
            switch message {
            case .home(_, .leave(_, let leaving)): "leaves: \(leaving)"
            case .home(_, .enter): "enters"
            default: nil
            }
        }
        #expect(said == ["leaves: entersAgain", "enters"])
    }
}
