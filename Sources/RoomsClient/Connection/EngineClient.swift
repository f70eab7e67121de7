import Wire

protocol EngineClientOwner: AnyObject {
    func engineOpened(_ engine: EngineClient)
    /// A message without its Engine.IO type.
    func engineReceived(_ message: Span<UInt8>, isBinary: Bool, _ engine: EngineClient)
    /// What was written has been taken, after it had not been.
    func engineDrained(_ engine: EngineClient)
    func engineEnded(_ end: ConnectionEnd, _ engine: EngineClient)
}

/// One session of Engine.IO 4, over a WebSocket, polling, or first the latter and then the former.
final class EngineClient {
    private let loop: ClientLoop
    private let url: ServerURL
    private let options: ConnectionOptions
    private var owner: (any EngineClientOwner)?
    private var polling: PollingChannel?
    private var webSocket: WebSocketChannel?
    /// A WebSocket that will replace polling.
    private var probe: WebSocketChannel?
    private var probeIsAnswered = false
    private(set) var maxPayload = 1_000_000
    private var isOpen = false
    private var heartbeatMilliseconds: Int64 = 60_000
    private var lastHeard: Int64 = 0
    private let heartbeat = ClientTimer()
    private var scratch: [UInt8] = []

    init(_ loop: ClientLoop, _ url: ServerURL, _ options: ConnectionOptions, owner: any EngineClientOwner) {
        self.loop = loop
        self.url = url
        self.options = options
        self.owner = owner
    }

    /// Whether messages wait for the network.
    var isBackedUp: Bool { webSocket?.isBackedUp ?? polling?.isBackedUp ?? false }
    var isUpgraded: Bool { webSocket != nil }

    func open() {
        lastHeard = loop.now
        heartbeat.fire = { [unowned self] in self.checkHeartbeat() }
        loop.arm(heartbeat, in: options.connectTimeoutMilliseconds)
        if options.transport == .webSocket {
            let channel = WebSocketChannel(
                loop, url, options, target: url.target("websocket", sid: nil, room: options.room), owner: self)
            webSocket = channel
            channel.open()
        } else {
            let channel = PollingChannel(loop, url, options, owner: self)
            polling = channel
            channel.open()
        }
    }

    // MARK: Packets

    private func received(_ type: EnginePacketType, _ data: Span<UInt8>, isBinary: Bool) {
        lastHeard = loop.now
        switch type {
        case .open: opened(data)
        case .ping: send(.pong, data)
        case .message where isOpen: owner?.engineReceived(data, isBinary: isBinary, self)
        case .close: end(ConnectionEnd("the server ended the session"))
        default: break
        }
    }

    private func opened(_ data: Span<UInt8>) {
        guard !isOpen, let handshake = try? JSONReader(data.withUnsafeBufferPointer { Array($0) }),
            let sid = handshake["sid"]?.string, let interval = handshake["pingInterval"]?.int,
            let timeout = handshake["pingTimeout"]?.int, sid.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return end(ConnectionEnd("what the server opened is no session")) }
        isOpen = true
        maxPayload = min(max(handshake["maxPayload"]?.int ?? maxPayload, 1), 1 << 30)
        heartbeatMilliseconds = Int64(clamping: min(max(interval, 0), 1 << 31) + min(max(timeout, 0), 1 << 31))
        loop.arm(heartbeat, in: heartbeatMilliseconds)
        polling?.opened(sid: sid, maxPayload: maxPayload)
        let mayUpgrade = handshake["upgrades"]?.items?.contains { $0.string == "websocket" } ?? false
        owner?.engineOpened(self)
        if options.transport == .pollingThenWebSocket, mayUpgrade, polling != nil, owner != nil { beginUpgrade(sid) }
    }

    private func checkHeartbeat() {
        guard isOpen else { return end(ConnectionEnd("no session in time")) }
        let left = lastHeard + heartbeatMilliseconds - loop.now
        guard left <= 0 else { return loop.arm(heartbeat, in: left) }
        end(ConnectionEnd("the server was not heard from for \(heartbeatMilliseconds) ms"))
    }

    /// Sends a message. `body` appends its bytes, without the Engine.IO type.
    func send(_ body: (inout [UInt8]) -> Void) {
        guard let webSocket else {
            var text: [UInt8] = []
            body(&text)
            polling?.send(.message, text)
            return
        }
        var text: [UInt8] = []
        swap(&text, &scratch)
        text.removeAll(keepingCapacity: text.capacity < 4_096)
        text.append(EnginePacketType.message.digit)
        body(&text)
        webSocket.send(text.span)
        swap(&text, &scratch)
    }

    private func send(_ type: EnginePacketType, _ data: Span<UInt8>) {
        guard let webSocket else {
            polling?.send(type, data.withUnsafeBufferPointer { Array($0) })
            return
        }
        webSocket.send(Self.packet(type, data).span)
    }

    private static func packet(_ type: EnginePacketType, _ data: Span<UInt8>) -> [UInt8] {
        data.withUnsafeBufferPointer { [type.digit] + $0 }
    }

    // MARK: The end

    private func end(_ end: ConnectionEnd) {
        let owner = owner
        close(isCut: false, withFarewell: false)
        owner?.engineEnded(end, self)
    }

    /// Ends without telling the owner. What was sent in this turn goes out before, unless it is `cut`.
    func close(isCut: Bool = false, withFarewell: Bool = true) {
        owner = nil
        loop.cancel(heartbeat)
        heartbeat.fire = nil
        webSocket?.close(isCut: isCut)
        probe?.close(isCut: isCut)
        polling?.close(isCut: isCut, withFarewell: withFarewell && !isCut)
        webSocket = nil
        probe = nil
        polling = nil
    }

    /// Stops or continues reading, to act as a slow reader.
    func setReading(_ isReading: Bool) {
        webSocket?.stream.setReading(isReading)
        polling?.setReading(isReading)
    }
}

