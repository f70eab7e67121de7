import Testing
import Wire

@testable import Sessions

@Suite struct PollingTests {
    @Test(arguments: [EngineVersion.v4, .v3])
    func messagesGoBothWaysInOrder(_ version: EngineVersion) throws {
        let server = try TestServer()
        let client = try PollingClient(server, version: version)
        let answer = try client.post("4one", "4zwei ü€😀", "bAQID", "4", "4last")
        #expect(answer.status == 200 && answer.text == "ok")
        #expect(answer["Content-Type"] == "text/html")
        #expect(try client.poll() == ["4one", "4zwei ü€😀", "bAQID", "4", "4last"])
    }

    @Test func aPollWaitsForWhatIsToCome() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.beginPoll()
        #expect(!client.polls.isReadable(within: 30))
        try client.post("4now", "4and more of the same turn")
        #expect(try client.endPoll() == ["4now", "4and more of the same turn"])
    }

    @Test func moreThanOneResponseHoldsComesInSeveral() throws {
        let server = try TestServer { $0.pollBytesMax = 1_000 }
        let client = try PollingClient(server)
        try client.post("4!send 5 400")
        let message = "4" + String(repeating: "x", count: 400)
        #expect(try client.poll() == [message, message])
        #expect(try client.poll() == [message, message])
        #expect(try client.poll() == [message])
        // A packet that is larger than a response comes alone.
        try client.post("4!send 2 3000")
        #expect(try client.poll().map(\.count) == [3_001])
        #expect(try client.poll().map(\.count) == [3_001])
    }

    @Test func aBodyOverTheLimitIsRefused() throws {
        let server = try TestServer { $0.maxPayloadBytes = 1_000 }
        let client = try PollingClient(server)
        #expect(try client.post("4" + String(repeating: "x", count: 999)).status == 200)
        #expect(try client.poll().map(\.count) == [1_000])
        #expect(try client.post("4" + String(repeating: "x", count: 1_000)).status == 413)
        let chunked = try PollingClient(server)
        try chunked.posts.write("POST \(chunked.target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        try chunked.posts.write("3e9\r\n4" + String(repeating: "x", count: 1_000) + "\r\n0\r\n\r\n")
        #expect(try chunked.posts.readResponse().status == 413)
    }

    @Test(arguments: ["", "abc", "4a\u{1e}", "\u{1e}4a", "9x", "b!", "4\u{1e}x"])
    func aBodyThatIsNoPayloadEndsTheSession(_ body: String) throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.beginPoll()
        try client.beginPost(Array(body.utf8))
        let response = try client.posts.readResponse()
        #expect(response.status == 400)
        #expect(response.text == #"{"code":3,"message":"Bad request"}"#)
        #expect(try client.endPoll() == ["1"])
        #expect(try client.polls.request("GET", client.target).text == #"{"code":1,"message":"Session ID unknown"}"#)
        #expect(server.log.has("closed parse error"))
        #expect(server.leavesNoTrace)
    }

    @Test func nothingOfABadPayloadIsDelivered() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.beginPoll()
        try client.beginPost(Array("4good\u{1e}bad".utf8))
        #expect(try client.posts.readResponse().status == 400)
        #expect(try client.endPoll() == ["1"])
    }

    @Test func invalidUTF8IsNoPayload() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.beginPost([0x34, 0xff])
        #expect(try client.posts.readResponse().status == 400)
        #expect(server.log.has("closed parse error"))
    }

    @Test func binaryBodiesAreNotForVersion4() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let response = try client.posts.request(
            "POST", client.target, [("Content-Type", "application/octet-stream")], body: [0x34])
        #expect(response.status == 400)
        #expect(server.log.has("closed transport error"))
        #expect(server.leavesNoTrace)
    }

    /// A request without content and without a length used to hang, and the next one with it.
    @Test func aPostWithoutContentIsAnswered() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        #expect(try client.posts.request("POST", client.target).status == 400)
        #expect(server.log.has("closed parse error"))
    }

    @Test(arguments: [1, 3])
    func aSecondPollIsRefusedAndTheFirstIsToldThatItIsOver(_ shards: Int) throws {
        let server = try TestServer(shards: shards)
        let client = try PollingClient(server)
        try client.beginPoll()
        #expect(!client.polls.isReadable(within: 30))
        let second = try server.connect().request("GET", client.target)
        #expect(second.status == 400)
        #expect(try client.endPoll() == ["1"])
        #expect(try client.posts.request("POST", client.target, body: [0x34]).status == 400)
        #expect(server.log.has("closed transport error"))
        #expect(server.leavesNoTrace)
    }

    /// The first, whose session goes away under it, used to get no answer at all.
    @Test(arguments: [1, 3])
    func aSecondPostIsRefusedAndTheFirstIsAnsweredAllTheSame(_ shards: Int) throws {
        let server = try TestServer(shards: shards)
        let client = try PollingClient(server)
        try client.beginPoll()
        try client.posts.write("POST \(client.target) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n4a")
        #expect(client.isPosting)
        let second = try server.connect().request("POST", client.target, body: Array("4b".utf8))
        #expect(second.status == 400)
        #expect(try client.endPoll() == ["1"])
        try client.posts.write("c")
        #expect(try client.posts.readResponse().status == 400)
        #expect(server.log.all == ["opened", "closed transport error"])
        #expect(server.leavesNoTrace)
    }

    @Test func aPollBesideAPostIsNoSecondRequest() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.posts.write("POST \(client.target) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n4")
        try client.beginPoll()
        #expect(!client.polls.isReadable(within: 20))
        try client.posts.write("a")
        #expect(try client.endPoll() == ["4a"])
        #expect(try client.posts.readResponse().text == "ok")
    }

    @Test func aPollThatIsGivenUpEndsTheSession() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.beginPoll()
        #expect(!client.polls.isReadable(within: 20))
        client.polls.close()
        #expect(server.log.has("closed transport close"))
        #expect(server.leavesNoTrace)
    }

    @Test func aPostThatIsGivenUpEndsTheSession() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.posts.write("POST \(client.target) HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n4")
        #expect(!client.posts.isReadable(within: 20))
        client.posts.close()
        #expect(server.log.has("closed transport error"))
        #expect(server.leavesNoTrace)
    }

    @Test func connectionsWithoutARequestMayComeAndGo() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        client.polls.close()
        client.posts.close()
        let connection = try server.connect()
        #expect(try connection.request("POST", client.target, body: Array("4a".utf8)).text == "ok")
        #expect(try connection.request("GET", client.target).text == "4a")
    }
}
