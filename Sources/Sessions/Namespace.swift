import Transport
import Wire

/// The application of one namespace on one shard.
public protocol NamespaceHandler: AnyObject {
    /// A client has connected; events may be sent.
    func connected(_ socket: Socket)

    /// A client's event. The spans are valid during the call. `arguments` is valid JSON, the items of an array without
    /// its brackets. Placeholders stand for attachments.
    func received(_ name: Span<UInt8>, _ arguments: Span<UInt8>, _ call: SocketCall, on socket: Socket)

    /// Everything that waited for the client is sent, and the client can take more.
    func drained(_ socket: Socket)

    /// The server is shutting down, and closes the client's session in so many milliseconds.
    func draining(_ socket: Socket, closesInMilliseconds: Int)

    func disconnected(_ socket: Socket, _ reason: DisconnectReason)

    /// Whether the handler itself checks the JSON of the events that it uses, and ignores the others. Then it is not
    /// checked before. The handler's middleware checks the payload of CONNECT: see `ConnectRequest.reject`.
    var checksArguments: Bool { get }
}

extension NamespaceHandler {
    public func drained(_ socket: Socket) {}
    public func draining(_ socket: Socket, closesInMilliseconds: Int) {}
    public var checksArguments: Bool { false }
}

/// The parts of an event besides its name and its arguments.
public struct SocketCall: Sendable {
    /// Set when the client wants an answer. Pass it to `Socket.acknowledge`.
    public let ackID: UInt64?
    public let attachments: [[UInt8]]

    public init(ackID: UInt64?, attachments: [[UInt8]]) {
        self.ackID = ackID
        self.attachments = attachments
    }
}

/// A Socket.IO namespace on one shard: its middleware, its connected sockets and its handler.
public final class Namespace {
    /// Checks a connecting client and calls `proceed` or `refuse` on the request, now or later.
    public typealias Middleware = (ConnectRequest) -> Void

    public let name: String
    public let handler: any NamespaceHandler
    public private(set) var middlewares: [Middleware] = []
    let nameBytes: [UInt8]
    private unowned let server: SocketServer
    private var sockets: [ObjectIdentifier: Socket] = [:]
    private let count: Counter

    init(_ name: String, _ handler: any NamespaceHandler, _ server: SocketServer) {
        precondition(name.hasPrefix("/"), "a namespace begins with a slash")
        self.name = name
        self.handler = handler
        self.server = server
        nameBytes = name == "/" ? [] : Array(name.utf8)
        count = server.hub.counter(of: name)
    }

    /// Adds a check for connecting clients, after those that were added before.
    public func use(_ middleware: @escaping Middleware) {
        middlewares.append(middleware)
    }

    /// The sockets connected on this shard.
    public var localSockets: some Collection<Socket> { sockets.values }

    /// How many sockets are connected on all shards.
    public var socketCount: Int { count.value }

    func insert(_ socket: Socket) {
        sockets[ObjectIdentifier(socket)] = socket
        count.add()
    }

    func remove(_ socket: Socket) {
        guard sockets.removeValue(forKey: ObjectIdentifier(socket)) != nil else { return }
        count.subtract()
    }

    func countVolatileDropped() {
        server.hub.volatileDropped.add()
    }

    // MARK: Broadcast

    /// Sends an event to every socket of the namespace, on all shards. It is encoded once.
    public func broadcast(
        _ event: String, _ arguments: [UInt8] = [], attachments: [[UInt8]] = [], except: Socket? = nil
    ) {
        var text: [UInt8] = []
        SocketPacketWriter.appendEvent(
            event, arguments: arguments.span, attachments: attachments.count, namespace: nameBytes, to: &text)
        deliver(text, attachments, except: except)
        let broadcast = Broadcast(namespace: name, packet: text, attachments: attachments)
        for mailbox in server.shard.mailboxes where mailbox.index != server.shard.index {
            if !mailbox.post(broadcast) { server.hub.broadcastsDropped.add() }
        }
    }

    fileprivate func deliver(_ text: [UInt8], _ attachments: [[UInt8]], except: Socket?) {
        for socket in sockets.values where socket !== except { socket.send(text, attachments) }
    }
}

/// A packet for all sockets of a namespace on one shard.
private struct Broadcast: ShardItem {
    let namespace: String
    let packet: [UInt8]
    let attachments: [[UInt8]]

    func arrive(on shard: Shard) {
        shard.local(SocketServer.self)?.namespace(namespace)?.deliver(packet, attachments, except: nil)
    }
}
