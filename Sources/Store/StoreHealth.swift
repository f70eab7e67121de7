/// Whether what is written is stored, for `/healthz` and for whoever holds back new events while it is not.
package enum StoreHealth: Equatable, Sendable {
    case good
    /// The reason of the newest failure. It turns good again with the first transaction that succeeds.
    case failing(StoreError)

    package var isGood: Bool { self == .good }
}

/// What the store has done since it was opened.
package struct StoreCounters: Equatable, Sendable {
    /// Transactions that were stored, and the jobs in them.
    package var groups: UInt64 = 0
    package var jobs: UInt64 = 0
    /// Transactions that failed.
    package var failedGroups: UInt64 = 0
    /// Jobs that were refused since too many waited.
    package var refusedJobs: UInt64 = 0
    package var reads: UInt64 = 0
    /// How long the transactions took that were stored, from begin to the end of the commit.
    package var groupMicroseconds: UInt64 = 0
    package var longestGroupMicroseconds: UInt64 = 0
    /// How many of them took up to each of `groupBounds`; the last number is of those that took longer.
    package var groupsByDuration = [UInt64](repeating: 0, count: groupBounds.count + 1)
    /// In microseconds.
    package static let groupBounds: [UInt64] = [
        250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    ]
    /// Jobs that wait at this moment.
    package var waitingJobs = 0
    /// Of the database and of the log in front of it; 0 in memory.
    package var databaseBytes = 0
    package var logBytes = 0
    /// What SQLite has allocated in this process: its caches of pages above all.
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
