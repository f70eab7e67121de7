/// How long to wait before the next attempt at the provider, by the results so far: a value without a clock.
struct PushPace {
    private let limits: PushLimits
    private var failures = 0

    init(_ limits: PushLimits) {
        self.limits = limits
    }

    mutating func succeeded() {
        failures = 0
    }

    /// Begins a pause: as long as the provider asks for, or twice as long as the last one.
    ///
    /// - Parameter chance: between 0 and 1, so that many servers do not try again at once.
    /// - Returns: its length.
    mutating func failed(retryAfterSeconds: Int?, chance: Double) -> Int64 {
        let doubled = limits.pauseMilliseconds << Int64(min(failures, 20))
        let whole = min(doubled, limits.pauseMillisecondsMax)
        failures += 1
        let own = whole / 2 + Int64(Double(whole / 2) * chance)
        let asked = min(Int64(max(retryAfterSeconds ?? 0, 0)), limits.askedPauseMillisecondsMax / 1_000) * 1_000
        return max(own, asked)
    }
}
