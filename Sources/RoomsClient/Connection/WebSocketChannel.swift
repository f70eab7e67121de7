import Wire

protocol WebSocketChannelOwner: AnyObject {
    func webSocketOpened(_ channel: WebSocketChannel)
    func webSocketReceived(_ message: Span<UInt8>, isBinary: Bool, _ channel: WebSocketChannel)
    func webSocketDrained(_ channel: WebSocketChannel)
    func webSocketEnded(_ end: ConnectionEnd, _ channel: WebSocketChannel)
}

/// A WebSocket: its opening handshake, messages of text in both directions, and binary ones from the server.
final class WebSocketChannel: ByteStreamOwner {
    private enum Phase { case connecting, upgrading, open, ended }

    private let loop: ClientLoop
    private let url: ServerURL
    private let options: ConnectionOptions
    private let target: String
    private var owner: (any WebSocketChannelOwner)?
    private(set) lazy var stream = ByteStream(loop, url, options.trust, owner: self)
    private var phase = Phase.connecting
    private var reader = HTTPResponseReader(bodyBytesMax: 64 * 1024)
    private var decoder: Decoder?
    private var acceptance = ""

    /// Noncopyable, so it lives in a box.
    private final class Decoder {
        var decoder: WebSocketDecoder

        init(_ limits: WebSocketLimits) {
            decoder = WebSocketDecoder(role: .client, limits: limits)
        }
    }

    init(
        _ loop: ClientLoop, _ url: ServerURL, _ options: ConnectionOptions, target: String,
        owner: any WebSocketChannelOwner
    ) {
        self.loop = loop
        self.url = url
        self.options = options
        self.target = target
        self.owner = owner
    }

    func open() {
        stream.open(timeoutMilliseconds: options.connectTimeoutMilliseconds)
    }

    var isBackedUp: Bool { stream.isBackedUp }

    // MARK: The handshake

    func streamOpened() {
        phase = .upgrading
        let nonce = (0..<16).map { _ in UInt8.random(in: 0...255) }
        let key = WebSocketHandshake.key(random: nonce.span)
        acceptance = WebSocketHandshake.accept(key: key) ?? ""
        let head = """
            GET \(target) HTTP/1.1\r
            Host: \(url.authority)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: \(key)\r
            User-Agent: \(options.userAgent)\r
            \r

            """
        stream.write { $0.append(contentsOf: head.utf8) }
    }

    func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) {
        guard phase == .upgrading else { return read(bytes) }
        let input = UnsafeRawBufferPointer(bytes).assumingMemoryBound(to: UInt8.self)
        var offset = 0
        do throws(ClientError) {
            guard let answer = try reader.nextOfServer(input.span, &offset) else { return }
            guard answer.status == 101 else { return fail(ConnectionEnd(answer)) }
            guard answer["upgrade"]?.lowercased() == "websocket", answer["sec-websocket-accept"] == acceptance,
                answer["sec-websocket-extensions"] == nil
            else { return fail(ConnectionEnd("the server's answer opens no WebSocket")) }
        } catch {
            return fail(ConnectionEnd("\(error)"))
        }
        phase = .open
        decoder = Decoder(options.webSocketLimits)
        owner?.webSocketOpened(self)
        if offset < bytes.count, phase == .open { read(UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])) }
    }

    // MARK: Messages

    private func read(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let decoder else { return }
        let input = bytes.assumingMemoryBound(to: UInt8.self)
        var span = input.mutableSpan
        var offset = 0
        while phase == .open {
            do throws(WebSocketError) {
                let event = try decoder.decoder.next(&span, offset: &offset)
                if case .needMore = event { return }
                take(event, input, decoder)
            } catch {
                stream.write { out in
                    WebSocketFrame.appendMasked(
                        closeCode: error.closeCode, reason: error.reason, key: loop.nextMaskKey(), into: &out)
                }
                return fail(ConnectionEnd("what the server sent is no WebSocket: \(error.reason)"))
            }
        }
    }

    private func take(
        _ event: WebSocketDecoder.Event, _ input: UnsafeMutableBufferPointer<UInt8>, _ decoder: Decoder
    ) {
        switch event {
        case .text(.input(let range)):
            owner?.webSocketReceived(UnsafeBufferPointer(rebasing: input[range]).span, isBinary: false, self)
        case .text(.assembled):
            owner?.webSocketReceived(decoder.decoder.assembled.span, isBinary: false, self)
        case .binary(.input(let range)):
            owner?.webSocketReceived(UnsafeBufferPointer(rebasing: input[range]).span, isBinary: true, self)
        case .binary(.assembled):
            owner?.webSocketReceived(decoder.decoder.assembled.span, isBinary: true, self)
        case .ping(let payload):
            let bytes = self.bytes(payload, input, decoder)
            stream.write { out in
                WebSocketFrame.appendMasked(.pong, bytes.span, key: loop.nextMaskKey(), into: &out)
            }
        case .close(let code, let reason):
            let text = String(decoding: bytes(reason, input, decoder), as: UTF8.self)
            stream.write { WebSocketFrame.appendMasked(closeCode: code, key: loop.nextMaskKey(), into: &$0) }
            fail(ConnectionEnd(text.isEmpty ? "the server closed the connection" : text, closeCode: code))
        case .pong, .needMore: break
        }
    }

    private func bytes(
        _ payload: WebSocketDecoder.Payload, _ input: UnsafeMutableBufferPointer<UInt8>, _ decoder: Decoder
    ) -> [UInt8] {
        switch payload {
        case .input(let range): Array(input[range])
        case .assembled: decoder.decoder.assembled
        }
    }

    func send(_ text: Span<UInt8>) {
        guard phase == .open else { return }
        stream.write { WebSocketFrame.appendMasked(.text, text, key: loop.nextMaskKey(), into: &$0) }
    }

    func streamDrained() {
        owner?.webSocketDrained(self)
    }

    // MARK: The end

    func streamEnded(_ reason: String) {
        fail(ConnectionEnd(reason))
    }

    private func fail(_ end: ConnectionEnd) {
        guard phase != .ended else { return }
        phase = .ended
        stream.close()
        let owner = owner
        self.owner = nil
        owner?.webSocketEnded(end, self)
    }

    /// Ends without telling the owner; with a farewell to the server, unless it is to look like a lost connection.
    func close(isCut: Bool = false) {
        guard phase != .ended else { return }
        if phase == .open, !isCut {
            stream.write { out in
                WebSocketFrame.appendMasked(
                    closeCode: WebSocketCloseCode.normal, key: loop.nextMaskKey(), into: &out)
            }
        }
        phase = .ended
        owner = nil
        if isCut { stream.cut() } else { stream.close() }
    }
}
