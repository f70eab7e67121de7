import TestSupport
import Testing
import Threads
import Transport
import Wire

@testable import Sessions

/// Other nodes of which the test knows what they were sent, and for which it answers.
private final class OtherNodes: FarNodes {
    private let messages = Locked<[FarPollMessage]>([])
    private let unreached: Int

    init(unreached: Int = 63) {
        self.unreached = unreached
    }

    var sent: [FarPollMessage] { messages.withLock { $0 } }

    func isReached(_ node: Int) -> Bool { node != unreached }

    func send(_ message: FarPollMessage, to node: Int) -> Bool {
        messages.withLock { $0.append(message) }
        return true
    }

    /// The requests, once there are so many.
    func requests(_ count: Int) throws -> [FarPollRequest] {
        func requests() -> [FarPollRequest] {
            sent.compactMap { if case .request(let request) = $0 { request } else { nil } }
        }
        guard eventually({ requests().count >= count }) else { throw TestFailure(description: "no \(count) requests") }
        return requests()
    }
}

/// Polling requests for sessions of other nodes.
@Suite struct FarPollTests {
    private let nodes = OtherNodes()
    private let server: TestServer
    private let session = SessionID(node: 5, shard: 0).description

    init() throws {
        server = try TestServer(nodes: nodes) {
            $0.node = 1
            $0.maxPayloadBytes = 3 << 20
        }
    }

    private func deliver(_ message: FarPollMessage, from node: Int = 5) {
        server.transport.mailboxes[0].post(FarPollItem.message(message, from: node))
    }

    @Test func theAnswerOfTheSessionsNodeIsPassedBackAndThatOfAnotherIsNot() throws {
        let connection = try server.connect()
        try connection.writeRequest("POST", server.target("polling", sid: session), body: Array("4hello".utf8))
        let request = try #require(try nodes.requests(1).first)
        #expect(request.isPost && request.body == Array("4hello".utf8) && request.session.description == session)
        #expect(request.version == "4")
        let answer = FarPollAnswer(status: 200, headers: [.init("Content-Type", "text/html")], body: Array("ok".utf8))
        deliver(.answer(request.number, FarPollAnswer(status: 200, headers: [], body: Array("wrong".utf8))), from: 6)
        deliver(.answer(request.number &+ 256, answer))
        #expect(!connection.isReadable(within: 50))
        deliver(.answer(request.number, answer))
        let response = try connection.readResponse()
        #expect(response.status == 200 && response.text == "ok" && response["Content-Type"] == "text/html")
        // A second answer has nobody to go to.
        deliver(.answer(request.number, answer))
        #expect(try connection.request("GET", "/shard").text == "0")
    }

    @Test func numbersAreNotThoseOfAnEarlierLife() throws {
        let other = OtherNodes()
        let again = try TestServer(nodes: other) { $0.node = 1 }
        for each in [server, again] {
            try each.connect().writeRequest("GET", each.target("polling", sid: session))
        }
        let (first, second) = (try nodes.requests(1)[0].number, try other.requests(1)[0].number)
        #expect(first != second && first & 0xff == 0)
    }

    @Test func aNodeThatNeverAnswersIsGivenUp() throws {
        let server = try TestServer(nodes: nodes) {
            $0.node = 1
            $0.pingIntervalMilliseconds = 300
            $0.pingTimeoutMilliseconds = 300
        }
        let response = try server.connect().request("GET", server.target("polling", sid: session))
        #expect(response.status == 400 && response.text.contains("Session ID unknown"))
        let request = try nodes.requests(1)[0]
        #expect(eventually { nodes.sent.last == .gone(request.number, shard: 0) })
    }

    @Test func aNodeThatIsLostOrNotReachedIsNotWaitedFor() throws {
        let connection = try server.connect()
        try connection.writeRequest("GET", server.target("polling", sid: session))
        _ = try nodes.requests(1)
        server.transport.mailboxes[0].post(FarPollItem.lost(5))
        #expect(try connection.readResponse().status == 400)
        let unreached = SessionID(node: 63, shard: 0).description
        let response = try connection.request(
            "POST", server.target("polling", sid: unreached), body: [UInt8](repeating: 52, count: 2_000))
        #expect(response.status == 400)
        #expect(try nodes.requests(1).count == 1)
    }

    @Test func theNodeOfTheSessionIsToldThatTheClientHasGone() throws {
        let connection = try server.connect()
        try connection.writeRequest("GET", server.target("polling", sid: session))
        let number = try nodes.requests(1)[0].number
        connection.close()
        #expect(eventually { nodes.sent.last == .gone(number, shard: 0) })
    }

