import Testing
import Wire

@testable import Sessions

@Suite struct HeartbeatTests {
    /// Fires the heartbeat timers of all sessions now. With short times the server would give a slow test up.
    private func beat(_ server: TestServer) throws {
        try server.onShard { book in for session in book.living { session.heartbeatFired() } }
    }

    @Test func theServerPingsOverPollingInVersion4() throws {
        let server = try TestServer { $0.pingIntervalMilliseconds = 40 }
        let client = try PollingClient(server)
        for _ in 0..<3 {
            #expect(try client.poll() == ["2"])
            try client.post("3")
        }
        #expect(server.sessionCount == 1)
    }

    @Test func theServerPingsOverWebSocketInVersion4() throws {
        let server = try TestServer { $0.pingIntervalMilliseconds = 40 }
        let (socket, _) = try server.webSocket()
        for _ in 0..<3 {
            #expect(try socket.nextText() == "2")
            try socket.send("3")
        }
        #expect(server.sessionCount == 1)
    }

    @Test func aSilentPollingClientIsGivenUpInVersion4() throws {
        let server = try TestServer()
        let client = try PollingClient(server)
        for packet in ["2", "1"] {
            try client.beginPoll()
            #expect(client.isPolled)
            try beat(server)
            #expect(try client.endPoll() == [packet])
        }
        #expect(server.log.has("closed ping timeout"))
        #expect(server.leavesNoTrace)
        #expect(try client.polls.request("GET", client.target).status == 400)
    }

    @Test func aClientThatStopsPollingIsGivenUp() throws {
        let server = try TestServer { ($0.pingIntervalMilliseconds, $0.pingTimeoutMilliseconds) = (30, 30) }
        _ = try PollingClient(server)
        #expect(server.log.has("closed ping timeout"))
        #expect(server.leavesNoTrace)
    }

    @Test func aSilentWebSocketIsGivenUpInVersion4() throws {
        let server = try TestServer { ($0.pingIntervalMilliseconds, $0.pingTimeoutMilliseconds) = (40, 40) }
        let (socket, _) = try server.webSocket()
        #expect(try socket.nextText() == "2")
        #expect(try socket.next() == .close(1000))
        #expect(server.log.has("closed ping timeout"))
        #expect(server.leavesNoTrace)
    }

    @Test func messagesDoNotStandInForPongs() throws {
        let server = try TestServer()
        let (socket, _) = try server.webSocket()
        try beat(server)
        #expect(try socket.nextText() == "2")
        try socket.send("4a")
        #expect(try socket.nextText() == "4a")
        try beat(server)
        #expect(try socket.next() == .close(1000))
        #expect(server.log.has("closed ping timeout"))
    }

    @Test func pongsThatNobodyAskedForChangeNothing() throws {
        let server = try TestServer()
        let (socket, _) = try server.webSocket()
        try socket.send(together: ["3", "3", "4a"])
        #expect(try socket.nextText() == "4a")
        try beat(server)
        #expect(try socket.nextText() == "2")
    }

    @Test func theClientPingsInVersion3() throws {
        let server = try TestServer()
        let (socket, _) = try server.webSocket(version: .v3)
        let client = try PollingClient(server, version: .v3)
        for _ in 0..<3 {
            try socket.send("2data")
            #expect(try socket.nextText() == "3data")
            try client.post("2")
            #expect(try client.poll() == ["3"])
        }
        #expect(server.sessionCount == 2)
    }

    @Test func aClientOfVersion3IsGivenUpAfterBothTimes() throws {
        let server = try TestServer { ($0.pingIntervalMilliseconds, $0.pingTimeoutMilliseconds) = (200, 800) }
        let began = ContinuousClock.now
        let (socket, _) = try server.webSocket(version: .v3)
        // The server has not pinged.
        #expect(try socket.next() == .close(1000))
        #expect(ContinuousClock.now - began >= .milliseconds(990))
        #expect(server.log.has("closed ping timeout"))
        #expect(server.leavesNoTrace)
    }

    @Test func aPollingClientOfVersion3IsToldThatItIsGivenUp() throws {
        let server = try TestServer()
        let client = try PollingClient(server, version: .v3)
        try client.beginPoll()
        #expect(client.isPolled)
        try beat(server)
        #expect(try client.endPoll() == ["1"])
        #expect(server.log.has("closed ping timeout"))
        #expect(server.leavesNoTrace)
    }

    @Test(arguments: [(EngineVersion.v4, "2"), (.v3, "3")])
    func aHeartbeatInTheWrongDirectionEndsTheSession(_ version: EngineVersion, _ packet: String) throws {
        let server = try TestServer()
        let (socket, _) = try server.webSocket(version: version)
        try socket.send(packet)
        #expect(try socket.next() == .close(1002))
        let client = try PollingClient(server, version: version)
        try client.beginPoll()
        try client.post(packet)
        #expect(try client.endPoll() == ["1"])
        #expect(server.log.has("closed transport error", times: 2))
        #expect(server.leavesNoTrace)
    }
}
