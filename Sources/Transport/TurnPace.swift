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

    /// A turn begins, for which the loop has waited so long.
    mutating func turnBegins(afterNanoseconds waited: UInt64) {
        streak = waited < Self.pauseNanoseconds ? min(streak + 1, Self.streakMax) : max(streak - 1, 0)
    }

    /// Until when to rest after a turn that has begun then; nil when the next should not be waited for.
    func restEnds(afterTurnBegunAt began: UInt64) -> UInt64? {
        streak >= Self.streakToRest ? began + Self.restNanoseconds : nil
    }
}
