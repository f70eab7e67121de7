/// How much each of some senders has sent lately. Senders may stop coming, so the server asks from time to time that
/// unused counts be removed.
public protocol Meters: Sendable {
    /// Removes some of the counts that are unused and at rest. Returns whether there may be more: callers wait a moment
    /// before they ask again, because the shards need the lock.
    func removeUnused(now: Int64) -> Bool
}
