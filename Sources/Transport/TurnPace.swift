/// Decides whether a loop should rest before it polls its sockets again.
///
/// A turn costs the same for one socket as for many: falling asleep, waking up, and asking which sockets are ready.
/// When sockets are ready again right after a turn, and their input can wait, a rest makes one turn out of many.
struct TurnPace {
    /// Counted from the beginning of a turn, so that a busy loop rests little and a fully loaded one not at all.
    static let restNanoseconds: UInt64 = 1_000_000
    /// A shorter time between two turns is not a pause.
    private static let pauseNanoseconds: UInt64 = 250_000
    private static let streakMax = 32
    private static let streakToRest = 16

    /// The number of turns without a pause before them, less those with one.
    private var streak = 0
    private var hasWaiting = false
    private var hasAnswered = false

    /// A turn begins, for which the loop has waited so long.
    mutating func turnBegins(afterNanoseconds waited: UInt64) {
        streak = waited < Self.pauseNanoseconds ? min(streak + 1, Self.streakMax) : max(streak - 1, 0)
    }

    /// Input of this turn waits for a later time. More of its kind may come first.
    mutating func noteWaiting() {
        hasWaiting = true
    }

    /// A client gets an answer in this turn, and may wait for it before it goes on.
    mutating func noteAnswered() {
        hasAnswered = true
    }

    /// How many nanoseconds to rest after a turn; 0 when the next turn should begin at once.
    ///
    /// - Parameter alarm: the time at which the loop has work in any case.
    mutating func rest(afterTurnFrom began: UInt64, to ended: UInt64, before alarm: UInt64) -> Int {
        let mayRest = hasWaiting && !hasAnswered && streak >= Self.streakToRest
        (hasWaiting, hasAnswered) = (false, false)
        let until = min(began + Self.restNanoseconds, alarm)
        return mayRest && until > ended ? Int(until - ended) : 0
    }
}
