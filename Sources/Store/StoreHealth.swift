/// Whether what is written is stored, for `/healthz` and for whoever holds back new events while it is not.
public enum StoreHealth: Equatable, Sendable {
    case good
    /// The reason of the newest failure. It turns good again with the first transaction that succeeds.
    case failing(StoreError)

    public var isGood: Bool { self == .good }
}

/// What the store has done since it was opened.
public struct StoreCounters: Equatable, Sendable {
    /// Transactions that were stored, and the jobs in them.
    public var groups: UInt64 = 0
    public var jobs: UInt64 = 0
    /// Transactions that failed.
    public var failedGroups: UInt64 = 0
    /// Jobs that were refused since too many waited.
    public var refusedJobs: UInt64 = 0
    public var reads: UInt64 = 0
    /// How long the transactions took that were stored, from begin to the end of the commit.
    public var groupMicroseconds: UInt64 = 0
    public var longestGroupMicroseconds: UInt64 = 0
    /// How many of them took up to each of `groupBounds`; the last number is of those that took longer.
    public var groupsByDuration = [UInt64](repeating: 0, count: groupBounds.count + 1)
    /// In microseconds.
    public static let groupBounds: [UInt64] = [
        250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    ]
    /// Jobs that wait at this moment.
    public var waitingJobs = 0
    /// Of the database and of the log in front of it; 0 in memory.
    public var databaseBytes = 0
    public var logBytes = 0
    /// What SQLite has allocated in this process: its caches of pages above all.
    public var memoryBytes = 0

    public init() {}

    /// A transaction was stored.
    mutating func countGroup(jobs count: Int, microseconds took: UInt64) {
        groups += 1
        jobs += UInt64(count)
        groupMicroseconds += took
        longestGroupMicroseconds = max(longestGroupMicroseconds, took)
        groupsByDuration[Self.groupBounds.firstIndex { took <= $0 } ?? Self.groupBounds.count] += 1
    }
}
