/// The time that a client still has for a body: for that of its request, or for the answer that it reads.
///
/// A gathered body of a request has a fixed time. A streamed body and an answer earn time with each byte: a large file
/// over a slow line gets through, and a client that trickles does not. A client never earns more time than has passed.
/// So a client that was fast and then stops has no more time than one that never began. Time that the application takes
/// does not count.
struct BodyPace {
    private let earnsTime: Bool
    private var began: Int64
    /// Bytes that have not earned a whole millisecond yet.
    private var rest = 0
    private var pausedAt: Int64?

    init(streamed: Bool, now: Int64) {
        earnsTime = streamed
        began = now
    }

    var isPaused: Bool { pausedAt != nil }

    /// Notes that so many bytes have arrived, or were read. Returns whether this has changed the remaining time.
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
