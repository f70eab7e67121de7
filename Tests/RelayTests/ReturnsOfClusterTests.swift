import Rooms
import Sessions
import Store
import Testing

@testable import Relay

/// Clients that come back in a cluster, at a node whose pipes to others are lost and come again.
@Suite struct ReturnsOfClusterTests {
    private let room = RoomID("r")

    private func claim(
        _ pid: SessionID, of person: String = "ann", node: Int = 2, number: UInt64 = 1
    ) -> RecoveryClaim {
        RecoveryClaim(pid: pid, person: person, opened: .now, offset: nil, node: node, shard: 0, number: number)
    }

    /// The newest claim that a node has sent to another one.
    private func claim(by node: TestNode, to other: Int) throws -> RecoveryClaim {
        let claims = node.link.take(to: other).compactMap { message -> RecoveryClaim? in
            if case .returns(.claim(let claim)) = message { claim } else { nil }
        }
        return try #require(claims.last)
    }

    /// This node has stood in for the node of the `pid`. Of the client's next connection only that node hears.
    @Test func aClaimGoesToTheNodeOfItsPidIfThatLives() {
        let pid = SessionID(node: 1, shard: 0)
        let node = TestNode(2, others: [1])
        node.take(.returns(.claim(claim(pid))))
        let claims = node.link.take(to: 1).filter { if case .returns(.claim) = $0 { true } else { false } }
        #expect(claims.count == 1 && node.homes.asked.isEmpty && node.relay.returns.claimCount == 0)
        node.take(.peer(.lost(1)))
        node.take(.returns(.claim(claim(pid))))
        #expect(node.homes.asked == [pid.description])
    }

    @Test func aClientWhoseClaimWasPassedOnIsLetInWhenThatNodeIsLost() {
        let pid = SessionID(node: 1, shard: 0)
        let node = TestNode(2, others: [])
        node.homes.holds = true
        let (first, second) = (TestPeer("ann", on: 2), TestPeer("ann", on: 2))
        node.connect(first, showing: pid)
        node.connect(second, showing: pid)
        node.take(.peer(.established(1, life: 1)))
        node.release()
        #expect(first.isAdmitted && !second.isAdmitted && node.homes.asked.count == 1)
        node.take(.peer(.lost(1)))
        #expect(second.isAdmitted && node.homes.asked.count == 2)
    }

    /// What can happen to this node, number 2, before a client that it has lost comes back.
    enum Event: CaseIterable {
        case nothing, pipeIsLost, pipeBegins, nodeIsNotReachedYet, nodeOfPidIsLost
    }

    /// The client may have been at another node meanwhile, without a word of it coming here.
    @Test(arguments: Event.allCases)
    func theStoreSaysWhereALostClientIsThatMayHaveBeenElsewhere(event: Event) {
        let node = TestNode(2, others: event == .pipeBegins ? [] : [1])
        let pid = SessionID(node: event == .nodeOfPidIsLost ? 3 : 2, shard: 0)
        let remains = LostClient(
            sid: nil, pid: pid, person: "ann", opened: .now, rooms: [.afresh(room)], endings: [], trail: Trail())
        if event == .nodeIsNotReachedYet { node.link.others = [1, 4] }
        node.take(.returns(.ended(pid, ConnectionID(node: 2, shard: 0, number: 1), remains)))
        if event == .pipeIsLost { node.take(.peer(.lost(1))) }
        if event == .pipeBegins { node.take(.peer(.established(1, life: 1))) }
        node.take(.returns(.claim(claim(pid))))
        #expect(node.homes.asked == (event == .nothing ? [] : [pid.description]))
    }

