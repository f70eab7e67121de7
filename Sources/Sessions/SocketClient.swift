import Transport
import Wire

/// Socket.IO for one client: parses its packets and gives them to its sockets, one for each namespace.
final class SocketClient: EngineHandler {
    private unowned let session: EngineSession
    private let server: SocketServer
    private let version: SocketVersion
    /// There are few, so they are searched in order.
    private var sockets: [Socket] = []
    /// Sockets that wait for middleware.
    private var connecting: [Socket] = []
    /// Namespaces from which the server has removed the client. The client may have sent packets to them before it
    /// knew.
    private var departed: [Namespace] = []
    /// A packet whose attachments are still arriving.
    private var assembly: Assembly?

    /// Few clients ever send attachments, so their state is apart from the state that every message needs.
    private final class Assembly {
        var assembler: BinaryAssembler

        init(_ limits: SocketLimits) {
            assembler = BinaryAssembler(limits: limits)
        }
    }

    /// Set until the client has connected to a namespace.
    private var connectTimer: LoopTimer?
    /// Whether the client has asked for a namespace before.
    private var hasAsked = false

    init(_ session: EngineSession, _ server: SocketServer) {
        self.session = session
        self.server = server
        version = SocketVersion(session.version)
    }

    func opened(_ session: EngineSession) {
        let timer = LoopTimer { [unowned self] in self.connectTimedOut() }
        connectTimer = timer
        server.shard.arm(timer, in: server.configuration.connectMilliseconds)
        // A client of Socket.IO 2 is in the default namespace without a CONNECT.
        if version == .v4 { connect("/", auth: [], query: "") }
    }

    private func connectTimedOut() {
        if sockets.isEmpty { session.close(.forcedClose) }
    }

    private func cancelConnectTimer() {
        if let connectTimer { server.shard.cancel(connectTimer) }
        connectTimer = nil
    }

    func drained(_ session: EngineSession) {
        for socket in sockets { socket.namespace.handler.drained(socket) }
    }

    func draining(_ session: EngineSession, closesInMilliseconds: Int) {
        for socket in sockets {
            socket.namespace.handler.draining(socket, closesInMilliseconds: closesInMilliseconds)
        }
    }

    func closed(_ session: EngineSession, _ reason: DisconnectReason) {
        cancelConnectTimer()
        let ending = sockets
        sockets = []
        connecting = []
        for socket in ending { socket.ended(reason) }
    }

    // MARK: In

    /// The first packet of a client must be a CONNECT.
    func canTake(_ message: Span<UInt8>) -> Bool {
        hasAsked || (!message.isEmpty && message[0] == UInt8(ascii: "0"))
    }

    func received(_ message: Span<UInt8>, isBinary: Bool, on session: EngineSession) {
        do throws(PacketFault) {
            if isBinary {
                try receivedAttachment(message)
            } else {
                try receivedText(message)
            }
        } catch {
            session.close(error == .outOfOrder ? .forcedClose : .parseError)
        }
    }

    private enum PacketFault: Error {
        /// Not a packet.
        case malformed
        /// A packet in the wrong order: for a namespace that the client is not in, or a second CONNECT.
        case outOfOrder
    }

    private func receivedText(_ text: Span<UInt8>) throws(PacketFault) {
        let head: SocketPacketHead
        do {
            head = try SocketPacketHead.decode(text, version: version, limits: server.limits)
        } catch {
            throw .malformed
        }
        guard assembly == nil else { throw .malformed }
        switch head.type {
        case .event: try deliverEvent(head, text, attachments: [])
        case .ack: try deliverAck(head, text, attachments: [])
        case .binaryEvent, .binaryAck: try beginBinary(head, text)
        case .connect: try connect(head, text)
        case .disconnect: try socket(head, text)?.ended(.clientNamespaceDisconnect)
        case .connectError: throw .outOfOrder
        }
    }

