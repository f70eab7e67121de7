import Testing
import Wire

@testable import Sessions

/// How sessions end, from either side and in each state; that a goodbye is heard, and that nothing stays behind.
@Suite struct CloseTests {
    // MARK: By the server

    @Test func aWaitingPollIsToldOfTheEnd() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.beginPoll()
        try client.post("4last words", "4!close")
        #expect(try client.endPoll() == ["4last words"])
        // By itself: together the stock browser client would take the end before the words.
        #expect(try client.poll() == ["1"])
        #expect(server.log.has("closed forced server close"))
        #expect(server.leavesNoTrace)
    }

    @Test func theNextPollIsToldWhenNoneWaited() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        #expect(try client.post("4last words", "4!close", "4unheard").text == "ok")
        #expect(server.log.has("closed forced server close"))
        // The server ignores what the client sends now, and does not treat it as a fault.
        #expect(try client.post("4unheard").text == "ok")
        #expect(try client.poll() == ["4last words"])
        #expect(try client.poll() == ["1"])
        #expect(try client.polls.request("GET", client.target).status == 400)
        #expect(server.log.all == ["opened", "closed forced server close"])
        #expect(server.leavesNoTrace)
    }

    /// Only a first response full used to come, and neither the rest nor the end.
    @Test func allThatWaitsIsSentBeforeTheEndInAsManyPollsAsItTakes() throws {
        let server = try TestServer { $0.pollBytesMax = 1_000 }
        for isPolling in [true, false] {
            let client = try PollingClient(server)
            if isPolling { try client.beginPoll() }
            try client.post("4!send 5 400", "4!close")
            var packets = isPolling ? try client.endPoll() : []
            while packets.last != "1" { packets += try client.poll() }
            #expect(packets.map(\.count) == [401, 401, 401, 401, 401, 1])
        }
        #expect(server.leavesNoTrace)
    }

    @Test func aClientThatDoesNotComeForTheEndIsForgotten() throws {
        let server = try TestServer { $0.farewellMilliseconds = 30 }
        let client = try PollingClient(server)
        try client.post("4!close")
        #expect(server.leavesNoTrace)
        #expect(try client.polls.request("GET", client.target).status == 400)
    }

    @Test func aWebSocketGetsWhatWaitsAndAGoodbye() throws {
        let server = try TestServer()
        let (socket, _) = try server.webSocket()
        try socket.send(together: ["4a", "4b", "4!close", "4unheard"])
        let end = try socket.readToClose()
        #expect(end.texts == ["4a", "4b"])
        #expect(end.code == 1000)
        #expect(server.log.has("closed forced server close"))
        #expect(server.leavesNoTrace)
    }

    /// What did not go out at once used to be lost, and with it the reason for the end.
    @Test func aWebSocketThatReadsSlowlyGetsAllThatWaitsBeforeTheGoodbye() throws {
        let server = try TestServer { $0.farewellMilliseconds = 60_000 }
        let (socket, sid) = try server.webSocket(on: server.connect(receiveBufferBytes: 4_096))
        try socket.send(together: ["4!send 30 100000", "4!close"])
        #expect(server.log.has("closed forced server close"))
        #expect(try server.onSession(sid) { !$0.outbox.isEmpty })
        let end = try socket.readToClose()
        #expect(end.texts.count == 30 && end.texts.allSatisfy { $0.utf8.count == 100_001 })
        #expect(end.code == 1000)
        #expect(server.leavesNoTrace)
    }

    @Test func aWebSocketThatReadsNothingIsForgotten() throws {
        let server = try TestServer { $0.farewellMilliseconds = 30 }
        let (socket, _) = try server.webSocket(on: server.connect(receiveBufferBytes: 4_096))
        try socket.send(together: ["4!send 30 100000", "4!close"])
        #expect(server.leavesNoTrace)
        #expect(server.log.all == ["opened", "closed forced server close"])
    }

    @Test func aWebSocketThatGoesWhileItIsSentAwayIsForgotten() throws {
        let server = try TestServer()
        let (socket, sid) = try server.webSocket(on: server.connect(receiveBufferBytes: 4_096))
        try socket.send(together: ["4!send 30 100000", "4!close"])
        #expect(eventually { (try? server.onSession(sid) { $0.state == .farewell }) == true })
        socket.connection.reset()
        #expect(server.leavesNoTrace)
    }

    @Test func closingASessionTwiceIsClosingItOnce() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try server.onSession(client.sid) { session in
            session.close()
            session.close(.pingTimeout)
            #expect(!session.send([1]))
            #expect(!session.isOpen && !session.isWritable)
        }
        #expect(try client.poll() == ["1"])
        #expect(server.log.all == ["opened", "closed forced server close"])
    }

    // MARK: By the client

    @Test func aClosePacketEndsThePollWithNothingToDo() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.beginPoll()
        #expect(try client.post("1").text == "ok")
        #expect(try client.endPoll() == ["6"])
        #expect(server.log.has("closed transport close"))
        #expect(server.leavesNoTrace)
        #expect(try client.polls.request("GET", client.target).text == #"{"code":1,"message":"Session ID unknown"}"#)
    }

    @Test func aClosePacketWithoutAPollEndsTheSession() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        #expect(try client.post("4a", "1", "4b").text == "ok")
        #expect(server.log.all == ["opened", "closed transport close"])
        #expect(server.leavesNoTrace)
    }

    /// A client that polls over one connection and closes over another cannot know which comes first.
    @Test(arguments: [EngineVersion.v4, .v3], [1, 3])
    func aPollThatTheCloseHasOvertakenHasNothingToDo(_ version: EngineVersion, _ shards: Int) throws {
        let server = try TestServer(shards: shards)
        let client = try PollingClient(server, version: version)
        #expect(try client.post("4a", "1").text == "ok")
        #expect(server.log.has("closed transport close"))
        #expect(server.leavesNoTrace)
        // A request that is no poll is no such poll.
        #expect(try client.post("4b").status == 400)
        let webSocket = server.target("websocket", version: version, sid: client.sid)
        #expect(try client.polls.request("GET", webSocket).status == 400)
        #expect(try client.poll() == ["6"])
        #expect(try client.polls.request("GET", client.target).text == #"{"code":1,"message":"Session ID unknown"}"#)
    }

    @Test func aPollThatComesLongAfterTheCloseIsRefused() throws {
        let server = try TestServer { $0.farewellMilliseconds = 0 }
        let client = try PollingClient(server)
        try client.post("1")
        #expect(try client.polls.request("GET", client.target).status == 400)
    }

    @Test func aPollAfterAnEndThatTheClientHasNotAskedForIsRefused() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        #expect(try client.post("5").status == 200)
        #expect(server.log.has("closed transport error"))
        #expect(try client.polls.request("GET", client.target).status == 400)
        let upgraded = try PollingClient(server)
        let socket = try upgraded.upgrade()
        try socket.send("1")
        #expect(try socket.next() == .close(1000))
        #expect(try upgraded.polls.request("GET", upgraded.target).status == 400)
    }

    @Test func onlySoManyOvertakenPollsAreExpected() {
        var polls = OvertakenPolls()
        let sessions = (0...OvertakenPolls.countMax).map { _ in SessionID(node: 0, shard: 0) }
        for session in sessions { polls.expect(session, .v4, now: 0, milliseconds: 10) }
        #expect(polls.take(sessions[0], now: 0) == nil)
        #expect(polls.take(sessions[1], now: 9) == .v4)
        #expect(polls.take(sessions[1], now: 9) == nil)
        #expect(polls.take(sessions[2], now: 10) == nil)
        #expect(polls.take(sessions[OvertakenPolls.countMax], now: 9) == .v4)
    }

    @Test(arguments: ["packet", "frame", "end", "reset"])
    func aWebSocketThatGoesEndsTheSession(_ way: String) throws {
        let server = try TestServer()
        let (socket, _) = try server.webSocket()
        switch way {
        case "packet":
            try socket.send("1")
            #expect(try socket.next() == .close(1000))
        case "frame":
            try socket.sendClose(1001)
            #expect(try socket.next() == .close(1001))
        case "end": socket.connection.close()
        default: socket.connection.reset()
        }
        #expect(server.log.has(way == "reset" ? "closed transport error" : "closed transport close"))
        #expect(server.leavesNoTrace)
    }

    @Test func aMessageOverTheLimitIsRefusedWithItsCode() throws {
        let server = try TestServer { $0.maxPayloadBytes = 1_000 }
        let (socket, _) = try server.webSocket()
        try socket.send("4" + String(repeating: "x", count: 999))
        #expect(try socket.nextText().utf8.count == 1_000)
        try socket.send("4" + String(repeating: "x", count: 1_000))
        #expect(try socket.next() == .close(1009))
        #expect(server.log.has("closed transport error"))
        #expect(server.leavesNoTrace)
    }

    @Test(arguments: ["", "9", "x", "b!!"])
    func whatIsNoPacketEndsTheSession(_ text: String) throws {
        let server = try TestServer()
        let (socket, _) = try server.webSocket()
        try socket.send(text)
        #expect(try socket.next() == .close(1002))
        #expect(server.log.has("closed parse error"))
        #expect(server.leavesNoTrace)
    }

    @Test(arguments: ["0", "5"])
    func packetsThatBelongElsewhereEndTheSession(_ text: String) throws {
        let server = try TestServer()
        let (socket, _) = try server.webSocket()
        try socket.send(text)
        #expect(try socket.next() == .close(1002))
        #expect(server.log.has("closed transport error"))
    }

    @Test func noopIsNothing() throws {
        let server = try TestServer()
        let (socket, _) = try server.webSocket()
        try socket.send(together: ["6", "4a"])
        #expect(try socket.nextText() == "4a")
    }
}
