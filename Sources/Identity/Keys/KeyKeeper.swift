import Fetch
import Threads

/// Keeps the provider's keys, and fetches them on a thread of its own. It may be asked from any thread.
///
/// The thread holds the keeper, so the owner has to call `stop`.
final class KeyKeeper: Sendable {
    typealias Fetch = @Sendable () -> Result<KeySet, FetchFault>

    private struct Waiter {
        let id: [UInt8]?
        let algorithm: SignatureAlgorithm
        let done: @Sendable (KeyCache.Answer) -> Void
    }

    private struct State {
        var cache: KeyCache
        var waiters: [Waiter] = []
        var isStopped = false
    }

    private enum Step {
        case fetch, stop
    }

    private let state: Monitor<State>
    private let limits: IdentityLimits
    private let fetch: Fetch
    private let report: @Sendable (KeyNotice) -> Void

    init(_ limits: IdentityLimits, report: @escaping @Sendable (KeyNotice) -> Void, fetch: @escaping Fetch) {
        limits.assertRelations()
        self.limits = limits
        self.fetch = fetch
        self.report = report
        state = Monitor(State(cache: KeyCache(limits)))
    }

    func start() throws(IdentityFault) {
        guard SystemThread.detach({ self.run() }) else {
            throw IdentityFault("no thread could be started to fetch keys")
        }
    }

    /// Ends the thread as soon as it is not fetching. Waiting tokens are told that there are no keys.
    func stop() {
        let waiters = state.withLock { state in
            state.isStopped = true
            defer { state.waiters = [] }
            return state.waiters
        }
        state.notify()
        for waiter in waiters { waiter.done(.unavailable) }
    }

    // MARK: Asking

    /// Returns the answer at once, never `.afterFetch`; or nil, and calls `done` after the next fetch.
    func key(
        _ id: [UInt8]?, _ algorithm: SignatureAlgorithm, _ done: @escaping @Sendable (KeyCache.Answer) -> Void
    ) -> KeyCache.Answer? {
        let now = Clock.milliseconds()
        let answer: KeyCache.Answer? = state.withLock { state in
            let answer = state.cache.key(id, algorithm, now: now)
            guard case .afterFetch = answer else { return answer }
            guard state.waiters.count < limits.waitersMax, !state.isStopped else { return .unavailable }
            state.waiters.append(Waiter(id: id, algorithm: algorithm, done: done))
            return nil
        }
        // The keys may have become so old that they must be fetched again.
        state.notify()
        return answer
    }

    // MARK: The thread

    private func run() {
        while case .fetch = nextStep() {
            let result = fetch()
            switch result {
            case .success(let keys): report(.fetched(keys: keys.entries.count))
            case .failure(let fault): report(.failed(fault.reason))
            }
            answerWaiters(result)
        }
    }

    private func nextStep() -> Step {
        state.wait { state in
            if state.isStopped { return .done(.stop) }
            guard let begin = state.cache.nextFetch else { return .again(at: nil) }
            let now = Clock.milliseconds()
            guard begin <= now else { return .again(at: begin) }
            state.cache.beginFetch(now: now)
            return .done(.fetch)
        }
    }

    private func answerWaiters(_ result: Result<KeySet, FetchFault>) {
        let now = Clock.milliseconds()
        let answers = state.withLock { state in
            state.cache.endFetch(result, now: now)
            defer { state.waiters = [] }
            return state.waiters.map { ($0, state.cache.keyAfterFetch($0.id, $0.algorithm)) }
        }
        for (waiter, answer) in answers { waiter.done(answer) }
    }
}
