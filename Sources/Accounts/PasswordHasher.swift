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

    private let costs: Costs
    private let workers: Workers<Work, String?>

    /// - Parameter waitingMax: requests that wait for a thread. Past it: `AccountFault.busy`.
    package init(costs: Costs = Costs(), threadCount: Int = 2, waitingMax: Int = 64) {
        self.costs = costs
        // The hash of a random password.
        let dummy = Self.hash(RandomBytes.make(32), costs)
        workers = Workers(threadCount: threadCount, waitingMax: waitingMax) {
            rooms_yield_to_others()
            return { Self.run($0, costs, dummy) }
        }
    }

    /// Ends the threads. Requests that still wait are answered like those that fail.
    package func stop() { workers.stop() }

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

    private func run(_ work: Work) async -> String? { await workers.run(work) ?? nil }

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
