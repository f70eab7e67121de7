/// When a node is sent its next frames: what comes right after some goes with the next ones, since a message costs Redis the same
/// whatever it has.
///
/// The first frame after a while goes at once. After a frame of many records many more are about to come, so the next one waits
/// longer. Times are in milliseconds.
struct PublishPace {
    static let longestMilliseconds: Int64 = 3
    private static let shortestMilliseconds: Int64 = 1
    private static let recordsOfMany = 4

    private var dueAt: [Int: Int64] = [:]

    func isDue(_ node: Int, at now: Int64) -> Bool { now >= dueAt[node] ?? now }

    /// Frames with so many records were published.
    mutating func note(_ records: Int, to node: Int, at now: Int64) {
        guard records > 0 else { return }
        dueAt[node] = now + (records < Self.recordsOfMany ? Self.shortestMilliseconds : Self.longestMilliseconds)
    }
}
