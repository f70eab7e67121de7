import Synchronization
import Threads

/// Files that are about to be deleted: no element may begin to show one of them. It is empty most of the time.
package final class CondemnedMedia: Sendable {
    private let keys = Locked<Set<String>>([])
    private let count = Atomic<Int>(0)

    package init() {}

    package func add(_ new: Set<String>) {
        keys.withLock { keys in
            keys.formUnion(new)
            count.store(keys.count, ordering: .relaxed)
        }
    }

    package func remove(_ old: Set<String>) {
        keys.withLock { keys in
            keys.subtract(old)
            count.store(keys.count, ordering: .relaxed)
        }
    }

    /// Whether there are any files. If not, callers need not look for keys.
    package var isAny: Bool { count.load(ordering: .relaxed) > 0 }

    package func contains(_ key: String) -> Bool {
        guard isAny else { return false }
        return keys.withLock { $0.contains(key) }
    }
}
