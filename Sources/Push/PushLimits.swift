/// Every bound of sending notifications, its unit last in its name.
package struct PushLimits: Sendable {
    /// Notifications that are taken out of the outbox at a time.
    package var batchMax = 8
    /// How long the outbox leases them. Longer than the sending of all of them may take.
    package var leaseSeconds: Int64 = 120
    /// How long the provider may take for one. Past it: it is tried again.
    package var requestMilliseconds: Int64 = 10_000
    /// A larger answer of the provider is none.
    package var answerBytesMax = 64 << 10
    /// How often the outbox is checked when no notification is known to be due.
    package var pollMilliseconds: Int64 = 1_000
    /// How long the first pause after a failure is; each that follows is twice as long.
    package var pauseMilliseconds: Int64 = 2_000
    /// The longest pause, unless the provider asks for a longer one.
    package var pauseMillisecondsMax: Int64 = 10 * 60_000
    /// The longest pause that the provider may ask for.
    package var askedPauseMillisecondsMax: Int64 = 3_600_000
    /// How old a notification may get before it is of no use. Past it: it is dropped.
    package var ageSecondsMax: Int64 = 86_400
    /// How long to wait for a room's answer about its participants. Past it: the notification waits.
    package var liveMillisecondsMax: Int64 = 2_000

    package init() {}

    func check() {
        precondition(
            batchMax > 0 && leaseSeconds * 1_000 > Int64(batchMax) * (requestMilliseconds + liveMillisecondsMax))
        precondition(pollMilliseconds > 0 && pauseMilliseconds > 0 && pauseMillisecondsMax >= pauseMilliseconds)
    }
}
