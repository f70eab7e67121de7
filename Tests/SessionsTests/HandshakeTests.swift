import Testing
import Wire

@testable import Sessions

@Suite struct HandshakeTests {
    @Test(arguments: [EngineVersion.v4, .v3], [1, 3])
    func bothTransportsBeginWithTheOpenPacket(_ version: EngineVersion, _ shards: Int) throws {
        let server = try TestServer(shards: shards) { $0.maxPayloadBytes = 12_345 }
        let polled = try server.connect().request("GET", server.target("polling", version: version))
        #expect(polled.status == 200)
        #expect(polled["Content-Type"] == "text/plain; charset=UTF-8")
        #expect(polled["Cache-Control"] == "no-store")
        let packets = try PollingClient.packets(polled, version)
        #expect(packets.count == 1)
        try check(packets[0], version, upgrades: ["websocket"])
        let webSocket = try TestWebSocket(server.connect(), server.target("websocket", version: version))
        try check(try webSocket.nextText(), version, upgrades: [])
        #expect(server.sessionCount == 2)
    }

    private func check(_ open: String, _ version: EngineVersion, upgrades: [String]) throws {
        let object = try TestServer.handshake(open)
        #expect(SessionID(object["sid"] as? String ?? "") != nil)
        #expect(object["upgrades"] as? [String] == upgrades)
        #expect(object["pingInterval"] as? Int == 25_000)
        #expect(object["pingTimeout"] as? Int == 20_000)
        // Clients of version 3 do not know it.
        #expect(object["maxPayload"] as? Int == (version == .v4 ? 12_345 : nil))
    }

    @Test func aSlashAtTheEndOfThePathMayBeMissing() throws {
        let server = try TestServer()
        let connection = try server.connect()
        #expect(try connection.request("GET", "/socket.io?EIO=4&transport=polling").status == 200)
        #expect(try connection.request("GET", "/socket.io/other?EIO=4&transport=polling").status == 404)
        #expect(try connection.request("GET", "/").text == "not here")
    }

    /// The codes and messages of the reference server, and its order of looking for faults.
    @Test(arguments: [
        ("GET", "transport=polling", 5, "Unsupported protocol version"),
        ("GET", "EIO=abc&transport=polling", 5, "Unsupported protocol version"),
        ("GET", "EIO=2&transport=polling", 5, "Unsupported protocol version"),
        ("GET", "EIO=4", 0, "Transport unknown"),
        ("GET", "EIO=4&transport=abc", 0, "Transport unknown"),
        ("GET", "EIO=abc&transport=abc", 0, "Transport unknown"),
        ("GET", "EIO=4&transport=polling&sid=abc", 1, "Session ID unknown"),
        ("GET", "EIO=4&transport=polling&sid=AAAAAAAAAAAAAAAAAAAA", 1, "Session ID unknown"),
        ("GET", "EIO=4&transport=polling&sid=__AAAAAAAAAAAAAAAAAA", 1, "Session ID unknown"),
        ("GET", "EIO=4&transport=websocket&sid=AAAAAAAAAAAAAAAAAAAA", 1, "Session ID unknown"),
        ("POST", "EIO=4&transport=polling&sid=AAAAAAAAAAAAAAAAAAAA", 1, "Session ID unknown"),
        ("POST", "EIO=4&transport=polling", 2, "Bad handshake method"),
        ("PUT", "EIO=4&transport=polling", 2, "Bad handshake method"),
        ("POST", "EIO=4&transport=websocket", 2, "Bad handshake method"),
        ("GET", "EIO=4&transport=websocket", 3, "Bad request"),
    ])
    func wrongRequestsAreAnsweredAsTheReferenceDoes(
        _ method: String, _ query: String, _ code: Int, _ message: String
    ) throws {
        let server = try TestServer()
        let response = try server.connect().request(
            method, "/socket.io/?" + query, body: method == "GET" ? nil : Array("4x".utf8))
        #expect(response.status == 400)
        #expect(response["Content-Type"] == "application/json")
        #expect(response.text == #"{"code":\#(code),"message":"\#(message)"}"#)
        #expect(server.sessionCount == 0)
    }

