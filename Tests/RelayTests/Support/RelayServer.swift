import Dispatch
import Glibc
import Identity
import Rooms
import Sessions
import Store
import TestSupport
import Threads
import Transport

@testable import Relay

/// A server of rooms in this process on a free loopback port, into which tests can look.
final class RelayServer: Sendable {
    let transport: TransportServer
    let rooms: RoomCommands
    let hub: RelayHub
    let port: UInt16

    init(
        shards: Int = 1, directory: any RoomDirectory = OpenDirectory(), keeper: any RoomKeeper = MemoryKeeper(),
        store: (any RoomStore)? = nil, recorder: (any RoomRecorder)? = nil,
        _ configure: (inout RelayConfiguration) -> Void = { _ in },
        flow: (inout FlowLimits) -> Void = { _ in },
        mediaOf: @escaping @Sendable (Element.Values) -> [String] = { _ in [] }
    ) throws {
        var configured = RelayConfiguration()
        configure(&configured)
        let relay = configured
        var limits = FlowLimits()
        flow(&limits)
        let hub = RelayHub(
            shardCount: shards, flow: limits, directory: directory, keeper: keeper, store: store, mediaOf: mediaOf,
            roomRecorder: recorder)
        self.hub = hub
        var configuration = TransportConfiguration()
        configuration.addresses = [.tcp(.loopback, port: 0)]
        configuration.shardCount = shards
        let sockets = SocketHub()
        transport = try TransportServer(configuration) { shard in
            var sessions = SessionConfiguration()
            // The test client answers no pings.
            sessions.pingIntervalMilliseconds = 300_000
            let server = SocketServer(shard: shard, hub: sockets, configuration: sessions)
            Relay(shard: shard, hub: hub, configuration: relay, verifier: OpenVerifier()).open("/", on: server)
            let service = SessionService(shard: shard, configuration: sessions, makeHandler: server.makeHandler)
            shard.keep(service)
            let router = HTTPRouter()
            router.mount(service, at: service.mount, countsRequests: true)
            router.mount(Elsewhere(shard.index), at: ["/*"])
            return router
        }
        rooms = RoomCommands(transport.mailboxes, hub)
        guard case .tcp(_, let bound)? = transport.addresses.first else { throw TestFailure("no address") }
        port = bound
    }

    deinit {
        transport.stop()
    }

    /// A connected client; on a certain shard if that is asked for.
    func client(_ name: String, onShard wanted: Int? = nil, touch: String? = nil) throws -> TestClient {
        for _ in 0..<1_000 {
            let client = try TestClient(port: port)
            if let wanted, try client.shard() != wanted { continue }
            try client.connect(name, touch: touch)
            return client
        }
        throw TestFailure("no connection of a thousand came to shard \(wanted ?? -1)")
    }

    /// A room id whose home is a certain shard.
    func room(_ name: String, homeOn shard: Int) -> String {
        for number in 0... {
            let id = "\(name)\(number)"
            if RoomID(id).homeShard(of: transport.mailboxes.count) == shard { return id }
        }
        return name
    }

    /// Runs something on a shard and waits for it.
    func onShard<Result: Sendable>(_ index: Int = 0, _ body: @escaping @Sendable (Relay) -> Result) throws -> Result {
        let answer = Locked<Result?>(nil)
        let done = DispatchSemaphore(value: 0)
        transport.mailboxes[index].post { shard in
            if let relay = shard.local(Relay.self) {
                let result = body(relay)
                answer.withLock { $0 = result }
            }
            done.signal()
        }
        guard done.wait(timeout: .now() + 20) == .success, let result = answer.withLock({ $0 }) else {
            throw TestFailure("shard \(index) does not answer")
        }
        return result
    }

    /// Gives a command and waits for what comes of it.
    func outcome(_ command: (RoomCommands, @escaping RoomCommands.Done) -> Void) throws -> RoomCommands.Outcome {
        let answer = Locked<RoomCommands.Outcome?>(nil)
        let done = DispatchSemaphore(value: 0)
        command(rooms) { outcome in
            answer.withLock { $0 = outcome }
            done.signal()
        }
        guard done.wait(timeout: .now() + 20) == .success, let outcome = answer.withLock({ $0 }) else {
            throw TestFailure("a command was not answered")
        }
        return outcome
    }
}

/// What an application has beside Engine.IO: it answers with the number of its shard.
private final class Elsewhere: HTTPService {
    private let index: Int

    init(_ index: Int) {
        self.index = index
    }

    func handle(_ exchange: HTTPExchange) {
        exchange.respond(200, text: "\(index)")
    }
}

/// What went wrong between a test and its server.
struct TestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Waits until something is so; false when it does not come about.
func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<2_000 {
        if try condition() { return true }
        usleep(5_000)
    }
    return false
}
