import Wire

/// A request for a WebSocket that was answered with something else.
struct TestRefusal: Error {
    let response: TestResponse
}

/// The client's side of a WebSocket, blocking.
final class TestWebSocket: @unchecked Sendable {
    enum Event: Equatable {
        case text(String)
        case binary([UInt8])
        case pong([UInt8])
        case close(UInt16?)
        /// The connection is gone.
        case end
    }

    let connection: TestConnection
    /// The answer with which the WebSocket began.
    let response: TestResponse
    private var decoder: WebSocketDecoder
    private var events: ArraySlice<Event> = []
    private let deflate: PerMessageDeflate?
    private let context = DeflateContext()

    /// Throws `TestRefusal` when the server does not want it.
    init(
        _ connection: TestConnection, _ target: String, _ headers: [(String, String)] = [], offersDeflate: Bool = false
    ) throws {
        self.connection = connection
        var headers =
            headers + [
                ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
                ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ]
        if offersDeflate { headers.append(("Sec-WebSocket-Extensions", PerMessageDeflate.offer())) }
        response = try connection.request("GET", target, headers)
        guard response.status == 101 else { throw TestRefusal(response: response) }
        deflate = response["Sec-WebSocket-Extensions"].flatMap { PerMessageDeflate.accept(response: $0) }
        decoder = WebSocketDecoder(
            role: .client, limits: WebSocketLimits(frameBytesMax: 64 << 20, messageBytesMax: 64 << 20),
            deflate: deflate, context: context)
    }

    // MARK: Out

    func send(_ text: String) throws {
        try send(.text, Array(text.utf8))
    }

    func send(binary bytes: [UInt8]) throws {
        try send(.binary, bytes)
    }

    /// Sends several texts in one piece, so that the server reads them in one turn.
    func send(together texts: [String]) throws {
        var bytes: [UInt8] = []
        for text in texts {
            WebSocketFrame.appendMasked(.text, Array(text.utf8).span, key: 0x5EED_1E55, into: &bytes)
        }
        try connection.write(bytes)
    }

    /// Sends a text compressed; the server has agreed to that.
    func send(compressed text: String) throws {
        var payload: [UInt8] = []
        context.compress(Array(text.utf8).span, into: &payload)
        var frame: [UInt8] = []
        WebSocketFrame.appendMasked(.text, payload.span, key: 0x0102_0304, compressed: true, into: &frame)
        try connection.write(frame)
    }

    /// Sends empty control frames, in one piece.
    func send(_ opcode: WebSocketOpcode, times: Int) throws {
        var bytes: [UInt8] = []
        for _ in 0..<times { WebSocketFrame.appendMasked(opcode, [UInt8]().span, key: 9, into: &bytes) }
        try connection.write(bytes)
    }

    func sendClose(_ code: UInt16 = 1000) throws {
        var frame: [UInt8] = []
        WebSocketFrame.appendMasked(closeCode: code, key: 7, into: &frame)
        try connection.write(frame)
    }

    private func send(_ opcode: WebSocketOpcode, _ payload: [UInt8]) throws {
        var frame: [UInt8] = []
        WebSocketFrame.appendMasked(opcode, payload.span, key: 0xA1B2_C3D4, into: &frame)
        try connection.write(frame)
    }

    // MARK: In

    func next() throws -> Event {
        while events.isEmpty {
            if connection.buffer.isEmpty, try !connection.receive() { return .end }
            try decode(connection.takeAll())
        }
        return events.removeFirst()
    }

    func nextText() throws -> String {
        let event = try next()
        guard case .text(let text) = event else { throw TestFailure(description: "no text came, but \(event)") }
        return text
    }

    /// Whether anything comes within a short time.
    func isReadable(within milliseconds: Int) -> Bool {
        !events.isEmpty || connection.isReadable(within: milliseconds)
    }

    /// Reads on until the server closes; answers its code and the texts that came before.
    func readToClose() throws -> (code: UInt16?, texts: [String]) {
        var texts: [String] = []
        while true {
            switch try next() {
            case .close(let code): return (code, texts)
            case .end: return (nil, texts)
            case .text(let text): texts.append(text)
            case .binary, .pong: break
            }
        }
    }

    private func decode(_ bytes: [UInt8]) throws {
        var bytes = bytes
        var offset = 0
        while true {
            var span = bytes.mutableSpan
            let event = try decoder.next(&span, offset: &offset)
            if case .needMore = event { return }
            record(event, bytes)
        }
    }

    private func record(_ event: WebSocketDecoder.Event, _ bytes: [UInt8]) {
        switch event {
        case .needMore, .ping: break
        case .text(let payload): events.append(.text(String(decoding: content(payload, bytes), as: UTF8.self)))
        case .binary(let payload): events.append(.binary(content(payload, bytes)))
        case .pong(let payload): events.append(.pong(content(payload, bytes)))
        case .close(let code, _): events.append(.close(code))
        }
    }

    private func content(_ payload: WebSocketDecoder.Payload, _ bytes: [UInt8]) -> [UInt8] {
        switch payload {
        case .input(let range): Array(bytes[range])
        case .assembled: decoder.assembled
        }
    }
}
