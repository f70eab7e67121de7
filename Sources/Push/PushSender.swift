import Fetch
import Store
import Threads

/// Sends what is in the outbox, on a thread of its own that may wait as long as the provider takes.
///
/// What was taken from the outbox and not sent comes back to it: at once when there is time for that, or else when its
/// lease has run out. What was sent and could not be marked as such is marked before anything else is taken.
package final class PushSender: Sendable {
    /// The ids of those who have a connection in a room; nil when that cannot be said.
    package typealias Live = @Sendable (_ roomID: String, _ answer: @escaping @Sendable ([String]?) -> Void) -> Void

    private let wakeups = Monitor(State())
    private let limits: PushLimits

    private struct State {
        var isStopped = false
        var hasEnded = false
    }

    /// - Parameters:
    ///   - makeProvider: called once, on the thread.
    ///   - unixSeconds: the clock by which notifications are due.
    ///   - report: called on the thread.
    package init(
        store: any ServerStore, live: @escaping Live, limits: PushLimits = PushLimits(),
        unixSeconds: @escaping @Sendable () -> Int64 = Clock.unixSeconds, totals: PushTotals = PushTotals(),
        report: @escaping @Sendable (PushNotice) -> Void = { _ in },
        makeProvider: @escaping @Sendable () -> any PushProvider
    ) {
        limits.check()
        self.limits = limits
        let wakeups = wakeups
        let isStarted = SystemThread.detach {
            let round = PushRound(
                store: store, provider: makeProvider(), live: live, limits: limits, unixSeconds: unixSeconds,
                totals: totals, report: report, sleep: { Self.sleep($0, wakeups) })
            round.run()
            wakeups.withLock { $0.hasEnded = true }
            wakeups.notify()
        }
        if !isStarted {
            wakeups.withLock { $0.hasEnded = true }
            report(.outboxFailed("no thread could be started to send notifications"))
        }
    }

    /// Sleeps until a time, or for as little as that when it is over already. False when the sender is to end.
    private static func sleep(_ milliseconds: Int64, _ wakeups: Monitor<State>) -> Bool {
        let end = Clock.milliseconds() + milliseconds
        return wakeups.wait { state in
            if state.isStopped { return .done(false) }
            return Clock.milliseconds() < end ? .again(at: end) : .done(true)
        }
    }

    /// Ends the thread. A request that is under way is waited for, but not for long: what comes of it is then unknown, and
    /// it is sent again under the same id by whoever has the store next.
    package func stop(waitingMilliseconds: Int64 = 1_000) {
        wakeups.withLock { $0.isStopped = true }
        wakeups.notify()
        let end = Clock.milliseconds() + waitingMilliseconds
        wakeups.wait { state in
            state.hasEnded || Clock.milliseconds() >= end ? .done(()) : .again(at: end)
        }
    }
}
