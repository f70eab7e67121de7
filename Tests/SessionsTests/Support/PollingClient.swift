import Wire

@testable import Sessions

/// A session that polls: one connection for what comes, one for what goes.
final class PollingClient: @unchecked Sendable {
    let server: TestServer
    let version: EngineVersion
    let sid: String
    /// What came with the handshake besides the open packet.
    let early: [String]
    private let query: String
    let polls: TestConnection
    let posts: TestConnection

    init(
        _ server: TestServer, version: EngineVersion = .v4, query: String = "", headers: [(String, String)] = [],
        on connection: TestConnection? = nil
    ) throws {
        self.server = server
        self.version = version
        self.query = query
        polls = try connection ?? server.connect()
        posts = try server.connect()
        let response = try polls.request("GET", server.target("polling", version: version) + query, headers)
        let packets = try Self.packets(response, version)
        guard let open = packets.first, open.hasPrefix("0") else {
            throw TestFailure(description: "no handshake, but \(response.status) \(response.text)")
        }
        sid = try TestServer.sid(open)
        early = Array(packets.dropFirst())
    }

    /// Waits until the server has a part of a POST.
    var isPosting: Bool { becomes { $0.isReceiving } }

    /// Waits until the server has a poll.
    var isPolled: Bool { becomes { $0.isPolled } }

    private func becomes(_ state: @escaping @Sendable (PollingTransport) -> Bool) -> Bool {
        eventually {
            let holds = try? server.onSession(sid) { session in
                if case .polling(let polling) = session.transport { state(polling) } else { false }
            }
            return holds == true
        }
    }

    var target: String { server.target("polling", version: version, sid: sid) + query }

    // MARK: In

    /// Polls once. The packets are written as version 4 writes them: `4text`, `b` and base64 for binary ones.
    func poll() throws -> [String] {
        try beginPoll()
        return try endPoll()
    }

    func beginPoll() throws {
        try polls.writeRequest("GET", target)
    }

    func endPoll() throws -> [String] {
        let response = try polls.readResponse()
        guard response.status == 200 else {
            throw TestFailure(description: "a poll was answered with \(response.status) \(response.text)")
        }
        return try Self.packets(response, version)
    }

    static func packets(_ response: TestResponse, _ version: EngineVersion) throws -> [String] {
        guard response.status == 200 else {
            throw TestFailure(description: "answered with \(response.status) \(response.text)")
        }
        let type = Array((response["Content-Type"] ?? "").utf8)
        let isFramed = type.elementsEqual("application/octet-stream".utf8)
        let form: EnginePayload.Form = version == .v4 ? .separated : isFramed ? .framed : .counted
        return try EnginePayload.decode(response.body.span, form: form).map(text)
    }

    private static func text(_ packet: EnginePacket) -> String {
        if packet.isBinary { return "b" + base64(packet.data) }
        return String(packet.type.rawValue) + String(decoding: packet.data, as: UTF8.self)
    }

    static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64.encode(bytes.span, into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: Out

    /// Sends packets, written as version 4 writes them, in one request.
    @discardableResult
    func post(_ packets: String...) throws -> TestResponse {
        try post(packets)
    }

    @discardableResult
    func post(_ packets: [String]) throws -> TestResponse {
        try beginPost(body(packets))
        return try posts.readResponse()
    }

    func beginPost(_ body: [UInt8]) throws {
        try posts.writeRequest("POST", target, [("Content-Type", "text/plain;charset=UTF-8")], body: body)
    }

    func body(_ packets: [String]) throws -> [UInt8] {
        var writer = EnginePayloadWriter(form: version == .v4 ? .separated : .counted)
        var body: [UInt8] = []
        for packet in packets {
            let bytes = Array(packet.utf8)
            let frame = try EngineFrame.decode(text: bytes.span, version: .v4)
            let data = Array(bytes[frame.data])
            if frame.coding == .base64 {
                let decoded = Base64.decode(data.span) ?? []
                writer.append(.message, decoded.span, isBinary: true, to: &body)
            } else {
                writer.append(frame.type, data.span, to: &body)
            }
        }
        return body
    }

    // MARK: Upgrade

    /// A WebSocket for this session, not tried yet.
    func openWebSocket() throws -> TestWebSocket {
        try TestWebSocket(server.connect(), server.target("websocket", version: version, sid: sid) + query)
    }

    /// Goes over to a WebSocket as clients do, with no poll under way.
    func upgrade() throws -> TestWebSocket {
        let webSocket = try openWebSocket()
        try webSocket.send("2probe")
        guard try webSocket.nextText() == "3probe" else { throw TestFailure(description: "the probe was not answered") }
        try webSocket.send("5")
        return webSocket
    }
}
