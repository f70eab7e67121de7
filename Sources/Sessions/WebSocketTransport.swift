import Transport
import Wire

/// Engine.IO over a WebSocket: one packet in each message.
final class WebSocketTransport: WebSocketHandler {
    /// Until the session is forgotten. A weak reference would cost time with every message.
    var session: EngineSession?
    private let version: EngineVersion
    /// False for a client that ignores close frames.
    private let hearsCloseFrames: Bool
    private var webSocket: WebSocketConnection?
    private var probeAnswerWaits = false
    private var inflow = Inflow.passing
    private var heldBackBytes = 0

    private enum Inflow {
        case passing
        /// The session is told before the first message is handled.
        case watched
        /// Older packets may still arrive by polling, so messages of the WebSocket wait.
        case held([(bytes: [UInt8], isBinary: Bool)])
    }

    init(_ session: EngineSession?, version: EngineVersion, headers: HTTPHeaders) {
        self.session = session
        self.version = version
        hearsCloseFrames = !Self.isBareOkHttp(headers)
    }

    /// OkHttp stops reading at a close frame and leaves the rest to its application. The stock Java client does nothing then, and
    /// takes itself for connected until its ping time-out; the end of the stream it notices at once. Pages (with an `Origin`, such
    /// as those of React Native, which is on OkHttp too) know what to do.
    private static func isBareOkHttp(_ headers: HTTPHeaders) -> Bool {
        headers.first(named: "User-Agent")?.hasPrefix("okhttp/") == true && headers.first(named: "Origin") == nil
    }

    func attach(_ webSocket: WebSocketConnection) {
        self.webSocket = webSocket
    }

    var isGone: Bool { webSocket == nil }
    var isBlocked: Bool { webSocket?.isBlocked ?? true }

    func wantFlush() {
        webSocket?.wantFlush()
    }

    // MARK: In

    func received(_ message: Span<UInt8>, isBinary: Bool) {
        guard let session else { return }
        if case .held = inflow { return hold(message, isBinary, session) }
        let frame: EngineFrame
        do throws(EngineFrame.Failure) {
            frame =
                isBinary
                ? try .decode(binary: message, version: version) : try .decode(text: message, version: version)
        } catch {
            return isInUse ? session.end(.parseError) : session.dropCandidate()
        }
        let data = message.extracting(frame.data)
        guard isInUse else { return session.receivedByCandidate(frame.type, data) }
        if case .watched = inflow, frame.type == .message {
            guard !session.waitsForLatePost(before: data) else {
                holdBack()
                return hold(message, isBinary, session)
            }
            inflow = .passing
            session.forgetPollingTail()
        }
        switch frame.coding {
        case .text: session.received(frame.type, data, isBinary: false)
        case .binary: session.received(frame.type, data, isBinary: true)
        case .base64:
            guard let decoded = Base64.decode(data) else { return session.end(.parseError) }
            session.received(frame.type, decoded.span, isBinary: true)
        }
    }

    func receivedControl() {
        _ = session?.charge(1)
    }

    // MARK: Around the upgrade

    var isHoldingBack: Bool {
        if case .held = inflow { true } else { false }
    }

    /// From now on messages wait until `pass`.
    func holdBack() {
        if !isHoldingBack { inflow = .held([]) }
    }

    /// Handles the waiting messages, and then new ones as they arrive.
    ///
    /// - Parameter watching: whether the session is told before the first message.
    func pass(watching: Bool = false) {
        var waiting: [(bytes: [UInt8], isBinary: Bool)] = []
        if case .held(let held) = inflow { waiting = held }
        inflow = watching ? .watched : .passing
        heldBackBytes = 0
        for message in waiting { received(message.bytes.span, isBinary: message.isBinary) }
    }

    /// The memory of a waiting message besides its bytes: the head of its array, and a place in a growing one.
    private static let heldMessageBytes = 80

    private func hold(_ message: Span<UInt8>, _ isBinary: Bool, _ session: EngineSession) {
        heldBackBytes += message.count + Self.heldMessageBytes
        guard heldBackBytes <= session.configuration.maxPayloadBytes, case .held(var waiting) = inflow else {
            return session.end(.transportError)
        }
        inflow = .passing
        waiting.append((message.withUnsafeBufferPointer { Array($0) }, isBinary))
        inflow = .held(waiting)
    }

    private var isInUse: Bool {
        if case .webSocket(let current) = session?.transport { return current === self }
        return false
    }

    // MARK: Out

    func sendProbeAnswer() {
        probeAnswerWaits = true
        webSocket?.wantFlush()
    }

    func flush() {
        guard let webSocket else { return }
        if probeAnswerWaits {
            probeAnswerWaits = false
            _ = Array("3probe".utf8).withUnsafeBytes { webSocket.write($0) }
        }
        guard isInUse, let session else { return }
        while let packet = session.outbox.next {
            session.outbox.removeFirst()
            if write(packet, to: webSocket, base64Only: session.base64Only) != .sent { break }
        }
        guard session.outbox.isEmpty else { return }
        if session.state == .farewell {
            session.farewellSaid()
        } else if !webSocket.isBlocked {
            session.drained()
        }
    }

    func writeFrames(_ pieces: Span<UnsafeRawBufferPointer>) -> SendResult {
        webSocket?.writeEncoded(pieces) ?? .closed
    }

    private func write(_ packet: Outbox.Packet, to webSocket: WebSocketConnection, base64Only: Bool) -> SendResult {
        guard packet.isBinary else {
            return packet.bytes.withUnsafeBytes { webSocket.write($0, prefix: packet.type.digit) }
        }
        guard !base64Only else {
            var text: [UInt8] = []
            EngineFrame.appendBase64(packet.bytes.span, version: version, to: &text)
            return text.withUnsafeBytes { webSocket.write($0) }
        }
        return packet.bytes.withUnsafeBytes {
            webSocket.write($0, prefix: EngineFrame.binaryPrefix(version: version), isBinary: true)
        }
    }

    // MARK: The end

    func close() {
        close(code: 1000)
    }

    /// Sends queued packets, as far as the client takes them now.
    func flushNow() {
        webSocket?.flushNow()
    }

    /// Sends the end.
    func finish(_ reason: DisconnectReason) {
        switch reason {
        case .slowReader, .tooManyPackets: close(code: 1008, reason: reason.rawValue)
        case .serverShuttingDown: close(code: 1001, reason: reason.rawValue)
        case .parseError, .transportError: close(code: 1002, reason: reason.rawValue)
        case .displaced: close(code: 1013, reason: reason.rawValue)
        default: close(code: 1000)
        }
    }

    /// The packet "close" would help nobody here: the Java client ignores it, and python-socketio does not come back after it.
    private func close(code: UInt16, reason: String = "") {
        guard hearsCloseFrames else { return webSocket?.finish() ?? () }
        webSocket?.close(code: code, reason: reason)
    }

    func closed(code: UInt16, reason: CloseReason) {
        webSocket = nil
        guard let session else { return }
        if isInUse {
            session.transportClosed(Self.disconnectReason(reason))
        } else if session.candidate === self {
            session.dropCandidate()
        }
        self.session = nil
    }

    private static func disconnectReason(_ reason: CloseReason) -> DisconnectReason {
        switch reason {
        case .peerClosed, .finished: .transportClose
        case .slowReader: .slowReader
        case .serverStopping: .serverShuttingDown
        default: .transportError
        }
    }
}