// MARK: - Over a WebSocket

extension EngineClient: WebSocketChannelOwner {
    func webSocketOpened(_ channel: WebSocketChannel) {
        if channel === probe { channel.send(Self.packet(.ping, Self.probeText.span).span) }
    }

    func webSocketReceived(_ message: Span<UInt8>, isBinary: Bool, _ channel: WebSocketChannel) {
        let frame =
            isBinary
            ? try? EngineFrame.decode(binary: message, version: .v4)
            : try? EngineFrame.decode(text: message, version: .v4)
        guard let frame else { return end(ConnectionEnd("what the server sent is no packet")) }
        let data = message.extracting(frame.data)
        if channel === probe {
            probed(frame.type, data)
        } else if frame.coding != .base64 {
            received(frame.type, data, isBinary: isBinary)
        }
    }

    func webSocketDrained(_ channel: WebSocketChannel) {
        if channel === webSocket { owner?.engineDrained(self) }
    }

    func webSocketEnded(_ end: ConnectionEnd, _ channel: WebSocketChannel) {
        if channel === webSocket {
            self.end(end)
        } else if channel === probe {
            // Polling continues as if no WebSocket had been tried.
            probe = nil
            polling?.resume()
        }
    }
}

// MARK: - Over polling, and from there to a WebSocket

extension EngineClient: PollingChannelOwner {
    func pollingReceived(_ packets: [EnginePacket], _ channel: PollingChannel) {
        for packet in packets where channel === polling {
            received(packet.type, packet.data.span, isBinary: packet.isBinary)
        }
    }

    func pollingEnded(_ end: ConnectionEnd, _ channel: PollingChannel) {
        if channel === polling { self.end(end) }
    }

    private static let probeText = Array("probe".utf8)

    private func beginUpgrade(_ sid: String) {
        let channel = WebSocketChannel(
            loop, url, options, target: url.target("websocket", sid: sid, room: options.room), owner: self)
        probe = channel
        probeIsAnswered = false
        channel.open()
    }

    private func probed(_ type: EnginePacketType, _ data: Span<UInt8>) {
        guard type == .pong, data.equals(Self.probeText), !probeIsAnswered else { return }
        probeIsAnswered = true
        polling?.pause()
    }

    func pollingDrained(_ channel: PollingChannel) {
        if channel === polling { owner?.engineDrained(self) }
    }

    /// The server holds nothing back any more: all that it has sent over polling has come.
    func pollingPaused(_ channel: PollingChannel) {
        guard channel === polling, let probe, probeIsAnswered else { return }
        probe.send(Self.packet(.upgrade, [UInt8]().span).span)
        webSocket = probe
        self.probe = nil
        polling = nil
        for packet in channel.takeOutbox() { probe.send(Self.packet(packet.type, packet.text.span).span) }
        channel.close()
        owner?.engineDrained(self)
    }
}
