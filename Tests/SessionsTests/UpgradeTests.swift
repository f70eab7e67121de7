import Testing
import Wire

@testable import Sessions

@Suite struct UpgradeTests {
    @Test(arguments: [EngineVersion.v4, .v3], [1, 3])
    func theProbeReleasesThePollAndTheUpgradeTakesOver(_ version: EngineVersion, _ shards: Int) throws {
        let server = try TestServer(shards: shards)
        let client = try PollingClient(server, version: version)
        try client.beginPoll()
        let socket = try client.openWebSocket()
        try client.post("4still polling")
        #expect(try client.endPoll() == ["4still polling"])
        try client.beginPoll()
        try socket.send("2probe")
        #expect(try socket.nextText() == "3probe")
        #expect(try client.endPoll() == ["6"])
        try socket.send("5")
        try socket.send("4over WebSocket")
        #expect(try socket.nextText() == "4over WebSocket")
        try socket.send(binary: version == .v3 ? [4, 1, 2] : [1, 2])
        #expect(try socket.next() == .binary(version == .v3 ? [4, 1, 2] : [1, 2]))
        #expect(try server.onSession(client.sid) { $0.transportName } == "websocket")
        // Polling is over for this session. A client that tries it does no harm.
        #expect(try client.polls.request("GET", client.target).text == #"{"code":3,"message":"Bad request"}"#)
        try socket.send("4again")
        #expect(try socket.nextText() == "4again")
        #expect(server.log.all == ["opened"])
    }