    @Test func aWebSocketForNoSessionIsRefused() throws {
        let server = try TestServer()
        for target in ["&sid=AAAAAAAAAAAAAAAAAAAA", "&sid=x"] {
            let refusal = #expect(throws: TestRefusal.self) {
                _ = try TestWebSocket(server.connect(), server.target("websocket") + target)
            }
            #expect(refusal?.response.text == #"{"code":1,"message":"Session ID unknown"}"#)
        }
    }

    @Test func aRequestOfAnotherKindThanItsSessionIsRefused() throws {
        let server = try TestServer()
        let (webSocket, sid) = try server.webSocket()
        let bad = #"{"code":3,"message":"Bad request"}"#
        #expect(try server.connect().request("GET", server.target("polling", sid: sid)).text == bad)
        #expect(try server.connect().request("POST", server.target("polling", sid: sid), body: [52]).text == bad)
        let client = try PollingClient(server)
        #expect(try client.polls.request("GET", server.target("websocket", sid: client.sid)).text == bad)
        #expect(try server.connect().request("PUT", client.target, body: [52]).text == bad)
        #expect(try client.polls.request("GET", server.target("polling", version: .v3, sid: client.sid)).text == bad)
        // None of which has done a session any harm.
        try webSocket.send("4still there")
        #expect(try webSocket.nextText() == "4still there")
        try client.post("4still there")
        #expect(try client.poll() == ["4still there"])
    }

    @Test func whatIsSwitchedOffIsRefused() throws {
        let server = try TestServer { $0.allowsVersion3 = false }
        let connection = try server.connect()
        #expect(
            try connection.request("GET", server.target("polling", version: .v3)).text
                == #"{"code":5,"message":"Unsupported protocol version"}"#)
        let unknown = #"{"code":0,"message":"Transport unknown"}"#
        let polling = try TestServer { $0.allowsWebSocket = false }
        let refusal = #expect(throws: TestRefusal.self) { _ = try polling.webSocket() }
        #expect(refusal?.response.text == unknown)
        let open = try polling.connect().request("GET", polling.target("polling")).text
        #expect(try TestServer.handshake(open)["upgrades"] as? [String] == [])
        let webSockets = try TestServer { $0.allowsPolling = false }
        #expect(try webSockets.connect().request("GET", webSockets.target("polling")).text == unknown)
        _ = try webSockets.webSocket()
    }

    @Test func anotherVersionOfWebSocketsIsToldTheRightOne() throws {
        let server = try TestServer()
        let response = try server.connect().request(
            "GET", server.target("websocket"),
            [
                ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "8"),
                ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ])
        #expect(response.status == 426)
        #expect(response["Sec-WebSocket-Version"] == "13")
    }

    @Test func ofTheRequestNoMoreIsKeptThanIsAskedFor() throws {
        let server = try TestServer {
            $0.keptRequest = KeptRequest(
                headers: [.init("Authorization", bytesMax: 10)],
                queryItems: [.init("touch", bytesMax: 3), .init("token", bytesMax: 5)], bytesMax: 17)
        }
        let headers = [("Authorization", "Bearer a token"), ("User-Agent", "somebody")]
        let client = try PollingClient(
            server, query: "&token=short&touch=ticks&q=" + String(repeating: "q", count: 5_000), headers: headers)
        let kept = try server.onSession(client.sid) { session in
            let handshake = session.handshake
            session.forgetRequest()
            return (
                handshake.headers.count, handshake.headers.first(named: "authorization"), handshake.queryItems.count,
                handshake.queryValue("token"), handshake.queryValue("touch")
            )
        }
        // The last one has what the others have left of the bound of all.
        #expect(kept == (1, "Bearer a t", 2, "shor", "tic"))
        let left = try server.onSession(client.sid) { ($0.handshake.headers.count, $0.handshake.queryItems.count) }
        #expect(left == (0, 0))
    }

    /// The head says that there is content, of which there is none; the answer must not wait for it.
    @Test func aWebSocketHandshakeWithContentOfNoLengthIsAnswered() throws {
        let server = try TestServer()
        let socket = try TestWebSocket(server.connect(), server.target("websocket"), [("Content-Length", "0")])
        #expect(try socket.nextText().hasPrefix("0{"))
    }
}