    @Test func bodiesThatOtherNodesHaveNotAnsweredAreBounded() throws {
        let body = [UInt8](repeating: 52, count: 3 << 20)
        let first = try server.connect()
        try first.writeRequest("POST", server.target("polling", sid: session), body: body)
        let number = try nodes.requests(1)[0].number
        let second = try server.connect()
        #expect(try second.request("POST", server.target("polling", sid: session), body: body).status == 503)
        // A client that goes does not make room: its body is on the way.
        first.close()
        #expect(eventually { nodes.sent.last == .gone(number, shard: 0) })
        #expect(try second.request("POST", server.target("polling", sid: session), body: body).status == 503)
        deliver(.answer(number, FarPollAnswer(status: 400, headers: [], body: [])))
        try second.writeRequest("POST", server.target("polling", sid: session), body: body)
        #expect(try nodes.requests(2).count == 2)
    }

    // MARK: At the node of the session

    private func request(_ number: UInt64, _ session: SessionID, isPost: Bool = false, _ body: String = "") {
        deliver(
            .request(
                FarPollRequest(
                    number: number, session: session, isPost: isPost, version: "4",
                    contentType: "text/plain;charset=UTF-8", body: Array(body.utf8))))
    }

    private func answer(_ number: UInt64) throws -> FarPollAnswer {
        func answer() -> FarPollAnswer? {
            nodes.sent.lazy.compactMap { if case .answer(number, let answer) = $0 { answer } else { nil } }.first
        }
        _ = eventually { answer() != nil }
        return try #require(answer())
    }

    @Test func aSessionOfThisNodeAnswersTheRequestsOfOthers() throws {
        let client = try PollingClient(server)
        let session = try #require(SessionID(client.sid))
        request(1, session, isPost: true, "4hello")
        #expect(try answer(1).body == Array("ok".utf8))
        request(2, session)
        #expect(try answer(2).status == 200 && answer(2).body == Array("4hello".utf8))
    }

    @Test func aRequestForASessionThatIsNotThereIsAnsweredWhateverItsShard() throws {
        for (number, shard) in [(UInt64(1), 0), (2, 200)] {
            request(number, SessionID(node: 1, shard: shard))
            #expect(try answer(number).status == 400)
        }
        request(3, SessionID(node: 9, shard: 0))
        #expect(try answer(3).status == 400)
    }

    @Test func aPollWhoseClientHasGoneEndsItsSessionAndIsAnswered() throws {
        let client = try PollingClient(server)
        let session = try #require(SessionID(client.sid))
        request(1, session)
        deliver(.gone(1, shard: 0))
        #expect(try answer(1).status == 400)
        #expect(try client.polls.request("GET", client.target).status == 400)
    }

    @Test func aPollThatTheCloseHasOvertakenIsAnsweredThroughAnotherNodeToo() throws {
        let client = try PollingClient(server)
        let session = try #require(SessionID(client.sid))
        request(1, session, isPost: true, "1")
        request(2, session, isPost: true, "4late")
        request(3, session)
        request(4, session)
        #expect(try answer(1).body == Array("ok".utf8))
        #expect(try answer(2).status == 400)
        #expect(try answer(3).body == Array("6".utf8))
        #expect(try answer(4).status == 400)
    }

    @Test func aPollThatWaitsAtAnotherNodeGetsTheReasonOfADrain() throws {
        let client = try PollingClient(server)
        let session = try #require(SessionID(client.sid))
        request(1, session)
        try server.onShard { $0.service.drain(over: 0) }
        #expect(try answer(1).status == 200 && answer(1).body == Array("6".utf8))
        // Its client comes back, and finds no session.
        request(2, session)
        #expect(try answer(2).status == 400)
    }

    @Test func aPostThatComesThroughAnotherNodeAndAfterTheUpgradeIsTaken() throws {
        let client = try PollingClient(server)
        let session = try #require(SessionID(client.sid))
        request(1, session)
        let socket = try client.openWebSocket()
        try socket.send("2probe")
        #expect(try socket.nextText() == "3probe")
        // So that the client may upgrade.
        #expect(try answer(1).body == Array("6".utf8))
        try socket.send("5")
        #expect(eventually { (try? server.onShard { $0.service.totals.upgraded }) == 1 })
        request(2, session, isPost: true, "4late")
        #expect(try answer(2).status == 200)
        #expect(try socket.nextText() == "4late")
        try socket.send("4new")
        #expect(try socket.nextText() == "4new")
        // A message of the WebSocket was taken: an older one comes too late.
        request(3, session, isPost: true, "4older")
        #expect(try answer(3).status == 400)
    }
}
