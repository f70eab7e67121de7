/// Whether writes are stored, for `/healthz` and for homes, which refuse changes while they are not.
package enum StoreHealth: Equatable, Sendable {
    case good
    /// The reason of the newest failure. The health is good again once the writing thread has written a probe.
    case failing(StoreError)

    package var isGood: Bool { self == .good }
}

/// The counts of the store since it was opened.
package struct StoreCounters: Equatable, Sendable {
    /// Transactions that were stored, and the jobs in them.
    package var groups: UInt64 = 0
    package var jobs: UInt64 = 0
    /// Transactions that failed.
    package var failedGroups: UInt64 = 0
    /// Jobs that were refused because too many waited.
    package var refusedJobs: UInt64 = 0
    package var reads: UInt64 = 0
    /// The durations of stored transactions, from the begin to the end of the commit.
    package var groupMicroseconds: UInt64 = 0
    package var longestGroupMicroseconds: UInt64 = 0
    /// How many of them took up to each of `groupBounds`. The last number counts those that took longer.
    package var groupsByDuration = [UInt64](repeating: 0, count: groupBounds.count + 1)
    /// In microseconds.
    package static let groupBounds: [UInt64] = [
        250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    ]
    /// Jobs that wait at this moment.
    package var waitingJobs = 0
    /// Sizes of the database and of its write-ahead log; 0 in memory.
    package var databaseBytes = 0
    package var logBytes = 0
    /// The memory of SQLite in this process, mostly caches of pages.
    package var memoryBytes = 0

    package init() {}

    /// A transaction was stored.
    mutating func countGroup(jobs count: Int, microseconds took: UInt64) {
        groups += 1
        jobs += UInt64(count)
        groupMicroseconds += took
        longestGroupMicroseconds = max(longestGroupMicroseconds, took)
        groupsByDuration[Self.groupBounds.firstIndex { took <= $0 } ?? Self.groupBounds.count] += 1
    }
}