    @Test func pollsAreAnsweredAtOnceBetweenTheProbeAndTheUpgrade() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let socket = try client.openWebSocket()
        try socket.send("2probe")
        #expect(try socket.nextText() == "3probe")
        #expect(try client.poll() == ["6"])
        try client.post("4a")
        #expect(try client.poll() == ["4a"])
        try socket.send("5")
        try socket.send("4b")
        #expect(try socket.nextText() == "4b")
    }

    /// The stock Swift client upgraded while its CONNECT was still on the way in a POST. The POST got 400, and the
    /// client waited for an answer until the time for connecting was over.
    @Test(arguments: [EngineVersion.v4, .v3], ["", "&b64=1"])
    func aPostThatTheUpgradeHasOvertakenIsTaken(_ version: EngineVersion, _ query: String) throws {
        let server = try TestServer()
        let client = try PollingClient(server, version: version, query: query)
        let socket = try client.upgrade()
        try waitForUpgrade(client)
        #expect(try client.post("4late").status == 200)
        #expect(try socket.nextText() == "4late")
        try socket.send("4on time")
        #expect(try socket.nextText() == "4on time")
        #expect(server.log.all == ["opened"])
    }

    @Test func aHeartbeatOverTheWebSocketDoesNotMakeAPostTooLate() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let socket = try client.upgrade()
        try socket.send("6")
        try socket.send("3")
        try waitForUpgrade(client)
        #expect(try client.post("4late").status == 200)
        #expect(try socket.nextText() == "4late")
    }

    @Test func aPostBehindTheFirstMessageOfTheWebSocketIsRefused() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let socket = try client.upgrade()
        try socket.send("4a")
        #expect(try socket.nextText() == "4a")
        let answer = try client.post("4older")
        #expect((answer.status, answer.text) == (400, #"{"code":3,"message":"Bad request"}"#))
        try socket.send("4b")
        #expect(try socket.nextText() == "4b")
        #expect(server.log.all == ["opened"])
    }

    @Test func aPostIsRefusedOnceTheTimeForLateOnesIsOver() throws {
        let server = try TestServer { $0.lateBodyMilliseconds = 0 }
        let client = try PollingClient(server)
        let socket = try client.upgrade()
        try waitForUpgrade(client)
        #expect(try client.post("4late").status == 400)
        try socket.send("4a")
        #expect(try socket.nextText() == "4a")
    }

    @Test func messagesOfTheWebSocketWaitUntilALatePostIsRead() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let socket = try client.upgrade()
        try waitForUpgrade(client)
        let body = try client.body(["41", "42"])
        try client.posts.write(
            Array(
                "POST \(client.target) HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: \(body.count)\r\n\r\n4"
                    .utf8))
        #expect(eventually { (try? server.onSession(client.sid) { $0.pollingTail?.polling.isReceiving }) == true })
        try socket.send("43")
        #expect(!socket.isReadable(within: 20))
        try client.posts.write(Array(body.dropFirst()))
        #expect(try client.posts.readResponse().status == 200)
        for text in ["41", "42", "43"] { #expect(try socket.nextText() == text) }
    }

    /// What the stock Swift client has queued behind a POST goes over the WebSocket at once.
    @Test func messagesOfAClientThatAsksForBase64WaitForAPostThatTheyMayHaveOvertaken() throws {
        let server = try TestServer { $0.lateBodyHoldMilliseconds = 60_000 }
        let client = try PollingClient(server, query: "&b64=1")
        let socket = try client.upgrade()
        for text in ["6", "42", "43"] { try socket.send(text) }
        try waitForUpgrade(client)
        try client.post("41")
        for text in ["41", "42", "43"] { #expect(try socket.nextText() == text) }
        #expect(try client.post("4older").status == 400)
    }

    @Test func messagesOfAClientThatAsksForBase64WaitNoLongerThanForAMoment() throws {
        let server = try TestServer()
        let client = try PollingClient(server, query: "&b64=1")
        let socket = try client.upgrade()
        try socket.send("41")
        #expect(try socket.nextText() == "41")
        #expect(try client.post("4older").status == 400)
    }

    private func waitForUpgrade(_ client: PollingClient) throws {
        #expect(eventually { (try? client.server.onSession(client.sid) { $0.transportName }) == "websocket" })
    }

    @Test func aPollThatWaitsDuringTheUpgradeIsReleased() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.beginPoll()
        #expect(!client.polls.isReadable(within: 20))
        let socket = try client.openWebSocket()
        // In one piece, and without a probe: nothing but the upgrade itself releases the poll.
        try socket.send(together: ["5", "4a"])
        #expect(try client.endPoll() == ["6"])
        #expect(try socket.nextText() == "4a")
    }

    @Test func whatWaitsGoesOverToTheWebSocketInOrder() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let texts = (0..<500).map { "4message \($0)" }
        try client.post(texts)
        let socket = try client.upgrade()
        try socket.send("4after")
        for text in texts + ["4after"] { #expect(try socket.nextText() == text) }
    }

    @Test func aSecondCandidateIsTurnedAwayAndTheFirstGoesOn() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let first = try client.openWebSocket()
        let second = try client.openWebSocket()
        #expect(try second.next() == .close(1000))
        try first.send("2probe")
        #expect(try first.nextText() == "3probe")
        try first.send("5")
        try first.send("4a")
        #expect(try first.nextText() == "4a")
        let third = try client.openWebSocket()
        #expect(try third.next() == .close(1000))
        try first.send("4b")
        #expect(try first.nextText() == "4b")
    }

    @Test func aSessionThatBeganWithAWebSocketTakesNoOther() throws {
        let server = try TestServer()
        let (socket, sid) = try server.webSocket()
        let other = try TestWebSocket(server.connect(), server.target("websocket", sid: sid))
        #expect(try other.next() == .close(1000))
        try socket.send("4a")
        #expect(try socket.nextText() == "4a")
    }

    @Test(arguments: [[], ["2probe"]])
    func anUnfinishedUpgradeIsGivenUpAndPollingGoesOn(_ sent: [String]) throws {
        let server = try TestServer { $0.upgradeMilliseconds = 3_000 }
        let client = try PollingClient(server)
        let socket = try client.openWebSocket()
        for text in sent { try socket.send(text) }
        let end = try socket.readToClose()
        #expect(end.code == 1000)
        #expect(end.texts == sent.map { _ in "3probe" })
        // A poll waits again, and another upgrade is possible.
        try client.beginPoll()
        #expect(!client.polls.isReadable(within: 30))
        try client.post("4a")
        #expect(try client.endPoll() == ["4a"])
        let next = try client.upgrade()
        try next.send("4b")
        #expect(try next.nextText() == "4b")
        #expect(!next.isReadable(within: 80), "the first attempt's timer is no longer armed")
    }

    @Test(arguments: ["frame", "end", "reset"], [false, true])
    func aCandidateThatGoesLeavesPollingAsItWas(_ way: String, _ isProbed: Bool) throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let socket = try client.openWebSocket()
        if isProbed {
            try socket.send("2probe")
            #expect(try socket.nextText() == "3probe")
        }
        switch way {
        case "frame": try socket.sendClose()
        case "end": socket.connection.close()
        default: socket.connection.reset()
        }
        #expect(eventually { (try? server.onSession(client.sid) { $0.candidate == nil }) == true })
        try client.beginPoll()
        #expect(!client.polls.isReadable(within: 20))
        try client.post("4a")
        #expect(try client.endPoll() == ["4a"])
        #expect(server.log.all == ["opened"])
    }

    @Test(arguments: ["4too early", "2other", "2", "3probe", "1", "x"])
    func aCandidateThatSendsSomethingElseIsTurnedAway(_ text: String) throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let socket = try client.openWebSocket()
        try socket.send(text)
        #expect(try socket.next() == .close(1000))
        try client.post("4a")
        #expect(try client.poll() == ["4a"])
        #expect(server.log.all == ["opened"])
    }

    @Test func aMessageBetweenProbeAndUpgradeTurnsTheCandidateAway() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let socket = try client.openWebSocket()
        try socket.send("2probe")
        #expect(try socket.nextText() == "3probe")
        try socket.send("4too early")
        #expect(try socket.next() == .close(1000))
        #expect(server.sessionCount == 1)
    }

    @Test func theEndOfTheSessionIsTheEndOfItsCandidate() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let socket = try client.openWebSocket()
        try socket.send("2probe")
        #expect(try socket.nextText() == "3probe")
        try client.post("4!close")
        #expect(try client.poll() == ["1"])
        #expect(try socket.next() == .close(1000))
        #expect(server.leavesNoTrace)
    }

    // A client that has paused polling for the upgrade has no poll open on which it could be told.
    @Test func aSessionThatEndsBetweenTwoTransportsEndsOnTheNewOne() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        let socket = try client.openWebSocket()
        try socket.send("2probe")
        #expect(try socket.nextText() == "3probe")
        #expect(try client.poll() == ["6"])
        try client.post("4!close")
        try socket.send("5")
        #expect(try socket.nextText() == "1")
        #expect(try socket.next() == .close(1000))
        #expect(server.leavesNoTrace)
    }

    // MARK: With a POST under way

    /// The POST used to get no answer, and what it brought was lost. Clients for mobile phones upgrade like that.
    @Test(arguments: [1, 3])
    func aPostThatIsUnderWayIsHeardBeforeTheWebSocket(_ shards: Int) throws {
        let server = try TestServer(shards: shards)
        let client = try PollingClient(server)
        let body = try client.body(["4first", "4second"])
        try client.posts.write(
            "POST \(client.target) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n4fi")
        #expect(client.isPosting)
        let socket = try client.upgrade()
        try socket.send("4third")
        try socket.send(binary: [1])
        #expect(!socket.isReadable(within: 30))
        try client.posts.write(Array(body.dropFirst(3)))
        #expect(try client.posts.readResponse().text == "ok")
        #expect(try socket.nextText() == "4first")
        #expect(try socket.nextText() == "4second")
        #expect(try socket.nextText() == "4third")
        #expect(try socket.next() == .binary([1]))
    }

    /// The client listens on the WebSocket alone by then; it used to hear nothing until its time was up.
    @Test func aSessionThatEndsWhileAPostHoldsTheUpgradeUpEndsOnTheWebSocket() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.posts.write("POST \(client.target) HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n4fi")
        #expect(client.isPosting)
        let socket = try client.upgrade()
        try socket.send("4unheard")
        #expect(eventually { (try? server.onSession(client.sid) { $0.candidate?.isHoldingBack }) == true })
        try server.onSession(client.sid) { session in
            session.send(Array("bye".utf8))
            session.close()
        }
        #expect(try socket.nextText() == "4bye")
        #expect(try socket.next() == .close(1000))
        try client.posts.write("nished")
        #expect(try client.posts.readResponse().status == 400)
        #expect(server.log.all == ["opened", "closed forced server close"])
        #expect(server.leavesNoTrace)
    }

    @Test func aPostThatIsGivenUpDuringTheUpgradeEndsTheSession() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        try client.posts.write("POST \(client.target) HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n4fi")
        #expect(client.isPosting)
        let socket = try client.upgrade()
        client.posts.close()
        #expect(try socket.readToClose().code == 1000)
        #expect(server.log.has("closed transport error"))
        #expect(server.leavesNoTrace)
    }

    @Test func aPostThatTakesTooLongDuringTheUpgradeEndsTheSession() throws {
        let server = try TestServer { $0.upgradeMilliseconds = 3_000 }
        let client = try PollingClient(server)
        try client.posts.write("POST \(client.target) HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n4fi")
        #expect(client.isPosting)
        let socket = try client.upgrade()
        #expect(try socket.readToClose().code == 1000)
        #expect(server.log.has("closed transport error"))
        try client.posts.write("nished")
        #expect(try client.posts.readResponse().status == 400)
        #expect(server.leavesNoTrace)
    }

    @Test func whatIsKeptForAPostIsBounded() throws {
        let server = try TestServer { $0.maxPayloadBytes = 10_000 }
        let client = try PollingClient(server)
        try client.posts.write("POST \(client.target) HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n4fi")
        #expect(client.isPosting)
        let socket = try client.upgrade()
        for _ in 0..<3 { try socket.send("4" + String(repeating: "x", count: 4_000)) }
        #expect(try socket.readToClose().code == 1000)
        #expect(server.log.has("closed transport error"))
        #expect(server.leavesNoTrace)
    }
}
