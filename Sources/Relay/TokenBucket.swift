/// Lets through so many per second, and as many at once as a second allows.
struct TokenBucket {
    private let perSecond: Double
    private var tokens: Double
    private var filledAt: Int64

    init(perSecond: Int, now: Int64) {
        self.perSecond = Double(perSecond)
        tokens = Double(perSecond)
        filledAt = now
    }

    /// Milliseconds to wait, or 0 when this one may pass.
    mutating func take(now: Int64) -> Int {
        guard perSecond > 0 else { return 0 }
        tokens = min(tokens + Double(now - filledAt) / 1_000 * perSecond, perSecond)
        filledAt = now
        guard tokens < 1 else {
            tokens -= 1
            return 0
        }
        return max(Int(((1 - tokens) / perSecond * 1_000).rounded(.up)), 1)
    }
}
