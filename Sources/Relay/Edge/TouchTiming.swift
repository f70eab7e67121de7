/// When touches go to a room's home on another shard or another node: once for each of its ticks, just before it.
///
/// Sent earlier, they would only wait there. Sent later, they meet the next ones of the same members, which take their
/// place. Times are milliseconds of the shard's clock.
struct TouchTiming {
    /// The grain of the timer wheel and the time of the way.
    private static let leadMilliseconds: Int64 = 4
    /// The home's tick has taken the way, too, before it was seen here.
    private static let farLeadMilliseconds: Int64 = 8

    /// Whether the home is another node.
    let isElsewhere: Bool
    /// When the newest tick came.
    var tickedAt = Int64.min / 2
    /// When touches were last sent.
    var sentAt = Int64.min / 2

    init(isElsewhere: Bool) {
        self.isElsewhere = isElsewhere
    }

    /// When touches have to be sent that are gathered from now on: a time that is over if the room was quiet.
    ///
    /// - Parameter interval: the time between two ticks.
    func due(interval: Int64) -> Int64 {
        let lead = isElsewhere ? min(Self.farLeadMilliseconds, interval / 2) : Self.leadMilliseconds
        let tick = tickedAt + interval
        guard sentAt >= tick - lead else { return tick - lead }
        // That tick has its touches.
        return max(tick, sentAt) + interval - lead
    }
}