    @Test func aNodeThatWasTakenForDeadTakesNoSeatFromAnotherNode() {
        let node = TestNode(2, others: [])
        let client = TestPeer("ann", on: 2)
        node.connect(client)
        node.send("room:join", #"{"roomId":"r"}"#, from: client)
        #expect(node.homes.sat.map(\.claim) == [.under(boot: 1, lapses: 0)])
        node.take(.peer(.lapsed(1)))
        #expect(node.homes.sat.map(\.claim).dropFirst() == [.weak])
        // What it sends shows that it is here.
        node.send("touch:move", #"{"roomId":"r","x":1,"y":2}"#, from: client)
        node.take(.edge(.storeIsGood))
        #expect(node.homes.sat.map(\.claim).dropFirst() == [.weak, .under(boot: 1, lapses: 1)])
    }

    /// The connection is at another node, which does not answer.
    @Test func aClaimThatIsOverBecauseALaterOneIsLookedIntoIsAnswered() {
        let pid = SessionID(node: 2, shard: 0)
        let node = TestNode(2, others: [1])
        let connection = ConnectionID(node: 1, shard: 0, number: 1)
        let remains = LostClient(
            sid: nil, pid: pid, person: "ann", opened: .now, rooms: [.afresh(room)], endings: [], trail: Trail())
        let (first, second) = (TestPeer("ann", on: 2), TestPeer("ann", on: 2))
        node.take(.returns(.connected(pid, connection)))
        node.connect(first, showing: pid)
        node.take(.returns(.ended(pid, connection, remains)))
        node.pass(milliseconds: 11_000)
        #expect(!first.isAdmitted)
        node.connect(second, showing: pid)
        #expect(second.identity.pid == pid && first.isAdmitted && first.identity.pid != pid)
    }

    /// The node of the `pid` knows the client's connection, and is lost. It could have said that the client is in the room again.
    @Test(arguments: [false, true])
    func aSeatThatCouldNotBeRemovedStaysWhenTheClientIsInTheRoomAgain(comesBack: Bool) throws {
        let pid = SessionID(node: 1, shard: 0)
        let node = TestNode(2, others: [1])
        let client = TestPeer("ann", on: 2)
        node.connect(client, showing: pid)
        let remains = LostClient(
            sid: nil, pid: pid, person: "ann", opened: .now, rooms: [], endings: [], trail: Trail())
        node.take(.edge(.claimAnswered(try claim(by: node, to: 1).number, remains)))
        node.begin(client)
        node.send("room:join", #"{"roomId":"r"}"#, from: client)
        node.homes.failsToRemove = true
        node.send("room:leave", #"{"roomId":"r"}"#, from: client)
        if comesBack { node.send("room:join", #"{"roomId":"r"}"#, from: client) }
        node.homes.failsToRemove = false
        node.take(.peer(.lost(1)))
        node.pass(milliseconds: 2_000)
        #expect(node.homes.removed == (comesBack ? [] : ["r"]))
    }

    /// The node of the `pid` has given the client up while it did not reach the database, and others have taken it for dead.
    @Test func aClientThatHasComeBackKeepsItsSeatsWhenTheNodeOfItsPidLivesAgain() throws {
        let pid = SessionID(node: 1, shard: 0)
        let node = TestNode(2, others: [])
        node.homes.seats = [Seat(pid: pid.description, person: "ann", room: "r", incarnation: 1)]
        let client = TestPeer("ann", on: 2)
        node.connect(client, showing: pid)
        let connection = try #require(node.relay.edge.clients.values.first?.id)
        node.take(.edge(.standAgain(connection, SeatRemoval(pid: pid, room: nil))))
        #expect(node.homes.sat.map(\.room) == ["r"] && node.homes.removed.isEmpty)
    }

    @Test func aNodeForgetsTheConnectionsOfPidsWhoseNodeLivesAgain() {
        let pid = SessionID(node: 1, shard: 0)
        let node = TestNode(2, others: [])
        node.homes.seats = [Seat(pid: pid.description, person: "ann", room: "r", incarnation: 1)]
        let client = TestPeer("ann", on: 2)
        node.connect(client, showing: pid)
        #expect(client.identity.pid == pid && node.relay.returns.connectionCount == 1)
        node.take(.peer(.established(1, life: 1)))
        #expect(node.relay.returns.connectionCount == 0)
    }

    /// The client shows its `pid` at a node that this one does not reach, or at one that would not hear that the answer was lost.
    @Test(arguments: ["ann", "bo"], [[1], [1, 3]])
    func theNodeOfThePidAnswersAClaimAtAThirdNode(person: String, others: [Int]) throws {
        let pid = SessionID(node: 1, shard: 0)
        let node = TestNode(2, others: others)
        let client = TestPeer("ann", on: 2)
        node.connect(client, showing: pid)
        node.take(
            .edge(
                .claimAnswered(
                    try claim(by: node, to: 1).number,
                    LostClient(
                        sid: nil, pid: pid, person: "ann", opened: .now, rooms: [], endings: [], trail: Trail()))))
        node.begin(client)
        let connections = node.link.take(to: 1).compactMap { message -> ConnectionID? in
            if case .returns(.connected(_, let connection)) = message { connection } else { nil }
        }
        for connection in connections {
            node.take(.edge(.takeOver(connection, claim(pid, of: person, node: 3, number: 7))))
        }
        var said: [String] = []
        for message in node.link.take(to: 1) {
            switch message {
            case .returns(.ended(_, _, let remains)): said.append(remains == nil ? "ended" : "ended, to come back")
            case .returns(.claimAgain(let again)): said.append("claim \(again.number)")
            default: break
            }
        }
        #expect(said == (person == "ann" ? ["ended, to come back", "claim 7"] : ["claim 7"]))
        #expect(node.link.take(to: 3).isEmpty)
    }

    /// The node of the `pid` was started anew: it knows of the connection what the other node tells it.
    @Test func aNodeThatLivesAnewLetsAClientComeBackWhoseOtherNodeIsLost() {
        let pid = SessionID(node: 2, shard: 0)
        let (node, other) = (TestNode(2, others: []), TestNode(3, others: []))
        other.homes.seats = [Seat(pid: pid.description, person: "ann", room: "r", incarnation: 1)]
        let (first, second) = (TestPeer("ann", on: 3), TestPeer("ann", on: 2))
        other.connect(first, showing: pid)
        #expect(first.identity.pid == pid)
        other.take(.peer(.established(2, life: 1)))
        node.take(.peer(.established(3, life: 1)))
        other.talk(to: node)
        // It was killed, and its lease is not over: the store would say that the client is there.
        node.connect(second, showing: pid)
        #expect(!second.isAdmitted && node.homes.asked.isEmpty)
        node.homes.seats = other.homes.seats
        node.take(.peer(.lost(3)))
        #expect(second.isAdmitted && second.identity.pid == pid)
    }

    /// The store has been asked before the other node could tell where the client is.
    @Test(arguments: [false, true])
    func aConnectionThatIsToldWhileTheStoreIsAskedIsTakenOver(knowsNoClient: Bool) {
        let pid = SessionID(node: 2, shard: 0)
        let node = TestNode(2, others: [3])
        let connection = ConnectionID(node: 3, shard: 0, number: 1)
        node.homes.holds = true
        let client = TestPeer("ann", on: 2)
        node.connect(client, showing: pid)
        node.take(.returns(.connected(pid, connection)))
        node.release()
        let claims = node.link.take(to: 3).compactMap { message -> RecoveryClaim? in
            if case .far(_, .takeOver(connection, let claim)) = message { claim } else { nil }
        }
        #expect(claims.count == 1 && !client.isAdmitted)
        for claim in claims {
            if knowsNoClient {
                node.take(.returns(.claimAgain(claim)))
            } else {
                node.take(
                    .edge(
                        .claimAnswered(
                            claim.number,
                            LostClient(
                                sid: nil, pid: pid, person: "ann", opened: .now, rooms: [], endings: [],
                                trail: Trail()))))
            }
        }
        #expect(client.isAdmitted && (client.identity.pid == pid) == !knowsNoClient)
    }

    /// The client was at node 1, which was killed. Node 3 took this node for lost, and let the client in.
    @Test func aClaimThatAGoneNodeWasAskedForIsAnsweredWhenAnotherNodeTellsWhereTheClientIs() {
        let pid = SessionID(node: 2, shard: 0)
        let node = TestNode(2, others: [1, 3])
        let connection = ConnectionID(node: 3, shard: 0, number: 1)
        let client = TestPeer("ann", on: 2)
        node.take(.returns(.connected(pid, ConnectionID(node: 1, shard: 0, number: 1))))
        node.connect(client, showing: pid)
        node.take(.returns(.connected(pid, connection)))
        let asked = node.link.take(to: 3).compactMap { message -> RecoveryClaim? in
            if case .far(_, .takeOver(connection, let claim)) = message { claim } else { nil }
        }
        #expect(asked.count == 1 && !client.isAdmitted)
        for claim in asked { node.take(.edge(.claimAnswered(claim.number, nil)), .returns(.settled(pid))) }
        #expect(client.isAdmitted && node.relay.returns.claimCount == 0)
    }

    /// A node that was frozen tells of connections that it has lost without knowing it.
    @Test func aConnectionThatIsToldAgainDoesNotReplaceALaterOne() {
        let pid = SessionID(node: 2, shard: 0)
        let node = TestNode(2, others: [1, 3])
        let (early, late) = (ConnectionID(node: 3, shard: 0, number: 1), ConnectionID(node: 1, shard: 0, number: 1))
        node.take(.returns(.connected(pid, late)), .returns(.connected(pid, early)))
        node.take(.returns(.claim(claim(pid))))
        #expect(node.link.take(to: 3).isEmpty && node.link.take(to: 1).count == 1)
    }

    @Test func aNodeForgetsTheConnectionsThatWereAtALostNode() {
        let node = TestNode(2, others: [3])
        node.take(
            .returns(.connected(SessionID(node: 2, shard: 0), ConnectionID(node: 3, shard: 0, number: 1))))
        node.take(.peer(.lost(3)))
        #expect(node.relay.returns.connectionCount == 0)
    }

    /// A claim that was on its way comes after the end of the node at which it was made.
    @Test func aClaimOfALostNodeIsNotLookedInto() {
        let pid = SessionID(node: 2, shard: 0)
        let node = TestNode(2, others: [3])
        node.take(.peer(.lost(3)))
        node.take(.returns(.claimAgain(claim(pid, node: 3, number: 7))))
        #expect(node.relay.returns.claimCount == 0 && node.homes.asked.isEmpty)
    }

    /// It would give one client what belongs to another.
    @Test func anAnswerToAClaimOfAnEarlierLifeIsTakenByNoClient() throws {
        let (earlier, later) = (TestNode(2, others: [1]), TestNode(2, others: [1]))
        let (ann, bo) = (TestPeer("ann", on: 2), TestPeer("bo", on: 2))
        earlier.connect(ann, showing: SessionID(node: 1, shard: 0))
        later.connect(bo, showing: SessionID(node: 1, shard: 0))
        let claim = try claim(by: earlier, to: 1)
        let remains = LostClient(
            sid: nil, pid: claim.pid, person: "ann", opened: .now, rooms: [.afresh(room)], endings: [], trail: Trail())
        later.take(.edge(.claimAnswered(claim.number, remains)))
        #expect(!bo.isAdmitted)
        let back = later.link.take(to: 1).contains { if case .returns(.givenBack) = $0 { true } else { false } }
        #expect(back)
    }
}
