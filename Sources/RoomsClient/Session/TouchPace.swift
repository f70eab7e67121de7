/// When to send the next position to a room that ticks: just before its next tick, as a position that comes earlier is
/// replaced by a newer one.
///
/// All times are in milliseconds of the client's clock.
struct TouchPace {
    /// How long before its tick a position should arrive.
    private static let leadMilliseconds: Int64 = 4
    /// A room that ticks more often takes each position at once.
    private static let intervalMin: Int64 = 8
    /// How often the way to the server is measured, and how many measurements count.
    private static let measurePauseMilliseconds: Int64 = 1_000
    private static let waysMax = 4

    private var interval: Int64 = 0
    private var tickedAt: Int64 = .min / 2
    private var sentAt: Int64 = .min / 2
    private var measuredAt: Int64 = .min / 2
    /// How long answers took of late.
    private var ways: [Int64] = []

    /// A tick of the room has come.
    mutating func ticked(at now: Int64, interval: Int64) {
        self.interval = interval
        tickedAt = now
    }

    /// - Returns: whether to ask for an answer, so that the way is known.
    mutating func sent(at now: Int64) -> Bool {
        sentAt = now
        guard interval >= Self.intervalMin, now - measuredAt >= Self.measurePauseMilliseconds else { return false }
        measuredAt = now
        return true
    }

    /// The answer to a position took so long.
    mutating func answered(after milliseconds: Int64) {
        ways.append(milliseconds)
        if ways.count > Self.waysMax { ways.removeFirst() }
    }

    /// How long the next position has to wait; 0 or less if it may go.
    func wait(at now: Int64) -> Int64 {
        // A room that was quiet takes each position at once.
        guard interval >= Self.intervalMin, now - tickedAt <= 2 * interval, let way = ways.min() else { return 0 }
        var due = tickedAt + interval - way - Self.leadMilliseconds
        // One position goes for each tick.
        while due < sentAt + interval / 2 { due += interval }
        return due - now
    }
}
