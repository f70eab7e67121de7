import Chains
import Threads
import Wire

/// What a chain says of wallets, kept for a while. The node is asked on threads of its own; while it fails it is left alone for a
/// moment, and what was known before stays for some time.
package final class Balances: Sendable {
    private struct Entry {
        /// A JSON object.
        let json: [UInt8]
        /// Milliseconds.
        let at: Int64
    }

    private struct State {
        var young: [String: Entry] = [:]
        var old: [String: Entry] = [:]
        var asking: [String: Task<Fresh?, Never>] = [:]
        var failedAt: Int64?

        func entry(_ address: String) -> Entry? { young[address] ?? old[address] }
    }

    /// What was asked for just now.
    package struct Fresh: Sendable {
        package let json: [UInt8]
        /// Whether it comes from the node, and not from what was kept.
        package let isNew: Bool
    }

    /// How long what was known counts while the node fails, in the time that it is kept usually.
    private static let staleFactor: Int64 = 10
    private static let pauseMilliseconds: Int64 = 5_000
    /// Wallets of a generation. Past it: inactive ones are forgotten early.
    private static let keptMax = 50_000

    /// How long what the node has said is kept.
    let keptMilliseconds: Int64
    private let state = Locked(State())
    private let workers: Workers<String, Result<[UInt8], ChainFault>>
    private let report: @Sendable (String) -> Void

    /// - Parameter report: told of a failure, for the log.
    package init(_ place: ChainPlace, keptMilliseconds: Int64, report: @escaping @Sendable (String) -> Void) {
        self.keptMilliseconds = keptMilliseconds
        self.report = report
        workers = Workers(threadCount: 2, waitingMax: 1_024) {
            guard let node = ChainNode(place) else {
                preconditionFailure("a good configuration has an address of a node")
            }
            return { address in
                Result { () throws(ChainFault) in Self.json(try node.balances(of: address)) }
            }
        }
    }

    func stop() { workers.stop() }

    private static func json(_ balances: [ChainBalance]) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            for balance in balances { json.member(balance.symbol, balance.amount) }
            json.endObject()
        }
        return bytes
    }

    /// What is known without asking; nil for nothing.
    package func known(_ address: String) -> [UInt8]? {
        state.withLock { $0.entry(address) }.flatMap { isOfUse($0, Clock.milliseconds()) ? $0.json : nil }
    }

    /// The balance of an address; nil when it is not known. Callers that ask at the same time wait for one answer.
    func of(_ address: String) async -> Fresh? {
        let now = Clock.milliseconds()
        let asking = state.withLock { state -> Result<Task<Fresh?, Never>, Known> in
            let entry = state.entry(address)
            if let entry, now - entry.at < keptMilliseconds { return .failure(Known(json: entry.json)) }
            if let task = state.asking[address] { return .success(task) }
            if let failedAt = state.failedAt, now - failedAt < Self.pauseMilliseconds {
                return .failure(Known(json: entry.flatMap { isOfUse($0, now) ? $0.json : nil }))
            }
            let task = Task.detached { await self.ask(address) }
            state.asking[address] = task
            return .success(task)
        }
        switch asking {
        case .success(let task): return await task.value
        case .failure(let known): return known.json.map { Fresh(json: $0, isNew: false) }
        }
    }

    /// Thrown with the known balance, so that the node is not asked.
    private struct Known: Error {
        let json: [UInt8]?
    }

    private func isOfUse(_ entry: Entry, _ now: Int64) -> Bool {
        now - entry.at < keptMilliseconds * Self.staleFactor
    }

    private func ask(_ address: String) async -> Fresh? {
        let outcome = await workers.run(address)
        let now = Clock.milliseconds()
        switch outcome {
        case .success(let json):
            state.withLock { state in
                state.asking[address] = nil
                state.failedAt = nil
                if state.young.count >= Self.keptMax { (state.old, state.young) = (state.young, [:]) }
                state.young[address] = Entry(json: json, at: now)
            }
            return Fresh(json: json, isNew: true)
        case .failure(let fault):
            report(fault.reason)
            state.withLock { $0.failedAt = now }
        // Too many wait; the node may be well.
        case nil: break
        }
        return state.withLock { state in
            state.asking[address] = nil
            return state.entry(address).flatMap { isOfUse($0, now) ? Fresh(json: $0.json, isNew: false) : nil }
        }
    }
}
