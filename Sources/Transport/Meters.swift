/// Counts of what senders have sent lately, for each address or for each account. A sender may never come again, so the
/// server has unused counts removed from time to time.
public protocol Meters: Sendable {
    /// Removes some of the counts that are unused and at rest. Returns whether there may be more: callers wait a moment
    /// before they ask again, because the shards need the lock.
    func removeUnused(now: Int64) -> Bool
}
