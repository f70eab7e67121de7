import Synchronization
import Threads

/// Files that nodes are about to delete: no element may begin to show one of them. It is empty most of the time.
package final class CondemnedMedia: Sendable {
    private struct Sentence {
        let keys: Set<String>
        let ends: ContinuousClock.Instant
    }

    /// A node that has not said within this time that it is done has ended.
    private static let longest: Duration = .seconds(600)

    private let sentences = Locked<[Int: Sentence]>([:])
    private let count = Atomic<Int>(0)

    package init() {}

    /// The files that a node is about to delete, in place of those that it has named before.
    package func set(_ keys: Set<String>, of node: Int) {
        let ends = ContinuousClock.now + Self.longest
        sentences.withLock { sentences in
            sentences[node] = keys.isEmpty ? nil : Sentence(keys: keys, ends: ends)
            count.store(sentences.count, ordering: .relaxed)
        }
    }

    /// Whether there are any files. If not, callers need not look for keys.
    package var isAny: Bool { count.load(ordering: .relaxed) > 0 }

    package func contains(_ key: String) -> Bool {
        guard isAny else { return false }
        let now = ContinuousClock.now
        return sentences.withLock { sentences in
            sentences.values.contains { $0.ends > now && $0.keys.contains(key) }
        }
    }
}
