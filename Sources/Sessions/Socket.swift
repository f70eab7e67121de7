import Transport
import Wire

/// One client in one namespace.
public final class Socket {
    public enum AckResult {
        /// The client's answer: the items of a JSON array without its brackets.
        case answered([UInt8], attachments: [[UInt8]])
        case timedOut
        /// The client has gone, or owes too many answers.
        case unavailable
    }

    private struct PendingAck {
        let timer: LoopTimer
        let done: (AckResult) -> Void
    }

    /// The ids that the client knows.
    public private(set) var identity: SocketIdentity
    public var id: String { identity.sid.description }
    public let namespace: Namespace
    /// Stored here too, because every event needs it.
    let isInDefaultNamespace: Bool
    /// It stays after the client's end, so that later code still finds the client's data.
    public let session: EngineSession
    /// The JSON object of the CONNECT packet, `{}` when there was none.
    public private(set) var auth: [UInt8]
    /// The query after a `?` in the namespace, which clients of Socket.IO 2 use in place of `auth`.
    public let query: String
    /// Whether it is the first socket of its session.
    public let isFirst: Bool
    /// For the application.
    public var state: AnyObject?
    public internal(set) var isConnected = false
    /// The client whose socket this is, while it is connected.
    var client: SocketClient?

    private var pendingAcks: [UInt64: PendingAck] = [:]
    private var nextAckID: UInt64 = 0

    init(_ namespace: Namespace, _ session: EngineSession, auth: [UInt8], query: String, isFirst: Bool) {
        identity = SocketIdentity(
            sid: SessionID(node: session.service.configuration.node, shard: session.shard.index), pid: nil)
        self.namespace = namespace
        isInDefaultNamespace = namespace.nameBytes.isEmpty
        self.session = session
        self.auth = auth
        self.query = query
        self.isFirst = isFirst
    }

    func adopt(_ identity: SocketIdentity) {
        self.identity = identity
    }

    /// The application does not need the payload of CONNECT any more, so it is not kept with its secrets.
    public func forgetAuth() {
        auth = []
    }

    // MARK: Events out

    /// Sends an event. `arguments` is JSON, the items of an array without its brackets. Returns false when the client
    /// has gone.
    @discardableResult
    public func emit(_ event: String, _ arguments: [UInt8] = [], attachments: [[UInt8]] = []) -> Bool {
        guard isConnected else { return false }
        return send(encode(event, arguments, attachments, ackID: nil), attachments)
    }

    /// Sends an event only if it can be written in this turn. A client that is behind does not get it.
    @discardableResult
    public func emitVolatile(_ event: String, _ arguments: [UInt8] = [], attachments: [[UInt8]] = []) -> Bool {
        guard isConnected else { return false }
        guard session.isWritable else {
            namespace.countVolatileDropped()
            return false
        }
        return send(encode(event, arguments, attachments, ackID: nil), attachments)
    }

    /// Sends an event that the client has to answer within `milliseconds`.
    public func emit(
        _ event: String, _ arguments: [UInt8] = [], attachments: [[UInt8]] = [], answerWithin milliseconds: Int,
        _ done: @escaping (AckResult) -> Void
    ) {
        guard isConnected, pendingAcks.count < session.configuration.pendingAcksMax else { return done(.unavailable) }
        let ackID = nextAckID
        nextAckID += 1
        let timer = LoopTimer { [weak self] in
            self?.pendingAcks.removeValue(forKey: ackID)?.done(.timedOut)
        }
        pendingAcks[ackID] = PendingAck(timer: timer, done: done)
        session.shard.arm(timer, in: milliseconds)
        send(encode(event, arguments, attachments, ackID: ackID), attachments)
    }

    private func encode(_ event: String, _ arguments: [UInt8], _ attachments: [[UInt8]], ackID: UInt64?) -> [UInt8] {
        var text: [UInt8] = []
        SocketPacketWriter.appendEvent(
            event, arguments: arguments.span, attachments: attachments.count, namespace: namespace.nameBytes,
            ackID: ackID, to: &text)
        return text
    }

    /// Answers a client's event; does nothing for an event without an ack.
    public func acknowledge(_ call: SocketCall, _ arguments: [UInt8] = [], attachments: [[UInt8]] = []) {
        guard let ackID = call.ackID, isConnected else { return }
        var text: [UInt8] = []
        SocketPacketWriter.appendAck(
            ackID, arguments: arguments.span, attachments: attachments.count, namespace: namespace.nameBytes, to: &text)
        send(text, attachments)
    }

    /// Sends an encoded packet with its attachments.
    @discardableResult
    func send(_ text: [UInt8], _ attachments: [[UInt8]] = []) -> Bool {
        var isSent = session.send(text)
        for attachment in attachments { isSent = session.send(attachment, isBinary: true) }
        return isSent
    }

    // MARK: Answers in

    func answered(_ ackID: UInt64, _ arguments: [UInt8], _ attachments: [[UInt8]]) {
        guard let pending = pendingAcks.removeValue(forKey: ackID) else { return }
        session.shard.cancel(pending.timer)
        pending.done(.answered(arguments, attachments: attachments))
    }

    // MARK: The end

    /// Removes the client from the namespace and, if asked, from all others, and ends its session.
    public func disconnect(closingSession: Bool = false) {
        guard isConnected else { return }
        if closingSession, let client { return client.disconnect() }
        var text: [UInt8] = []
        SocketPacketWriter.appendDisconnect(namespace: namespace.nameBytes, to: &text)
        send(text)
        ended(.serverNamespaceDisconnect)
    }

    func ended(_ reason: DisconnectReason) {
        guard isConnected else { return }
        isConnected = false
        namespace.remove(self)
        client?.left(self, reason)
        client = nil
        let waiting = pendingAcks
        pendingAcks = [:]
        for pending in waiting.values {
            session.shard.cancel(pending.timer)
            pending.done(.unavailable)
        }
        namespace.handler.disconnected(self, reason)
    }
}
