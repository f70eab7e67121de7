/// Whether a loop had better let a little come together before it looks at its sockets again.
///
/// A turn costs the same for one socket as for many: what it takes to fall asleep, to be woken, and to ask what is
/// ready. Where something is ready again as soon as a turn is over, and can wait, a rest makes one turn out of many.
struct TurnPace {
    /// From the beginning of a turn, so that a busy loop rests little and a full one not at all.
    static let restNanoseconds: UInt64 = 1_000_000
    /// Less than that between two turns is no pause.
    private static let pauseNanoseconds: UInt64 = 250_000
    private static let streakMax = 32
    private static let streakToRest = 16

    /// Turns that had to wait for nothing, less those that had to.
    private var streak = 0
    private var hasWaiting = false
    private var hasAnswered = false

    /// A turn begins, for which the loop has waited so long.
    mutating func turnBegins(afterNanoseconds waited: UInt64) {
        streak = waited < Self.pauseNanoseconds ? min(streak + 1, Self.streakMax) : max(streak - 1, 0)
    }

    /// What was taken in this turn waits for a time that is not yet: more of its kind may come before the next.
    mutating func noteWaiting() {
        hasWaiting = true
    }

    /// Somebody is answered in this turn, and may be waiting for that to go on.
    mutating func noteAnswered() {
        hasAnswered = true
    }

    /// How many nanoseconds to rest after a turn; 0 when the next should not be waited for.
    ///
    /// - Parameter alarm: when the loop has something to do, whatever comes.
    mutating func rest(afterTurnFrom began: UInt64, to ended: UInt64, before alarm: UInt64) -> Int {
        let mayRest = hasWaiting && !hasAnswered && streak >= Self.streakToRest
        (hasWaiting, hasAnswered) = (false, false)
        let until = min(began + Self.restNanoseconds, alarm)
        return mayRest && until > ended ? Int(until - ended) : 0
    }
}
