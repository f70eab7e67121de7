import Testing
import Transport
import Wire

@testable import Sessions

/// What clients may send that no application hears of.
@Suite struct FlowTests {
    @Test(arguments: [["43999[]"], ["3"], ["40/nowhere,"], ["41/custom,", "40/custom,"]])
    func aFloodOfPacketsOfAnyKindEndsTheSessionWithAReason(_ flood: [String]) throws {
        let server = try TestServer(socketsOn: 1) { $0.packetsPerSecondMax = 300 }
        let socket = try server.socket()
        try socket.send("40/custom,")
        _ = try socket.nextText()
        try socket.send(together: (0..<400).flatMap { _ in flood })
        #expect(try socket.readToClose().code == 1008)
        #expect(server.log.has("disconnected / too many packets"))
        #expect(server.leavesNoTrace)
    }

    @Test func aPollingClientThatFloodsReadsThatItIsOver() throws {
        let server = try TestServer(socketsOn: 1) { $0.packetsPerSecondMax = 300 }
        let client = try PollingClient(server)
        try client.post("40")
        _ = try client.poll()
        try client.post(Array(repeating: "43999[]", count: 400).joined(separator: "\u{1e}"))
        #expect(try client.poll() == ["1"])
        #expect(server.log.has("disconnected / too many packets"))
        #expect(server.leavesNoTrace)
    }

    @Test func requestsWithoutPacketsCountToo() throws {
        let server = try TestServer(socketsOn: 1) { ($0.packetsPerSecondMax, $0.farewellMilliseconds) = (10, 60_000) }
        let client = try PollingClient(server)
        let connection = try server.connect()
        let answers = try (0..<300).map { _ in
            try connection.request("PUT", server.target("polling", sid: client.sid)).text
        }
        #expect(answers.first?.contains("Bad request") == true)
        #expect(answers.contains { $0.contains("Session ID unknown") })
        #expect(try client.poll() == ["1"])
    }

    @Test(arguments: [WebSocketOpcode.ping, .pong]) func aFloodOfPingsEndsTheSessionToo(_ opcode: WebSocketOpcode)
        throws
    {
        let server = try TestServer(socketsOn: 1) { $0.packetsPerSecondMax = 300 }
        let socket = try server.socket()
        try socket.send(opcode, times: 250)
        try socket.send(opcode, times: 400)
        #expect(try socket.readToClose().code == 1008)
        #expect(server.log.has("disconnected / too many packets"))
        #expect(server.leavesNoTrace)
    }

    @Test func whoSendsTooManyRequestsOfAnyKindIsToldSoAndCutOff() throws {
        let server = try TestServer(shards: 1)
        let client = try PollingClient(server)
        try server.onShard(0) { $0.shard.requestAdmission = { _, _ in .refused(waitMilliseconds: 1_500) } }
        let id = String(repeating: "A", count: 20)
        let polling = server.target("polling")
        for (method, target) in [
            ("GET", "/health"), ("GET", "/"), ("GET", "/socket.iox"), ("GET", server.target("polling", sid: id)),
            // Handshakes that come to nothing.
            ("POST", polling), ("OPTIONS", polling), ("GET", server.target("pigeon")),
            ("GET", server.target("websocket")),
            ("GET", polling.replacing("EIO=4", with: "EIO=9")), ("GET", server.target("polling", sid: "short")),
        ] {
            let connection = try server.connect()
            let answer = try connection.request(method, target)
            #expect(
                answer.status == 429 && answer["Retry-After"] == "2" && answer["Connection"] == "close", "\(target)")
            #expect(answer.text.contains(#""code":"RATE_LIMITED""#), "\(target)")
        }
        // Sessions that there are go on.
        try client.post("40")
        #expect(try client.poll().first?.hasPrefix("40") == true)
    }

    @Test func aNewSessionMayHaveToWait() throws {
        let server = try TestServer(shards: 2)
        let (socket, _) = try server.webSocket()
        for shard in 0..<2 { try server.onShard(shard) { $0.service.admission = { _ in 1_500 } } }
        let answer = try server.connect().request("GET", server.target("polling"))
        #expect(answer.status == 429)
        #expect(answer["Retry-After"] == "2")
        #expect(answer.text == #"{"code":3,"message":"Too many sessions from this address"}"#)
        let refusal = #expect(throws: TestRefusal.self) { _ = try server.webSocket() }
        #expect(refusal?.response.status == 429)
        // Those that there are go on.
        try socket.send("4a")
        #expect(try socket.nextText() == "4a")
    }
}
