import Testing
import Wire

@testable import Sessions

@Suite struct DisconnectReasonTests {
    /// Every reason there is, and what brings it about.
    @Test(arguments: DisconnectReason.allCases)
    func eachReasonIsToldWhenItIsOne(_ reason: DisconnectReason) throws {
        let server = try TestServer(socketsOn: 1) {
            $0.outboundPacketsMax = 100
            if reason == .tooManyPackets { $0.packetsPerSecondMax = 100 }
        }
        let socket = try server.socket()
        switch reason {
        case .transportClose: try socket.sendClose()
        case .transportError: socket.connection.reset()
        case .pingTimeout:
            // The ping is due, and then its answer. With short times a slow client would be given up before it connects.
            try server.onShard { book in
                for session in book.living {
                    session.heartbeatFired()
                    session.heartbeatFired()
                }
            }
        case .parseError: try socket.send("4?")
        case .clientNamespaceDisconnect: try socket.send("41")
        case .serverNamespaceDisconnect: try socket.send(#"42["kick"]"#)
        case .forcedServerClose:
            // The reason in other words: what an application that ends the session itself gives.
            try server.onShard { book in book.service.closeAll(.forcedServerClose) }
        case .forcedClose: try socket.send("40")
        case .slowReader: try socket.send(#"42["flood",101]"#)
        case .tooManyPackets: try socket.send(together: Array(repeating: "43999[]", count: 200))
        case .displaced:
            // A session that has come in keeps its place. What another client takes is in `PendingSessionsTests`.
            try server.onShard { book in for session in book.living { session.end(.displaced) } }
        case .serverShuttingDown: try socket.send(#"42["shutdown"]"#)
        }
        #expect(server.log.has("disconnected / \(reason.rawValue)"))
        #expect(server.log.all.count == 2)
        let isOver = reason != .clientNamespaceDisconnect && reason != .serverNamespaceDisconnect
        #expect(isOver ? server.leavesNoTrace : server.sessionCount == 1)
    }

    @Test func aClientThatIsKickedFromANamespaceIsToldAndStays() throws {
        let server = try TestServer(socketsOn: 1)
        let client = try PollingClient(server)
        try client.post("40", "40/custom,")
        _ = try client.poll()
        try client.post(#"42["kick"]"#)
        #expect(try client.poll() == ["41"])
        try client.post(#"42/custom,["echo"]"#)
        #expect(try client.poll() == [#"42/custom,["echo"]"#])
    }

    /// Without the packets a client takes the end for an accident and comes back.
    @Test func aClientThatIsKickedAltogetherIsToldInEachNamespace() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send("40/custom,")
        #expect(try socket.nextText().hasPrefix("40/custom,"))
        try socket.send(together: [#"42["echo"]"#, #"42["kick-all"]"#, #"42["unheard"]"#])
        let end = try socket.readToClose()
        #expect(end.texts.first == #"42["echo"]"#)
        #expect(Set(end.texts.dropFirst()) == ["41", "41/custom,"])
        #expect(end.code == 1000)
        #expect(server.log.has("disconnected / server namespace disconnect"))
        #expect(server.log.has("disconnected /custom server namespace disconnect"))
        #expect(server.log.count("event unheard ") == 0)
        #expect(server.leavesNoTrace)
    }

    @Test(arguments: [false, true])
    func thePacketComesBeforeTheEndOfAPollingSession(_ isPolled: Bool) throws {
        let server = try TestServer(socketsOn: 1)
        let client = try PollingClient(server)
        try client.post("40")
        _ = try client.poll()
        if isPolled {
            try client.beginPoll()
            #expect(!client.polls.isReadable(within: 20))
        }
        try client.post(#"42["kick-all"]"#)
        #expect(try (isPolled ? client.endPoll() : client.poll()) == ["41"])
        #expect(try client.poll() == ["1"])
        #expect(server.leavesNoTrace)
    }

    @Test func thePacketComesAfterAllThatASlowReaderHasStillToRead() throws {
        let server = try TestServer(socketsOn: 1) { $0.farewellMilliseconds = 60_000 }
        let socket = try server.socket(on: server.connect(receiveBufferBytes: 4_096))
        try socket.send(#"42["fill-and-kick",3000]"#)
        #expect(server.log.has("disconnected / server namespace disconnect"))
        let end = try socket.readToClose()
        #expect(end.texts.count == 3_001)
        #expect(end.texts.last == "41")
        #expect(end.code == 1000)
        #expect(server.leavesNoTrace)
    }
}
