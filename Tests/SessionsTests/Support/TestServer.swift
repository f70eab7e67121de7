import Foundation
import TestSupport
import Threads
import Transport
import Wire

@testable import Sessions

/// A server in this process on a free loopback port, with handlers that tests can look into.
final class TestServer: Sendable {
    typealias SetUp = @Sendable (SocketServer, EventLog) -> Void

    let transport: TransportServer
    let port: UInt16
    let log = EventLog()
    let hub = SocketHub()
    let configuration: SessionConfiguration

    /// Without `sockets` it serves bare Engine.IO: see `EngineScript`.
    init(
        shards: Int = 1, hosts: HostPolicy = .any, nodes: (any FarNodes)? = nil,
        _ configure: (inout SessionConfiguration) -> Void = { _ in },
        limits: (inout TransportLimits) -> Void = { _ in }, sockets: SetUp? = nil
    ) throws {
        var configured = SessionConfiguration()
        configure(&configured)
        let session = configured
        self.configuration = session
        var configuration = TransportConfiguration()
        configuration.addresses = [.tcp(.loopback, port: 0)]
        configuration.shardCount = shards
        configuration.limits.webSocket.messageBytesMax = session.maxPayloadBytes
        configuration.limits.webSocket.frameBytesMax = session.maxPayloadBytes
        configuration.limits.lingerMilliseconds = 200
        limits(&configuration.limits)
        transport = try TransportServer(configuration) { [log, hub] shard in
            let book = ShardBook(shard, log, nodes)
            if let sockets {
                let server = SocketServer(shard: shard, hub: hub, configuration: session)
                sockets(server, log)
                book.open(session) { server.makeHandler($0) }
            } else {
                book.open(session) { [unowned book] _ in EngineScript(book) }
            }
            shard.keep(book)
            let router = HTTPRouter(hosts: hosts)
            router.mount(book.service, at: book.service.mount, countsRequests: true)
            router.mount(Elsewhere(shard.index), at: ["/*"])
            return router
        }
        guard case .tcp(_, let bound)? = transport.addresses.first else { throw TestFailure(description: "no address") }
        port = bound
    }

    /// A server of Socket.IO with the namespaces `/` and `/custom`: see `SocketScript`.
    convenience init(
        socketsOn shards: Int, _ configure: (inout SessionConfiguration) -> Void = { _ in }
    ) throws {
        try self.init(
            shards: shards, configure,
            sockets: { server, log in
                server.open("/", SocketScript(log))
                server.open("/custom", SocketScript(log))
            })
    }

    deinit {
        transport.stop()
    }

    // MARK: From outside

    func connect(receiveBufferBytes: Int? = nil) throws -> TestConnection {
        try TestConnection(port: port, receiveBufferBytes: receiveBufferBytes)
    }

    /// A connection that the kernel gave to that shard.
    func connect(toShard wanted: Int) throws -> TestConnection {
        for _ in 0..<1_000 {
            let connection = try connect()
            if try shard(of: connection) == wanted { return connection }
        }
        throw TestFailure(description: "no connection of a thousand came to shard \(wanted)")
    }

    /// The shard on which a kept-alive connection is now.
    func shard(of connection: TestConnection) throws -> Int? {
        Int(try connection.request("GET", "/shard").text)
    }

    func target(_ transport: String, version: EngineVersion = .v4, sid: String? = nil) -> String {
        "\(configuration.path)?EIO=\(version.rawValue)&transport=\(transport)" + (sid.map { "&sid=\($0)" } ?? "")
    }

    /// A session over a WebSocket alone, whose open packet has been read.
    func webSocket(
        version: EngineVersion = .v4, query: String = "", _ headers: [(String, String)] = [],
        on connection: TestConnection? = nil, offersDeflate: Bool = false
    ) throws -> (socket: TestWebSocket, sid: String) {
        let socket = try TestWebSocket(
            connection ?? connect(), target("websocket", version: version) + query, headers,
            offersDeflate: offersDeflate)
        return (socket, try Self.sid(try socket.nextText()))
    }

    /// A client of Socket.IO over a WebSocket that is connected to `/`.
    func socket(on connection: TestConnection? = nil) throws -> TestWebSocket {
        let socket = try webSocket(on: connection).socket
        try socket.send("40")
        let answer = try socket.nextText()
        guard answer.hasPrefix("40{") else { throw TestFailure(description: "not connected, but \(answer)") }
        return socket
    }

    static func sid(_ open: String) throws -> String {
        let object = try handshake(open)
        guard let sid = object["sid"] as? String else { throw TestFailure(description: "no sid in \(open)") }
        return sid
    }

    /// The object in an open packet.
    static func handshake(_ open: String) throws -> [String: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(open.dropFirst().utf8))
        return object as? [String: Any] ?? [:]
    }

    // MARK: From inside

    /// Runs something on a shard and waits for it.
    func onShard<Result: Sendable>(
        _ index: Int = 0, _ body: @escaping @Sendable (ShardBook) throws -> Result
    ) throws -> Result {
        let answer = Locked<Swift.Result<Result, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let isPosted = transport.mailboxes[index].post { shard in
            if let book = shard.local(ShardBook.self) {
                let result = Swift.Result { try body(book) }
                answer.withLock { $0 = result }
            }
            done.signal()
        }
        guard isPosted else { throw TestFailure(description: "shard \(index) is not running") }
        done.wait()
        guard let result = answer.withLock({ $0 }) else { throw TestFailure(description: "a shard without a book") }
        return try result.get()
    }

    func onSession<Result: Sendable>(
        _ sid: String, _ body: @escaping @Sendable (EngineSession) throws -> Result
    ) throws -> Result {
        guard let id = SessionID(sid) else { throw TestFailure(description: "no session id: \(sid)") }
        return try onShard(id.shard) { book in
            guard let session = book.session(sid) else { throw TestFailure(description: "no session \(sid)") }
            return try body(session)
        }
    }

    /// Sessions in the tables of all shards.
    var sessionCount: Int {
        transport.mailboxes.indices.reduce(0) { sum, index in
            sum + ((try? onShard(index) { $0.service.sessionCount }) ?? 0)
        }
    }

    /// Sessions that something still refers to.
    var livingCount: Int {
        transport.mailboxes.indices.reduce(0) { sum, index in sum + ((try? onShard(index) { $0.livingCount }) ?? 0) }
    }

    /// Whether every session is gone from the tables and from memory.
    var leavesNoTrace: Bool { eventually { self.sessionCount == 0 && self.livingCount == 0 } }
}
