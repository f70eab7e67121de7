/// How long a request's body may still take.
///
/// One that is gathered has a fixed time. One that is streamed earns more with what has come of it, so that a large
/// upload over a slow line gets through and one that trickles does not; what the application made it wait does not count.
struct BodyPace {
    private let earnsTime: Bool
    private var began: Int64
    private var received = 0
    private var pausedAt: Int64?

    init(streamed: Bool, now: Int64) {
        earnsTime = streamed
        began = now
    }

    var isPaused: Bool { pausedAt != nil }

    /// Answers whether the time left is another one now.
    mutating func received(_ count: Int) -> Bool {
        received += count
        return earnsTime
    }

    mutating func pause(now: Int64) {
        if pausedAt == nil { pausedAt = now }
    }

    mutating func resume(now: Int64) {
        if let pausedAt { began += now - pausedAt }
        pausedAt = nil
    }

    func millisecondsLeft(now: Int64, _ limits: TransportLimits) -> Int {
        let earned = earnsTime ? received / limits.bodyBytesPerMillisecondMin : 0
        return max(limits.bodyMilliseconds + earned - Int(now - began), 1)
    }
}