    private func beginBinary(_ head: SocketPacketHead, _ text: Span<UInt8>) throws(PacketFault) {
        do {
            let assembly = Assembly(server.limits)
            if let packet = try assembly.assembler.begin(head, text: Self.bytes(text)) { return try deliver(packet) }
            self.assembly = assembly
        } catch {
            throw .malformed
        }
    }

    private func receivedAttachment(_ bytes: Span<UInt8>) throws(PacketFault) {
        guard let assembly else { throw .malformed }
        let packet: AssembledPacket?
        do {
            packet = try assembly.assembler.append(Self.bytes(bytes))
        } catch {
            throw .malformed
        }
        guard let packet else { return }
        self.assembly = nil
        try deliver(packet)
    }

    private func deliver(_ packet: AssembledPacket) throws(PacketFault) {
        if packet.head.type == .binaryEvent {
            try deliverEvent(packet.head, packet.text.span, attachments: packet.attachments)
        } else {
            try deliverAck(packet.head, packet.text.span, attachments: packet.attachments)
        }
    }

    /// JSON that is passed on to others has to be valid to the last byte.
    private func check(_ head: SocketPacketHead, _ text: Span<UInt8>) throws(PacketFault) {
        do {
            try JSON.validate(text, range: head.payload)
        } catch {
            throw .malformed
        }
    }

    private func deliverEvent(
        _ head: SocketPacketHead, _ text: Span<UInt8>, attachments: [[UInt8]]
    ) throws(PacketFault) {
        guard let socket = try socket(head, text) else { return }
        let handler = socket.namespace.handler
        if !handler.checksArguments { try check(head, text) }
        let call = SocketCall(ackID: head.ackID, attachments: attachments)
        if head.eventNameForm == .escaped {
            guard let name = head.unescapedEventName(text) else { throw .malformed }
            handler.received(name.span, text.extracting(head.arguments), call, on: socket)
        } else {
            handler.received(text.extracting(head.eventName), text.extracting(head.arguments), call, on: socket)
        }
    }

    private func deliverAck(
        _ head: SocketPacketHead, _ text: Span<UInt8>, attachments: [[UInt8]]
    ) throws(PacketFault) {
        guard let socket = try socket(head, text) else { return }
        try check(head, text)
        guard let ackID = head.ackID else { throw .malformed }
        socket.answered(ackID, Self.bytes(text.extracting(head.arguments)), attachments)
    }

    /// The socket of a packet's namespace. Nil: the packet is too late, and is ignored.
    private func socket(_ head: SocketPacketHead, _ text: Span<UInt8>) throws(PacketFault) -> Socket? {
        if head.namespace == nil, let first = sockets.first, first.isInDefaultNamespace { return first }
        for socket in sockets where Self.isNamed(socket.namespace.nameBytes, head.namespace, text) { return socket }
        for namespace in departed where Self.isNamed(namespace.nameBytes, head.namespace, text) { return nil }
        throw .outOfOrder
    }

    private static func isNamed(_ name: [UInt8], _ range: Range<Int>?, _ text: Span<UInt8>) -> Bool {
        guard let range else { return name.isEmpty }
        return text.extracting(range).equals(name)
    }

    private static func bytes(_ span: Span<UInt8>) -> [UInt8] {
        span.withUnsafeBufferPointer { Array($0) }
    }

    // MARK: Connecting

    private func connect(_ head: SocketPacketHead, _ text: Span<UInt8>) throws(PacketFault) {
        let name = head.namespace.map { Self.text(text.extracting($0)) } ?? "/"
        let query = head.query.map { Self.text(text.extracting($0)) } ?? ""
        if sockets.contains(where: { $0.namespace.name == name }) || isConnecting(name) {
            // Clients of Socket.IO 2 are in the default namespace already. Some still ask for it.
            if version == .v4, name == "/" { return }
            throw .outOfOrder
        }
        guard head.payload.count <= server.configuration.connectBytesMax,
            query.utf8.count <= server.configuration.connectBytesMax
        else {
            return refuse(head.namespace.map { Self.bytes(text.extracting($0)) } ?? [], Self.tooLong, Self.tooLarge)
        }
        guard !head.payload.isEmpty else { return connect(name, auth: [], query: query) }
        if server.namespace(name)?.handler.checksArguments != true { try check(head, text) }
        connect(name, auth: Self.bytes(text.extracting(head.payload)), query: query)
    }

