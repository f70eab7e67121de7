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
    /// Jobs that wait at this moment.
    public var waitingJobs = 0

    public init() {}
}
