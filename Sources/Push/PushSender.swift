import Fetch
import Store
import Threads

/// Sends the notifications of the outbox, on a thread of its own that may wait for the provider.
///
/// A leased notification that was not sent goes back to the outbox: at once if there is time, otherwise when its lease
/// ends. A notification that was sent and could not be marked is marked before anything else is leased.
package final class PushSender: Sendable {
    /// The ids of the users with a connection in a room; nil when the answer is not known.
    package typealias Live = @Sendable (_ roomID: String, _ answer: @escaping @Sendable ([String]?) -> Void) -> Void

    private let wakeups = Monitor(State())
    private let limits: PushLimits

    private struct State {
        var isStopped = false
        var hasEnded = false
    }

    /// - Parameters:
    ///   - makeProviders: called once, on the thread: what reaches the devices of each platform.
    ///   - unixSeconds: the clock by which notifications are due.
    ///   - report: called on the thread.
    package init(
        store: any ServerStore, live: @escaping Live, limits: PushLimits = PushLimits(),
        unixSeconds: @escaping @Sendable () -> Int64 = Clock.unixSeconds, totals: PushTotals = PushTotals(),
        report: @escaping @Sendable (PushNotice) -> Void = { _ in },
        makeProviders: @escaping @Sendable () -> [DevicePlatform: any PushProvider]
    ) {
        limits.check()
        self.limits = limits
        let wakeups = wakeups
        let isStarted = SystemThread.detach {
            let round = PushRound(
                store: store, providers: makeProviders(), live: live, limits: limits, unixSeconds: unixSeconds,
                totals: totals, report: report, goesOn: { Self.goesOn(after: $0, wakeups) })
            round.run()
            wakeups.withLock { $0.hasEnded = true }
            wakeups.notify()
        }
        if !isStarted {
            wakeups.withLock { $0.hasEnded = true }
            report(.outboxFailed("no thread could be started to send notifications"))
        }
    }

    /// Waits so many milliseconds, or not at all for none. False when the sender is to end.
    private static func goesOn(after milliseconds: Int64, _ wakeups: Monitor<State>) -> Bool {
        let end = Clock.milliseconds() + milliseconds
        return wakeups.wait { state in
            if state.isStopped { return .done(false) }
            return Clock.milliseconds() < end ? .again(at: end) : .done(true)
        }
    }

    /// Ends the thread. It waits for a request in progress, but not for long. Then the result is unknown, and the next
    /// server with this store sends the notification again under the same id.
    package func stop(waitingMilliseconds: Int64 = 1_000) {
        wakeups.withLock { $0.isStopped = true }
        wakeups.notify()
        let end = Clock.milliseconds() + waitingMilliseconds
        wakeups.wait { state in
            state.hasEnded || Clock.milliseconds() >= end ? .done(()) : .again(at: end)
        }
    }
}
