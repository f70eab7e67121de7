import Testing
import Transport
import Wire

@testable import Sessions

@Suite struct NamespaceTests {
    @Test func aClientIsToldItsIDWhichIsNotTheSessions() throws {
        let server = try TestServer(socketsOn: 1)
        let (socket, sid) = try server.webSocket()
        try socket.send("40")
        let answer = try socket.nextText()
        #expect(answer.hasPrefix(#"40{"sid":""#))
        let id = try TestServer.sid(String(answer.dropFirst()))
        #expect(SessionID(id) != nil && id != sid)
        #expect(server.log.all == ["connected /"])
    }

    @Test(arguments: [("40", "{}"), (#"40{"token":"a"}"#, #"{"token":"a"}"#), ("40/custom,", "{}")])
    func whatTheClientSaysOfItselfIsKept(_ connect: String, _ auth: String) throws {
        let server = try TestServer(socketsOn: 1)
        let (socket, _) = try server.webSocket()
        try socket.send(connect)
        let name = connect.contains("custom") ? "/custom," : ""
        #expect(try socket.nextText().hasPrefix("40\(name){"))
        try socket.send("42\(name)[\"auth\"]")
        #expect(try socket.nextText() == "42\(name)[\"auth\",\(auth)]")
    }

    @Test func severalNamespacesShareASession() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send("40/custom,")
        #expect(try socket.nextText().hasPrefix("40/custom,{"))
        try socket.send(#"42/custom,["echo",1]"#)
        try socket.send(#"42["echo",2]"#)
        #expect(try socket.nextText() == #"42/custom,["echo",1]"#)
        #expect(try socket.nextText() == #"42["echo",2]"#)
    }

    @Test func anUnknownNamespaceIsRefusedAndTheSessionGoesOn() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send("40/unknown,")
        #expect(try socket.nextText() == #"44/unknown,{"message":"Invalid namespace"}"#)
        try socket.send(#"42["echo"]"#)
        #expect(try socket.nextText() == #"42["echo"]"#)
    }

    @Test func oneNamespaceIsLeftAndEnteredAgain() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        for round in 1...3 {
            try socket.send("40/custom,")
            #expect(try socket.nextText().hasPrefix("40/custom,{"))
            try socket.send(#"42/custom,["echo",\#(round)]"#)
            #expect(try socket.nextText() == #"42/custom,["echo",\#(round)]"#)
            try socket.send("41/custom,")
            #expect(server.log.has("disconnected /custom client namespace disconnect", times: round))
        }
        try socket.send(#"42["echo"]"#)
        #expect(try socket.nextText() == #"42["echo"]"#)
        #expect(server.log.count("connected /custom") == 3)
    }

    @Test func aClientThatIsTakenOutOfANamespaceMayComeBack() throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send("40/custom,")
        #expect(try socket.nextText().hasPrefix("40/custom,{"))
        // What it had sent before it knew is not held against it.
        try socket.send(together: [#"42/custom,["kick"]"#, #"42/custom,["late"]"#, "43/custom,0[]", "41/custom,"])
        #expect(try socket.nextText() == "41/custom,")
        #expect(server.log.has("disconnected /custom server namespace disconnect"))
        try socket.send("40/custom,")
        #expect(try socket.nextText().hasPrefix("40/custom,{"))
        try socket.send(#"42/custom,["echo"]"#)
        #expect(try socket.nextText() == #"42/custom,["echo"]"#)
        #expect(server.log.count("event late ") == 0)
    }

    @Test(arguments: [
        #"42["before CONNECT"]"#, #"42/custom,["not connected to"]"#, "40/custom,|40/custom,", "40", "41/custom,",
        "41|41", "430[]|43/custom,0[]", #"44{"message":"mine"}"#,
    ])
    func packetsOutOfOrderEndTheSession(_ packets: String) throws {
        let server = try TestServer(socketsOn: 1)
        let isFirst = packets.contains("before")
        let socket = isFirst ? try server.webSocket().socket : try server.socket()
        try socket.send(together: packets.split(separator: "|").map(String.init))
        #expect(try socket.readToClose().code == 1000)
        if !isFirst, !packets.hasPrefix("41|") { #expect(server.log.has("disconnected / forced close")) }
        #expect(server.leavesNoTrace)
    }

    @Test(arguments: [
        "4", "47", "4x", "42", "42{}", "42[]", "42[1", #"42["a",]"#, #"42["a",x]"#, #"42["a"],"#, "42[null]",
        #"42["connect"]"#, "43[]", "430{}", "430", "451-[]", #"45["a"]"#, #"4511-["a"]"#, "40{", "40[]", "41{}",
        #"42["\ud800"]"#,
    ])
    func whatIsNoPacketEndsTheSession(_ packet: String) throws {
        let server = try TestServer(socketsOn: 1)
        let socket = try server.socket()
        try socket.send(packet)
        #expect(try socket.readToClose().code == 1002)
        #expect(server.log.has("disconnected / parse error"))
        #expect(server.leavesNoTrace)
    }

    @Test func aClientMayBeInSoManyNamespacesOnly() throws {
        let server = try TestServer(
            { $0.namespacesMax = 2 },
            sockets: { server, log in
                for name in ["/", "/a", "/b"] { server.open(name, SocketScript(log)) }
            })
        let socket = try server.socket()
        try socket.send("40/a,")
        #expect(try socket.nextText().hasPrefix("40/a,{"))
        try socket.send("40/b,")
        #expect(try socket.nextText() == #"44/b,{"message":"Too many namespaces"}"#)
        try socket.send("41/a,")
        try socket.send("40/b,")
        #expect(try socket.nextText().hasPrefix("40/b,{"))
    }

    @Test func aClientThatConnectsToNothingIsSentAway() throws {
        let server = try TestServer(
            { ($0.connectMilliseconds, $0.farewellMilliseconds) = (3_000, 5_000) },
            sockets: { server, log in
                server.open("/", SocketScript(log)).use { if $0.socket.auth.count > 2 { $0.refuse("no") } }
            })
        let (silent, _) = try server.webSocket()
        let (refused, _) = try server.webSocket()
        try refused.send(#"40{"a":1}"#)
        #expect(try refused.nextText() == #"44{"message":"no"}"#)
        let polling = try PollingClient(server)
        #expect(try polling.poll() == ["1"])
        #expect(try silent.next() == .close(1000))
        #expect(try refused.next() == .close(1000))
        #expect(server.leavesNoTrace)
    }

    @Test func aClientThatIsConnectedMayBeSilent() throws {
        let server = try TestServer(socketsOn: 1) { $0.connectMilliseconds = 3_000 }
        let socket = try server.socket()
        #expect(!socket.isReadable(within: 3_500))
    }

    @Test(arguments: [1, 3])
    func socketsAreCountedOverAllShards(_ shards: Int) throws {
        let server = try TestServer(socketsOn: shards)
        let sockets = try (0..<9).map { try server.socket(on: server.connect(toShard: $0 % shards)) }
        let counter = server.hub.counter(of: "/")
        #expect(counter.value == 9)
        for socket in sockets { try socket.sendClose() }
        #expect(eventually { counter.value == 0 })
        #expect(server.leavesNoTrace)
    }
}