    private static func text(_ span: Span<UInt8>) -> String {
        span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private func isConnecting(_ name: String) -> Bool {
        connecting.contains { $0.namespace.name == name }
    }

    private func connect(_ name: String, auth: [UInt8], query: String) {
        guard session.charge(server.configuration.packetsPerConnect) else { return }
        guard let namespace = server.namespace(name) else {
            return refuse(Array(name.utf8), "Invalid namespace", [])
        }
        guard sockets.count + connecting.count < server.configuration.namespacesMax else {
            return refuse(namespace.nameBytes, "Too many namespaces", [])
        }
        guard !session.service.isDraining else { return refuse(namespace.nameBytes, Self.shuttingDown, Self.shutDown) }
        let socket = Socket(
            namespace, session, auth: auth.isEmpty ? Array("{}".utf8) : auth, query: query, isFirst: !hasAsked)
        hasAsked = true
        connecting.append(socket)
        ConnectRequest.pass(socket, namespace.middlewares[...]) { outcome in self.decided(socket, outcome) }
    }

    private func decided(_ socket: Socket, _ outcome: ConnectRequest.Outcome) {
        // The client may have gone while middleware checked it.
        guard let index = connecting.firstIndex(where: { $0 === socket }), session.isOpen else { return }
        connecting.remove(at: index)
        // Assigning a new array releases the old one's memory.
        if connecting.isEmpty { connecting = [] }
        switch outcome {
        case .accepted where session.service.isDraining:
            refuse(socket.namespace.nameBytes, Self.shuttingDown, Self.shutDown)
        case .accepted: accept(socket)
        case .malformed: session.close(.parseError)
        case .refused(let message, let data): refuse(socket.namespace.nameBytes, message, data)
        }
    }

    private static let tooLong = "The payload of CONNECT is too long."
    private static let tooLarge = Array(#"{"code":"PAYLOAD_TOO_LARGE"}"#.utf8)
    private static let shuttingDown = "The server is shutting down."
    private static let shutDown = Array(#"{"code":"SHUTTING_DOWN"}"#.utf8)

    private func accept(_ socket: Socket) {
        cancelConnectTimer()
        departed.removeAll { $0 === socket.namespace }
        var text: [UInt8] = []
        SocketPacketWriter.appendConnected(
            sid: socket.id, pid: socket.identity.pid?.description, version: version,
            namespace: socket.namespace.nameBytes, to: &text)
        // This ends a client that reads nothing.
        guard socket.send(text) else { return }
        sockets.append(socket)
        session.settle()
        socket.client = self
        socket.isConnected = true
        socket.namespace.insert(socket)
        socket.namespace.handler.connected(socket)
    }

    private func refuse(_ namespace: [UInt8], _ message: String, _ data: [UInt8]) {
        var text: [UInt8] = []
        SocketPacketWriter.appendConnectError(
            message, data: data.span, version: version, namespace: namespace, to: &text)
        session.send(text)
    }

    // MARK: Leaving

    /// Removes the client from all its namespaces, so that it does not reconnect, and ends its session.
    func disconnect() {
        for socket in sockets { socket.disconnect() }
        session.close(.forcedServerClose)
    }

    func left(_ socket: Socket, _ reason: DisconnectReason) {
        sockets.removeAll { $0 === socket }
        if reason == .serverNamespaceDisconnect { departed.append(socket.namespace) }
    }
}
