import Relay
import Rooms
import Sessions
import Transport
import Wire

/// A client's connection for its shard, in place of an `EngineSession` and its `Socket`: it writes into a pipe or
/// answers polls, queues output, and ends when too much of it waits.
final class SimulatedConnection: RelaySession, RelaySocket, RelayConnect {
    /// What the client has sent and the shard has not taken.
    enum Sent {
        case connect(RecoveryPayload?)
        case event(name: String, arguments: [UInt8], ackID: UInt64?)
    }

    let number: Int
    let client: ModelClient
    let loop: SimulatedLoop
    private let edge: Edge
    private unowned let world: Simulation
    var sent: [Sent] = []
    var pipe: SimulatedPipe
    /// How many bytes the client reads at a time; 0 while it stalls.
    var readMax: Int
    private let polls: Bool
    private var isPolled = false
    private var outbox: [(bytes: [UInt8], isBinary: Bool)] = []
    private var outboxBytes = 0
    private var isFlushQueued = false
    private var wasBlocked = false

    private(set) var isOpen = true
    private(set) var isConnected = false
    /// Whether the client has gone, which the server may not have noticed.
    var isGone = false
    let opened: ContinuousClock.Instant
    private(set) var identity: SocketIdentity
    var state: AnyObject?
    var memory: AnyObject?
    /// For planted bugs: a position that was sent once, and the newest offset that was written.
    var oldTouch: [UInt8] = []
    var writtenOffset: LogOffset?

    init(
        _ client: ModelClient, _ number: Int, _ loop: SimulatedLoop, _ edge: Edge, _ world: Simulation, readMax: Int,
        capacity: Int
    ) {
        self.client = client
        self.number = number
        self.loop = loop
        self.edge = edge
        self.world = world
        self.readMax = readMax
        polls = client.polls
        // An answer to a poll goes out whole.
        pipe = SimulatedPipe(capacity: client.polls ? .max : capacity)
        opened = world.clockStart.advanced(by: .seconds(10 * number))
        identity = SocketIdentity(
            sid: SessionID(node: loop.node.number, shard: loop.index, using: &world.ids), pid: nil)
    }

    var name: String { "connection \(number) on \(loop.node.number).\(loop.index)" }
    var peer: PeerAddress { PeerAddress(.loopback) }
    var isSecure: Bool { false }
    var transportName: String { polls ? "polling" : "websocket" }
    var isDraining: Bool { loop.node.isDraining }
    var canReturn: Bool { true }
    var relaySession: any RelaySession { self }
    var relaySocket: any RelaySocket { self }

    // MARK: In

    /// The shard takes the next thing that the client has sent.
    func takeSent() {
        guard isOpen, !sent.isEmpty else { return }
        switch sent.removeFirst() {
        case .connect(let payload):
            let admission = client.admission
            state = admission
            edge.admit(self, admission, payload)
        case .event(let name, let arguments, let ackID):
            guard isConnected else { return }
            edge.received(
                Array(name.utf8).span, arguments.span, SocketCall(ackID: ackID, attachments: []), on: self)
        }
    }

    func proceed(as identity: SocketIdentity?) {
        if let identity { self.identity = identity }
        guard isOpen else { return }
        var text: [UInt8] = []
        SocketPacketWriter.appendConnected(
            sid: self.identity.sid.description, pid: self.identity.pid?.description, version: .v5, namespace: [],
            to: &text)
        guard send(text, isBinary: false) else { return }
        isConnected = true
        edge.connected(self)
    }

    /// The client waits for packets.
    func poll() {
        guard polls, isOpen, !isPolled, !isGone, pipe.isEmpty else { return }
        isPolled = true
        flush()
    }

    /// Whether blocked output has been sent since, which the shard has to learn.
    var wantsWritable: Bool { isOpen && !polls && wasBlocked && !pipe.isBlocked }

    func writable() {
        wasBlocked = false
        flush()
    }

    // MARK: Out

    /// Some get binary messages in packets, as clients of version 3 do.
    var takesBinaryFrames: Bool { client.number % 3 != 0 }
    var isWritable: Bool { isOpen && outbox.isEmpty && (polls ? isPolled : !pipe.isBlocked) }

    @discardableResult
    func emit(_ event: String, _ arguments: [UInt8]) -> Bool {
        guard isConnected else { return false }
        var text: [UInt8] = []
        SocketPacketWriter.appendEvent(
            event, arguments: arguments.span, attachments: 0, namespace: [], ackID: nil, to: &text)
        return send(text, isBinary: false)
    }

