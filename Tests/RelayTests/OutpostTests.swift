import Rooms
import Sessions
import Testing

@testable import Relay

/// Rooms whose home is another node.
@Suite struct OutpostTests {
    private let room = RoomID("r")
    private let own = ConnectionID(node: 2, shard: 0, number: 1)
    private let others = ConnectionID(node: 1, shard: 0, number: 2)

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
        node.take(.peer(.lapsed))
        node.join(room, own, as: "ann")
        let entries = node.link.take(to: 3).compactMap { message -> Entry? in
            if case .home(_, .enter(let entry)) = message { entry } else { nil }
        }
        let entry = try #require(entries.last)
        #expect(entry.connection == own && !entry.touchFollows)
    }
}
