import Foundation
import TestSupport
import Threads

@testable import Transport
@testable import Wire

/// The service of most tests: a route for each thing that an application may do with a request.
final class Routes: Sendable {
    private struct State {
        /// Requests whose answers are held open. Each is used on its shard's thread alone, as are the WebSockets.
        var held: [HTTPExchange] = []
        var sockets: [ObjectIdentifier: EchoSocket] = [:]
    }

    private let state = Locked(State())
    let aborts = Locked<[CloseReason]>([])
    let closes = Locked<[(code: UInt16, reason: CloseReason)]>([])
    /// Texts that came over WebSockets.
    let heard = Locked<[String]>([])
    /// Bytes that streamed answers were asked for.
    let streamed = Counter()

    var heldCount: Int { state.withLock { $0.held.count } }

    var handler: TestServer.Handler {
        { [self] exchange, shard in handle(exchange, shard) }
    }

    private func handle(_ exchange: HTTPExchange, _ shard: Shard) {
        let number = Int(exchange.head.query ?? "") ?? 0
        exchange.aborted = { [aborts] reason in aborts.withLock { $0.append(reason) } }
        switch exchange.head.path {
        case "/hello": exchange.respond(200, text: "hello")
        case "/peer": exchange.respond(200, text: exchange.peer.text)
        case "/secure": exchange.respond(200, text: exchange.isSecure ? "yes" : "no")
        case "/echo": exchange.receiveBody(max: 1 << 20) { $0.respond(200, body: $1) }
        case "/count": count(exchange)
        case "/hold": hold(exchange)
        case "/later": shard.arm(LoopTimer { exchange.respond(200, text: "later") }, in: 20)
        case "/twice":
            exchange.respond(200, text: "first")
            exchange.respond(200, text: "second")
        case "/early": exchange.respond(403, text: "no")
        case "/early-in-body":
            exchange.streamBody(max: 64 << 20) { _ in
                exchange.respond(403, text: "no")
            } done: { _ in
            }
        case "/abort": exchange.abort()
        case "/abort-in-body":
            exchange.streamBody(max: 1 << 20) { _ in
                exchange.abort()
            } done: { _ in
            }
        case "/bytes": exchange.respond(200, body: Array(repeating: UInt8(ascii: "b"), count: number))
        case "/stream": stream(exchange, number)
        case "/short": exchange.respond(200, [], length: number) { _ in 0 }
        case "/bad-header": exchange.respond(200, [("X-A", "a\r\nX-B: b")], text: "")
        case "/status": exchange.respond(number)
        case "/move":
            if shard.index != number { exchange.move(to: number) } else { answerMoved(exchange, shard) }
        case "/move-and-answer":
            if shard.index != number {
                exchange.move(to: number)
                exchange.respond(500, text: "from where it left")
            } else {
                answerMoved(exchange, shard)
            }
        case "/shard": exchange.respond(200, text: "\(shard.index)")
        case "/ws": upgrade(exchange, shard)
        case "/ws-later": shard.arm(LoopTimer { self.upgrade(exchange, shard) }, in: 20)
        case "/ws-always":
            let offer = HTTPRequestHead.WebSocketOffer(
                key: "dGhlIHNhbXBsZSBub25jZQ==", version: 13, extensions: "", protocols: [])
            _ = exchange.upgrade(offer, deflate: nil, handler: EchoSocket(self, shard))
        default: exchange.respond(404, text: "not found")
        }
    }

    private func count(_ exchange: HTTPExchange) {
        let total = Counter()
        exchange.streamBody(max: 256 << 20) {
            total.add($0.count)
        } done: { exchange in
            exchange.respond(200, text: "\(total.value)")
        }
    }

    private func answerMoved(_ exchange: HTTPExchange, _ shard: Shard) {
        guard exchange.head.method == .post else { return exchange.respond(200, text: "\(shard.index)") }
        exchange.receiveBody(max: 1 << 20) { $0.respond(200, text: "\(shard.index) \($1.count)") }
    }

    /// The byte at each place follows from the place, so that a gap or a repetition shows.
    private func stream(_ exchange: HTTPExchange, _ length: Int) {
        let place = Counter()
        exchange.respond(200, [], length: length) { [streamed] buffer in
            var filled = 0
            while filled < buffer.count {
                let piece = Routes.stream(from: place.value + filled, atMost: buffer.count - filled)
                let free = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                piece.withUnsafeBytes { free.copyMemory(from: $0) }
                filled += piece.count
            }
            place.add(buffer.count)
            streamed.add(buffer.count)
            return buffer.count
        }
    }

