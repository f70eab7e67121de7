import Testing
import Transport
import Wire

@testable import Sessions

/// Whatever way sessions end, nothing of them stays: no entry, no object, no timer, no connection.
@Suite struct TraceTests {
    @Test func sessionsOfEngineIOLeaveNothingBehind() throws {
        let server = try TestServer(shards: 2) {
            ($0.pingIntervalMilliseconds, $0.pingTimeoutMilliseconds) = (2_000, 100)
            ($0.upgradeMilliseconds, $0.farewellMilliseconds) = (4_000, 60)
        }
        var kept: [TestConnection] = []
        for end in ["4!close", "1", "2", "bad"] {
            let polled = try PollingClient(server)
            try polled.beginPoll()
            try polled.post(end == "bad" ? ["4a"] : [end])
            let unpolled = try PollingClient(server)
            let candidate = try unpolled.openWebSocket()
            try candidate.send("2probe")
            try unpolled.beginPost(Array(end.utf8))
            let (socket, _) = try server.webSocket()
            try socket.send(end)
            let upgraded = try PollingClient(server).upgrade()
            try upgraded.send(end)
            kept += [polled, unpolled].flatMap { [$0.polls, $0.posts] }
            kept += [candidate, socket, upgraded].map(\.connection)
        }
        let posting = try PollingClient(server)
        try posting.posts.write("POST \(posting.target) HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n4a")
        kept += [try posting.upgrade().connection, posting.polls, posting.posts]
        // Silent ones, which time out.
        _ = try PollingClient(server)
        kept.append(try server.webSocket().socket.connection)
        #expect(server.leavesNoTrace)
        for connection in kept { connection.close() }
        #expect(isEmpty(server))
    }

    @Test func clientsOfSocketIOLeaveNothingBehind() throws {
        let server = try TestServer(
            shards: 2, { ($0.connectMilliseconds, $0.farewellMilliseconds) = (4_000, 60) },
            sockets: { server, log in
                server.open("/", SocketScript(log))
                server.open("/custom", SocketScript(log))
                server.open("/never", SocketScript(log)).use { _ in }
            })
        var kept: [TestConnection] = []
        for end in [#"42["kick-all"]"#, "41/custom,|1", "40", "4?", "close", #"451-["a"]|42["a"]"#] {
            let socket = try server.socket()
            try socket.send(together: ["40/custom,", "40/never,", #"42["ask-many",3]"#, #"42["ask-briefly"]"#])
            if end == "close" {
                try socket.sendClose()
            } else {
                try socket.send(together: end.split(separator: "|").map(String.init))
            }
            kept.append(socket.connection)
        }
        // One that connects to nothing, and one that waits for a decision that never comes.
        kept.append(try server.webSocket().socket.connection)
        let waiting = try server.webSocket().socket
        try waiting.send("40/never,")
        kept.append(waiting.connection)
        #expect(server.leavesNoTrace)
        #expect(server.hub.counter(of: "/").value == 0)
        #expect(server.hub.counter(of: "/custom").value == 0)
        for connection in kept { connection.close() }
        #expect(isEmpty(server))
    }

    private func isEmpty(_ server: TestServer) -> Bool {
        eventually {
            server.transport.state.counters.connectionsOpen.value == 0
                && server.transport.mailboxes.indices.allSatisfy { index in
                    (try? server.onShard(index) { $0.shard.armedTimerCount }) == 0
                }
        }
    }
}
