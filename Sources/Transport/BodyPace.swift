/// How long a client may still take for a body: of its request, or of the answer that it reads.
///
/// A request's body that is gathered has a fixed time. One that is streamed earns some back with each byte, and so does an
/// answer: a large file over a slow line gets through, and a client that trickles does not. Nobody earns more than what has
/// passed, so that a client which was fast and then stops has no longer than one that never began. Time that the
/// application takes does not count.
struct BodyPace {
    private let earnsTime: Bool
    private var began: Int64
    /// Bytes that have not earned a whole millisecond.
    private var rest = 0
    private var pausedAt: Int64?

    init(streamed: Bool, now: Int64) {
        earnsTime = streamed
        began = now
    }

    var isPaused: Bool { pausedAt != nil }

    /// So many bytes came, or were read. Answers whether the time left is another one now.
    @discardableResult
    mutating func moved(_ count: Int, now: Int64, _ limits: TransportLimits) -> Bool {
        guard earnsTime else { return false }
        let (milliseconds, rest) = (rest + count).quotientAndRemainder(dividingBy: limits.bodyBytesPerMillisecondMin)
        self.rest = rest
        began = min(began + Int64(milliseconds), pausedAt ?? now)
        return true
    }

    mutating func pause(now: Int64) {
        if pausedAt == nil { pausedAt = now }
    }

    mutating func resume(now: Int64) {
        if let pausedAt { began += now - pausedAt }
        pausedAt = nil
    }

    func millisecondsLeft(now: Int64, _ limits: TransportLimits) -> Int {
        max(limits.bodyMilliseconds - Int(now - began), 1)
    }
}