    /// What is streamed, until it begins anew. Whole pieces of it are copied and compared: byte by byte takes a debug
    /// build as long as all other tests of this module together.
    private static let period = (0..<1 << 19).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }

    private static func stream(from place: Int, atMost count: Int) -> ArraySlice<UInt8> {
        let start = place % period.count
        return period[start..<min(start + count, period.count)]
    }

    static func isStreamed(_ body: [UInt8]) -> Bool {
        var place = 0
        while place < body.count {
            let piece = stream(from: place, atMost: body.count - place)
            let isSame = piece.withUnsafeBytes { expected in
                body[place..<place + piece.count].withUnsafeBytes { Data($0) == Data(expected) }
            }
            guard isSame else { return false }
            place += piece.count
        }
        return true
    }

    // MARK: Held answers

    private func hold(_ exchange: HTTPExchange) {
        state.withLock { $0.held.append(exchange) }
    }

    /// Answers what is held, on its own shard.
    func releaseAll(_ server: TestServer) {
        let taken = state.withLock { state in
            defer { state.held = [] }
            return Kept(state.held)
        }
        for mailbox in server.server.mailboxes {
            mailbox.post { shard in
                for exchange in taken.value where exchange.shard === shard { exchange.respond(200, text: "held") }
            }
        }
    }

    // MARK: WebSockets

    private func upgrade(_ exchange: HTTPExchange, _ shard: Shard) {
        guard case .upgrade(let offer) = exchange.head.webSocketUpgrade else {
            return exchange.respond(400, text: "a WebSocket is spoken here")
        }
        let echo = EchoSocket(self, shard)
        echo.webSocket = exchange.upgrade(
            offer, deflate: PerMessageDeflate.negotiate(offers: offer.extensions), handler: echo)
        state.withLock { $0.sockets[ObjectIdentifier(echo)] = echo }
    }

    fileprivate func closed(_ socket: EchoSocket, _ code: UInt16, _ reason: CloseReason) {
        state.withLock { $0.sockets[ObjectIdentifier(socket)] = nil }
        closes.withLock { $0.append((code, reason)) }
    }

    fileprivate func endAll() {
        let all = state.withLock { Kept(Array($0.sockets.values)) }
        for socket in all.value { socket.webSocket?.connection.end(.finished) }
    }

    var socketCount: Int { state.withLock { $0.sockets.count } }

    /// Runs a function with each WebSocket of a shard, on its thread, and waits for it.
    func withSockets(of server: TestServer, shard: Int = 0, _ body: @escaping @Sendable (EchoSocket) -> Void) {
        server.onShard(shard) { [self] shard in
            let all = state.withLock { Kept(Array($0.sockets.values)) }
            for socket in all.value where socket.shard === shard { body(socket) }
        }
    }
}

/// Sends each message back. A message that begins with a command does what it says instead.
final class EchoSocket: WebSocketHandler {
    let shard: Shard
    private let routes: Routes
    var webSocket: WebSocketConnection?
    /// What waits to be written, each with its kind.
    var waiting: [(bytes: [UInt8], isBinary: Bool)] = []
    var results: [SendResult] = []
    var onFlush: (() -> Void)?

    init(_ routes: Routes, _ shard: Shard) {
        self.routes = routes
        self.shard = shard
    }

    func received(_ message: Span<UInt8>, isBinary: Bool) {
        let bytes = message.withUnsafeBufferPointer { Array($0) }
        let text = String(decoding: bytes, as: UTF8.self)
        let words = isBinary ? [] : text.split(separator: " ")
        if !isBinary { routes.heard.withLock { $0.append(text) } }
        switch words.first {
        case "flood": for index in 0..<(Int(words[1]) ?? 0) { queue("message \(index)") }
        case "close": webSocket?.close(code: UInt16(words[1]) ?? 0, reason: "asked for")
        case "close-late":
            usleep(50_000)
            webSocket?.close(code: 1000)
        case "say-and-close":
            onFlush = { [unowned self] in
                onFlush = nil
                write("goodbye")
                webSocket?.close(code: 1000)
            }
        case "end-all": routes.endAll()
        case "pieces":
            let (count, length) = (Int(words[1]) ?? 0, Int(words[2]) ?? 0)
            onFlush = { [unowned self] in
                onFlush = nil
                writeInPieces(count, length)
            }
        case "now":
            queue("now")
            webSocket?.flushNow()
        default: waiting.append((bytes, isBinary))
        }
        webSocket?.wantFlush()
    }

    func queue(_ text: String) {
        waiting.append((Array(text.utf8), false))
    }

    @discardableResult
    func write(_ text: String) -> SendResult? {
        Array(text.utf8).withUnsafeBytes { webSocket?.write($0) }
    }

    /// One encoded message, each of whose pieces lies somewhere else: the first the frame's header, the others all of one
    /// letter.
    private func writeInPieces(_ count: Int, _ length: Int) {
        var header = [UInt8](repeating: 0, count: WebSocketFrame.headerBytesMax)
        let headerCount = header.withUnsafeMutableBytes {
            WebSocketFrame.writeHeader(to: $0, at: 0, opcode: .binary, payloadLength: count * length)
        }
        var pieces = [UnsafeMutableRawBufferPointer.allocate(byteCount: headerCount, alignment: 1)]
        pieces[0].copyBytes(from: header[..<headerCount])
        for piece in 0..<count {
            pieces.append(.allocate(byteCount: length, alignment: 1))
            pieces[piece + 1].initializeMemory(as: UInt8.self, repeating: UInt8(piece & 255))
        }
        let memory = pieces.map { UnsafeRawBufferPointer($0) }
        if let webSocket { results.append(webSocket.writeEncoded(memory.span)) }
        for piece in pieces { piece.deallocate() }
    }

    func flush() {
        onFlush?()
        var written = 0
        defer { waiting.removeFirst(written) }
        while written < waiting.count, let webSocket {
            let next = waiting[written]
            written += 1
            let result = next.bytes.withUnsafeBytes { webSocket.write($0, isBinary: next.isBinary) }
            results.append(result)
            if result != .sent { return }
        }
    }

    func closed(code: UInt16, reason: CloseReason) {
        webSocket = nil
        routes.closed(self, code, reason)
    }
}