    func acknowledge(_ call: SocketCall, _ arguments: [UInt8]) {
        guard let ackID = call.ackID, isConnected else { return }
        var text: [UInt8] = []
        SocketPacketWriter.appendAck(ackID, arguments: arguments.span, attachments: 0, namespace: [], to: &text)
        send(text, isBinary: false)
    }

    @discardableResult
    func send(_ bytes: [UInt8], isBinary: Bool) -> Bool {
        guard isOpen else { return false }
        outbox.append((bytes, isBinary))
        outboxBytes += bytes.count
        guard outboxBytes <= world.outboundBytesMax else {
            world.reach(.slowReader)
            close(.slowReader)
            return false
        }
        if !isFlushQueued {
            isFlushQueued = true
            loop.queueFlush(self)
        }
        return true
    }

    func flushTurn() {
        isFlushQueued = false
        if !pipe.isBlocked { flush() }
    }

    /// Like a session's transport: it sends the queued output, and then the relay learns that the client can take more.
    private func flush() {
        guard isOpen else { return }
        guard !polls else { return answerPoll() }
        while !pipe.isBlocked, let packet = takeFirst() { write(packet) }
        if outbox.isEmpty, !pipe.isBlocked, isConnected { edge.drained(self) }
    }

    private func answerPoll() {
        guard isPolled else { return }
        if outbox.isEmpty, isConnected { edge.drained(self) }
        guard isPolled, !outbox.isEmpty else { return }
        isPolled = false
        world.reach(.polled)
        while let packet = takeFirst() { write(packet) }
    }

    private func takeFirst() -> (bytes: [UInt8], isBinary: Bool)? {
        guard !outbox.isEmpty else { return nil }
        outboxBytes -= outbox[0].bytes.count
        return outbox.removeFirst()
    }

    /// A packet as a frame, also in the answer to a poll: the client reads both in the same way.
    private func write(_ packet: (bytes: [UInt8], isBinary: Bool)) {
        var frame: [UInt8] = []
        let message = packet.isBinary ? packet.bytes : [UInt8(ascii: "4")] + packet.bytes
        WebSocketFrame.appendHeader(
            opcode: packet.isBinary ? .binary : .text, payloadLength: message.count, into: &frame)
        frame += message
        pipe.send(frame)
        if pipe.isBlocked { wasBlocked = true }
    }

    func makeReadyForFrames() -> Bool {
        guard !polls, isOpen else { return false }
        if !outbox.isEmpty { flush() }
        if pipe.isBlocked, isOpen, world.strikes(.writesWhileBlocked) || world.strikes(.skipsBlockedMember) {
            return outbox.isEmpty
        }
        return isOpen && outbox.isEmpty && !pipe.isBlocked
    }

    func writeFrames(_ pieces: Span<UnsafeRawBufferPointer>) -> SendResult {
        guard isOpen else { return .closed }
        if world.random.below(400) == 0 {
            world.note("\(name) breaks")
            world.reach(.brokeWhileWriting)
            end(.transportError)
            return .closed
        }
        if pipe.isBlocked {
            if world.fault == .skipsBlockedMember { return .sent }
            world.fail("a write to a blocked connection")
        }
        var bytes: [UInt8] = []
        for index in pieces.indices { bytes.append(contentsOf: pieces[index]) }
        pipe.send(world.fault == nil ? bytes : world.spoilt(bytes, self))
        if world.strikes(.losesTail) { pipe.cutTail() }
        world.reach(.blocked, if: pipe.isBlocked)
        if pipe.isBlocked { wasBlocked = true }
        return pipe.isBlocked ? .blocked : .sent
    }

    // MARK: The end

    func disconnect(closingSession: Bool) {
        guard isConnected else { return }
        var text: [UInt8] = []
        SocketPacketWriter.appendDisconnect(to: &text)
        send(text, isBinary: false)
        guard isConnected else { return }
        isConnected = false
        edge.disconnected(self, .serverNamespaceDisconnect)
        if closingSession { close(.forcedServerClose) }
    }

    func close(_ reason: DisconnectReason) { end(reason) }

    /// The connection ends on the server. The client may still read bytes that were sent before.
    func end(_ reason: DisconnectReason) {
        guard isOpen else { return }
        while !polls, !pipe.isBlocked, let packet = takeFirst() { write(packet) }
        isOpen = false
        world.note("\(name) ends: \(reason.rawValue)")
        world.ended(self)
        let wasConnected = isConnected
        isConnected = false
        if wasConnected, !world.strikes(.keepsMember) { edge.disconnected(self, reason) }
    }

    /// The server's process has ended.
    func abandon() {
        isOpen = false
        isConnected = false
        state = nil
    }
}
