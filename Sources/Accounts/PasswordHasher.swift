import CArgon2
import Threads

/// Hashes passwords with Argon2id, on a few threads of low priority.
///
/// A hash takes much memory and tens of milliseconds of a processor, so that guessing is expensive. The number of threads
/// bounds both, and the number of waiting requests is bounded, too: a flood of sign-ins delays sign-ins and nothing else.
package final class PasswordHasher: Sendable {
    /// The costs of a hash.
    package struct Costs: Sendable, Equatable {
        package var memoryKibibytes: UInt32 = 48 << 10
        package var passes: UInt32 = 1

        package init() {}

        /// Its beginning in the text of a hash.
        var prefix: String { "$argon2id$v=19$m=\(memoryKibibytes),t=\(passes),p=1$" }
    }

    private enum Work {
        case hash([UInt8])
        /// - Parameter hash: nil to take the same time without one.
        case check([UInt8], hash: String?)
    }

    private struct Job {
        let work: Work
        let answer: CheckedContinuation<String?, Never>
    }

    private struct State {
        var jobs: [Job] = []
        var isStopped = false
    }

    private let costs: Costs
    private let waitingMax: Int
    private let state = Monitor(State())
    /// Of a password that nobody has.
    private let dummy: String
    private let threads: [SystemThread]
    private let isEnding = Locked(false)

    /// - Parameter waitingMax: requests that wait for a thread. Past it: `AccountFault.busy`.
    package init(costs: Costs = Costs(), threadCount: Int = 2, waitingMax: Int = 64) {
        (self.costs, self.waitingMax) = (costs, waitingMax)
        let dummy = Self.hash(RandomBytes.make(32), costs)
        self.dummy = dummy
        let state = state
        threads = (0..<threadCount).compactMap { _ in
            SystemThread {
                rooms_yield_to_others()
                while let job = Self.next(state) { job.answer.resume(returning: Self.run(job.work, costs, dummy)) }
            }
        }
    }

    deinit { stop() }

    /// Ends the threads. Requests that still wait are answered like those that fail.
    package func stop() {
        let isFirst = isEnding.withLock { isEnding in
            defer { isEnding = true }
            return !isEnding
        }
        guard isFirst else { return }
        let left = state.withLock { state in
            state.isStopped = true
            defer { state.jobs = [] }
            return state.jobs
        }
        state.notify()
        for job in left { job.answer.resume(returning: nil) }
        for thread in threads { thread.join() }
    }

    /// The hash of a new password, in the text form of Argon2.
    func hash(_ password: String) async throws(AccountFault) -> String {
        guard let hash = await run(.hash(Array(password.utf8))) else { throw .busy }
        return hash
    }

    /// Whether a password has a hash. Without a hash the answer is false, after the same time.
    func matches(_ password: String, _ hash: String?) async throws(AccountFault) -> Bool {
        guard let answer = await run(.check(Array(password.utf8), hash: hash)) else { throw .busy }
        return answer == Self.right
    }

    /// Whether a hash was made with other costs than those of today.
    func isOutdated(_ hash: String) -> Bool { !hash.hasPrefix(costs.prefix) }

    // MARK: The threads

    private func run(_ work: Work) async -> String? {
        await withCheckedContinuation { answer in
            let isTaken = state.withLock { state in
                guard !state.isStopped, state.jobs.count < waitingMax, !threads.isEmpty else { return false }
                state.jobs.append(Job(work: work, answer: answer))
                return true
            }
            guard isTaken else { return answer.resume(returning: nil) }
            state.notify()
        }
    }

    private static func next(_ state: Monitor<State>) -> Job? {
        state.wait { state in
            if !state.jobs.isEmpty { return .done(state.jobs.removeFirst()) }
            return state.isStopped ? .done(nil) : .again(at: nil)
        }
    }

    private static let right = "right"
    private static let wrong = "wrong"

    private static func run(_ work: Work, _ costs: Costs, _ dummy: String) -> String? {
        switch work {
        case .hash(let password):
            let hash = hash(password, costs)
            return hash.isEmpty ? nil : hash
        case .check(let password, let hash):
            switch argon2id_verify(hash ?? dummy, password, password.count) {
            case ARGON2_OK.rawValue: return hash == nil ? wrong : right
            // There was no memory, for example. Whether the password is right is not known.
            case ARGON2_MEMORY_ALLOCATION_ERROR.rawValue: return nil
            default: return wrong
            }
        }
    }

    /// Empty when there is not enough memory.
    private static func hash(_ password: [UInt8], _ costs: Costs) -> String {
        let salt = RandomBytes.make(16)
        var text = [CChar](repeating: 0, count: 128)
        let status = argon2id_hash_encoded(
            costs.passes, costs.memoryKibibytes, 1, password, password.count, salt, salt.count, 32, &text, text.count)
        guard status == ARGON2_OK.rawValue else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
