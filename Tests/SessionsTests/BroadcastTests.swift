import Testing
import Transport
import Wire

@testable import Sessions

@Suite struct BroadcastTests {
    @Test func everySocketOfTheNamespaceOnEveryShardIsReached() throws {
        let server = try TestServer(socketsOn: 3)
        let sockets = try (0..<6).map { try server.socket(on: server.connect(toShard: $0 % 3)) }
        let other = try server.webSocket().socket
        try other.send("40/custom,")
        #expect(try other.nextText().hasPrefix("40/custom,"))
        let polling = try PollingClient(server, on: server.connect(toShard: 1))
        try polling.post("40")
        #expect(try polling.poll().first?.hasPrefix("40") == true)
        try sockets[0].send(#"451-["broadcast",1,{"_placeholder":true,"num":0}]"#)
        try sockets[0].send(binary: [5])
        let text = #"451-["news",1,{"_placeholder":true,"num":0}]"#
        for socket in sockets {
            #expect(try socket.nextText() == text)
            #expect(try socket.next() == .binary([5]))
        }
        #expect(try polling.poll() == [text, "bBQ=="])
        try other.send(#"42/custom,["echo"]"#)
        #expect(try other.nextText() == #"42/custom,["echo"]"#)
    }

    @Test func theSenderCanBeLeftOut() throws {
        let server = try TestServer(socketsOn: 3)
        let sockets = try (0..<6).map { try server.socket(on: server.connect(toShard: $0 % 3)) }
        try sockets[0].send(together: [#"42["others",1]"#, #"42["echo"]"#])
        #expect(try sockets[0].nextText() == #"42["echo"]"#)
        for socket in sockets.dropFirst() { #expect(try socket.nextText() == #"42["news",1]"#) }
    }

    @Test func broadcastsOfOneSocketKeepTheirOrder() throws {
        let server = try TestServer(socketsOn: 3)
        let sockets = try (0..<3).map { try server.socket(on: server.connect(toShard: $0)) }
        try sockets[0].send(together: (0..<200).map { #"42["broadcast",\#($0)]"# })
        for socket in sockets {
            for index in 0..<200 { #expect(try socket.nextText() == #"42["news",\#(index)]"#) }
        }
        #expect(server.hub.broadcastsDropped.value == 0)
    }

    /// One of many that cannot keep up goes, and the others do not notice.
    @Test func aSlowReaderEndsAlone() throws {
        let server = try TestServer(socketsOn: 1) { $0.outboundBytesMax = 200_000 }
        let slow = try server.socket(on: server.connect(receiveBufferBytes: 4_096))
        let socket = try server.socket()
        let news = "\"" + String(repeating: "x", count: 50_000) + "\""
        var rounds = 0
        while server.log.count("disconnected / slow reader") == 0, rounds < 2_000 {
            try socket.send("42[\"broadcast\",\(news)]")
            #expect(try socket.nextText().utf8.count == news.utf8.count + 11)
            rounds += 1
        }
        #expect(server.log.count("disconnected / slow reader") == 1)
        _ = slow
        try socket.send(#"42["echo"]"#)
        #expect(try socket.nextText() == #"42["echo"]"#)
        #expect(eventually { server.sessionCount == 1 && server.livingCount == 1 })
    }

    // MARK: Volatile

    @Test func aVolatileEventReachesAClientThatIsReady() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send(#"42["volatile",1]"#)
        #expect(try socket.nextText() == #"42["v",0]"#)
        // Of several in one turn the client gets one, as from the reference server.
        try socket.send(#"42["volatile",5]"#)
        #expect(try socket.nextText() == #"42["v",0]"#)
        #expect(server.log.all.dropFirst() == ["volatile 1", "volatile 1"])
        #expect(server.hub.volatileDropped.value == 4)
    }

    @Test func aClientThatDoesNotPollMissesVolatileEventsAndTheyAreCounted() throws {
        let server = try TestServer(socketsOn: 1)
        let client = try PollingClient(server)
        try client.post("40")
        _ = try client.poll()
        try client.post(#"42["volatile",3]"#)
        #expect(server.hub.volatileDropped.value == 3)
        try client.post(#"42["echo"]"#)
        #expect(try client.poll() == [#"42["echo"]"#])
        try client.beginPoll()
        #expect(!client.polls.isReadable(within: 20))
        try client.post(#"42["volatile",1]"#)
        #expect(try client.endPoll() == [#"42["v",0]"#])
        #expect(server.hub.volatileDropped.value == 3)
    }

    @Test func aClientThatReadsNothingMissesVolatileEvents() throws {
        let server = try TestServer(socketsOn: 1) { $0.outboundBytesMax = 64 << 20 }
        let socket = try server.socket(on: server.connect(receiveBufferBytes: 4_096))
        try socket.send(#"42["fill",10000]"#)
        try socket.send(#"42["volatile",7]"#)
        #expect(server.log.has("volatile 0"))
        #expect(server.hub.volatileDropped.value == 7)
    }
}
