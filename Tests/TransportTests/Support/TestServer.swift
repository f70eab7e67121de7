import Foundation
import TestSupport
import Threads
import Wire

@testable import Transport

/// A server on loopback whose service is a function. It stops when the test lets go of it.
final class TestServer: Sendable {
    typealias Handler = @Sendable (HTTPExchange, Shard) -> Void

    let server: TransportServer
    let notices: Locked<[TransportNotice]>

    init(
        shards: Int = 1, tls: TLSFiles? = nil, unixPath: String? = nil, bound: ListeningSockets? = nil,
        _ change: (inout TransportConfiguration) -> Void = { _ in }, handler: @escaping Handler
    ) throws {
        let notices = Locked([TransportNotice]())
        self.notices = notices
        var configuration = TransportConfiguration()
        configuration.addresses = [.tcp(.loopback, port: 0)]
        if let unixPath { configuration.addresses = [.unix(path: unixPath)] }
        configuration.shardCount = shards
        configuration.tls = tls
        configuration.report = { notice in notices.withLock { $0.append(notice) } }
        change(&configuration)
        server = try TransportServer(configuration, bound: bound) { FunctionService($0, handler) }
    }

    deinit {
        server.stop()
    }

    var port: UInt16 {
        for case .tcp(_, let port) in server.addresses { return port }
        return 0
    }

    var counters: TransportCounters { server.state.counters }

    func connect(receiveBuffer: Int32? = nil) throws -> Client {
        try Client(port: port, receiveBuffer: receiveBuffer)
    }

    func sawNotice(_ kind: TransportNotice.Kind) -> Bool {
        notices.withLock { $0.contains { $0.kind == kind } }
    }

    func details(of kind: TransportNotice.Kind) -> [String] {
        notices.withLock { $0.filter { $0.kind == kind }.map(\.detail) }
    }

    /// Runs a function on a shard's thread and waits for it.
    @discardableResult
    func onShard<Result: Sendable>(_ index: Int = 0, _ body: @escaping @Sendable (Shard) -> Result) -> Result? {
        let answer = Mark<Result>()
        guard server.mailboxes[index].post({ answer.set(body($0)) }) else { return nil }
        return answer.wait()
    }

    /// How much of a core a shard's thread uses while nothing is asked of it.
    func cpuShare(ofShard index: Int = 0, over seconds: Double) -> Double {
        func used() -> Double {
            onShard(index) { _ in
                var time = timespec()
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
                return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            } ?? .infinity
        }
        let before = used()
        Thread.sleep(forTimeInterval: seconds)
        return (used() - before) / seconds
    }
}

final class FunctionService: HTTPService {
    private let shard: Shard
    private let handler: TestServer.Handler

    init(_ shard: Shard, _ handler: @escaping TestServer.Handler) {
        self.shard = shard
        self.handler = handler
    }

    func handle(_ exchange: HTTPExchange) {
        handler(exchange, shard)
    }
}

/// A value that one thread sets and another waits for.
final class Mark<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)
    private let semaphore = DispatchSemaphore(value: 0)

    func set(_ given: Value) {
        let isFirst = value.withLock { value in
            defer { value = given }
            return value == nil
        }
        if isFirst { semaphore.signal() }
    }

    var isSet: Bool { value.withLock { $0 != nil } }

    /// Nil when it was not set within the patience of a test.
    func wait() -> Value? {
        guard semaphore.wait(timeout: .now() + .seconds(patienceSeconds)) == .success else { return nil }
        semaphore.signal()
        return value.withLock { $0 }
    }
}

/// Things of a shard's thread that a test holds for that thread.
final class Kept<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// How long a test waits for what must come.
let patienceSeconds = 30

/// Whether a condition becomes true within the patience of a test.
func becomesTrue(_ condition: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: Double(patienceSeconds))
    while Date() < end {
        if condition() { return true }
        usleep(2_000)
    }
    return condition()
}
