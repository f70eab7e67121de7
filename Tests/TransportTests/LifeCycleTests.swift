import Foundation
import Testing
import Threads
import Wire

@testable import Transport

@Suite("A server's life")
struct LifeCycleTests {
    @Test func itEndsWholeHoweverOften() throws {
        let certificate = try TestCertificate()
        let directory = TemporaryDirectory()
        func round(secure: Bool) throws {
            let routes = Routes()
            let server = try TestServer(
                shards: 3, tls: secure ? certificate.files : nil,
                { $0.addresses.append(.unix(path: directory.path("s"))) }, handler: routes.handler)
            var clients: [Client] = []
            for request in ["", "GET", get("/hold"), get("/stream?90000000"), Client.upgradeRequest()] {
                let client = try server.connect(receiveBuffer: 8_192)
                clients.append(client)
                if secure { #expect(client.startTLS()) }
                if !request.isEmpty { try client.send(request) }
            }
            #expect(becomesTrue { server.counters.connectionsOpen.value == clients.count })
            #expect(becomesTrue { routes.heldCount == 1 && routes.socketCount == 1 })
            server.server.stop()
            #expect(server.counters.connectionsOpen.value == 0)
            #expect(routes.aborts.withLock { Set($0) } == [.serverStopping])
            #expect(routes.closes.withLock { $0.map(\.reason) } == [.serverStopping])
            for client in clients { _ = try? client.readToEnd() }
            #expect(throws: (any Error).self) { try Client(port: server.port) }
            // Once more does nothing.
            server.server.stop()
        }
        for index in 0..<20 { try round(secure: index % 2 == 1) }
    }

    @Test func nothingIsLeftOfIt() throws {
        weak var state: ServerState?
        weak var mailbox: ShardMailbox?
        let shards = Counter()
        do {
            let server = try TestServer(shards: 2) { exchange, shard in
                exchange.respond(200, text: "\(shard.index)")
            }
            state = server.server.state
            mailbox = server.server.mailboxes[1]
            for index in 0..<2 {
                server.onShard(index) { shard in
                    shard.keep(Sentinel(shards))
                    // What is still armed goes too.
                    let sentinel = Sentinel(shards)
                    shard.arm(LoopTimer { _ = sentinel }, in: 1_000_000)
                }
            }
            #expect(shards.value == 4)
            #expect(try server.connect().get("/").status == 200)
        }
        #expect(state == nil)
        #expect(mailbox == nil)
        #expect(shards.value == 0)
    }

    @Test func connectionsAndTheirHandlersAreLetGoOf() throws {
        let alive = Counter()
        let server = try TestServer { exchange, shard in
            let sentinel = Sentinel(alive)
            // Its own functions hold the exchange.
            exchange.aborted = { _ in _ = (sentinel, exchange) }
            if exchange.hasContent {
                exchange.streamBody(max: 100) { _ in
                    if exchange.head.path == "/abort" { exchange.abort() }
                } done: { _ in
                    _ = sentinel
                    exchange.respond(200)
                }
            } else {
                shard.arm(LoopTimer { exchange.respond(200) }, in: 5)
            }
        }
        for _ in 0..<50 {
            let client = try server.connect()
            try client.send(get("/") + post("/", "abc") + get("/") + "GET")
            for _ in 0..<3 { #expect(try client.readResponse().status == 200) }
        }
        for path in ["/", "/abort"] {
            for _ in 0..<25 { try server.connect().send(get("/") + post(path, "abc").dropLast()) }
        }
        #expect(becomesTrue { server.counters.connectionsOpen.value == 0 })
        #expect(becomesTrue { alive.value == 0 })
    }

    @Test func timersFireOnTheirShardAndMayBeCancelled() throws {
        let server = try TestServer { exchange, _ in exchange.respond(200) }
        let fired = Mark<Int64>()
        let never = Mark<Bool>()
        let begun = server.onShard { shard in
            let cancelled = LoopTimer { never.set(true) }
            shard.arm(cancelled, in: 20)
            shard.arm(
                LoopTimer { [unowned shard] in
                    shard.preconditionOnLoop()
                    fired.set(shard.now)
                }, in: 50)
            shard.arm(LoopTimer { [unowned shard] in shard.cancel(cancelled) }, in: 5)
            return shard.now
        }
        let waited = (fired.wait() ?? 0) - (begun ?? 0)
        #expect(waited >= 50)
        #expect(!never.isSet)
    }

    @Test func anIdleServerCostsNothing() throws {
        let routes = Routes()
        let server = try TestServer(shards: 2, handler: routes.handler)
        let clients = try (0..<20).map { _ in try server.connect() }
        for client in clients { #expect(try client.get("/hello").status == 200) }
        for index in 0..<2 { #expect(server.cpuShare(ofShard: index, over: 0.2) < 0.1) }
    }

    @Test func aStormOfConnectionsLeavesNothing() throws {
        let routes = Routes()
        let server = try TestServer(shards: 2, handler: routes.handler)
        let done = DispatchGroup()
        for thread in 0..<4 {
            done.enter()
            Thread.detachNewThread {
                for index in 0..<150 {
                    guard let client = try? server.connect() else { continue }
                    switch (thread + index) % 5 {
                    case 0: break
                    case 1: _ = try? client.get("/hello")
                    case 2: client.reset()
                    case 3: _ = try? client.upgrade()
                    default: try? client.send(get("/stream?500000"))
                    }
                }
                done.leave()
            }
        }
        #expect(done.wait(timeout: .now() + .seconds(30)) == .success)
        // Some may not have been accepted yet when the last is closed.
        let counters = server.counters
        #expect(becomesTrue { counters.connectionsAccepted.value == 600 && counters.connectionsOpen.value == 0 })
        for index in 0..<2 { #expect(server.onShard(index) { $0.connectionCount } == 0) }
        #expect(counters.webSocketsOpen.value == 0)
        #expect(routes.socketCount == 0)
    }
}

/// Counts how many of its kind there are.
private final class Sentinel: Sendable {
    private let count: Counter

    init(_ count: Counter) {
        self.count = count
        count.add()
    }

    deinit {
        count.subtract()
    }
}
