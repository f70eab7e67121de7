import Testing
import Wire

@testable import Sessions

/// What may wait for a client is bounded, in bytes and in packets.
@Suite struct BoundTests {
    @Test func aPollingClientThatDoesNotPollEndsAsASlowReader() throws {
        let server = try TestServer { $0.outboundBytesMax = 100_000 }
        let client = try PollingClient(server)
        try client.post("4!send 10 10000")
        #expect(server.sessionCount == 1)
        try client.post("4!send 1 1")
        #expect(server.log.has("closed slow reader"))
        #expect(server.leavesNoTrace)
        #expect(try client.polls.request("GET", client.target).status == 400)
    }

    @Test func packetsAreCountedToo() throws {
        let server = try TestServer { $0.outboundPacketsMax = 50 }
        let client = try PollingClient(server)
        try client.post("4!send 50 0")
        #expect(server.sessionCount == 1)
        #expect(try client.poll().count == 50)
        try client.post("4!send 51 0")
        #expect(server.log.has("closed slow reader"))
        #expect(server.leavesNoTrace)
    }

    @Test func aWebSocketThatReadsNothingEndsAsASlowReader() throws {
        let server = try TestServer { $0.outboundBytesMax = 200_000 }
        let (socket, sid) = try server.webSocket(on: server.connect(receiveBufferBytes: 4_096))
        for _ in 0..<2_000 where server.log.count("closed slow reader") == 0 {
            try? socket.send("4!send 1 50000")
            let waiting = (try? server.onSession(sid) { $0.outbox.byteCount }) ?? 0
            #expect(waiting <= 200_000)
        }
        #expect(server.log.has("closed slow reader"))
        #expect(try socket.readToClose().code == 1008)
        #expect(server.leavesNoTrace)
    }

    @Test func pongsOfVersion3AreBoundedToo() throws {
        let server = try TestServer { $0.outboundPacketsMax = 50 }
        let client = try PollingClient(server, version: .v3)
        for _ in 0..<60 where server.log.count("closed slow reader") == 0 { try client.post("2") }
        #expect(server.log.has("closed slow reader"))
        #expect(server.leavesNoTrace)
    }

    @Test func aLargeMessageCountsAsSeveralPackets() throws {
        let server = try TestServer { $0.packetsPerSecondMax = 100 }
        let (socket, _) = try server.webSocket()
        for _ in 0..<40 { try? socket.send("4" + String(repeating: "x", count: 100_000)) }
        #expect(server.log.has("closed \(DisconnectReason.tooManyPackets.rawValue)"))
        #expect(server.leavesNoTrace)
    }

    @Test func aClientThatReadsTakesAnyAmount() throws {
        let server = try TestServer { $0.outboundBytesMax = 100_000 }
        let (socket, _) = try server.webSocket()
        for _ in 0..<100 {
            try socket.send("4!send 2 40000")
            for _ in 0..<2 { #expect(try socket.nextText().utf8.count == 40_001) }
        }
        #expect(server.sessionCount == 1)
    }
}
