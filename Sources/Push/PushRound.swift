import Fetch
import Store
import Threads

/// The work of the sender's thread: it leases notifications, checks whether they are still wanted, sends them, and
/// marks them.
final class PushRound {
    private let store: PushStore
    private let delivery: PushDelivery
    private let live: PushSender.Live
    private let limits: PushLimits
    private let unixSeconds: @Sendable () -> Int64
    private let totals: PushTotals
    private let report: @Sendable (PushNotice) -> Void
    /// Waits so many milliseconds; false when it is time to end.
    private let goesOn: @Sendable (_ afterMilliseconds: Int64) -> Bool

    init(
        store: any ServerStore, providers: [DevicePlatform: any PushProvider], live: @escaping PushSender.Live,
        limits: PushLimits, unixSeconds: @escaping @Sendable () -> Int64, totals: PushTotals,
        report: @escaping @Sendable (PushNotice) -> Void, goesOn: @escaping @Sendable (Int64) -> Bool
    ) {
        self.store = PushStore(store, limits, report: report, goesOn: goesOn)
        self.live = live
        self.limits = limits
        self.unixSeconds = unixSeconds
        self.totals = totals
        self.report = report
        self.goesOn = goesOn
        delivery = PushDelivery(providers, self.store, limits, totals, report: report)
    }

    /// Returns when it is time to end.
    func run() {
        var pause: Int64 = 0
        while goesOn(pause) { pause = turn() }
    }

    /// One look into the outbox. Answers how long to wait before the next.
    private func turn() -> Int64 {
        do throws(StoreError) {
            let pause = delivery.pauseMilliseconds
            guard pause == 0 else { return pause }
            let due = try store.ask { $0.nextPushDue(then: $1) }
            guard let due, due <= unixSeconds() else { return limits.pollMilliseconds }
            let pushes = try store.ask {
                $0.leasePushes(
                    limit: self.limits.batchMax, at: self.unixSeconds(), forSeconds: self.limits.leaseSeconds, then: $1)
            }
            store.works()
            return send(pushes)
        } catch {
            store.failed(error)
            return limits.pollMilliseconds
        }
    }

    /// Sends leased notifications. Returns how long to wait before the next lease.
    private func send(_ pushes: [LeasedPush]) -> Int64 {
        guard !pushes.isEmpty else { return limits.pollMilliseconds }
        var drafting = PushDrafting(store, live: live, limits: limits)
        // A request may need a new token first, and be repeated with one.
        let deadline = Clock.milliseconds() + limits.leaseSeconds * 1_000 - 4 * limits.requestMilliseconds
        for (index, push) in pushes.enumerated() {
            guard goesOn(0) else {
                giveBack(pushes[index...], reason: "the server ended", afterMilliseconds: 0)
                return 0
            }
            switch step(push, &drafting, until: deadline) {
            case .done(let end, let reason):
                finish(push, end, reason)
            case .later(let milliseconds, let reason):
                giveBack(pushes[index...index], reason: reason, afterMilliseconds: milliseconds)
                let pause = delivery.pauseMilliseconds
                guard pause > 0 else { continue }
                giveBack(pushes[(index + 1)...], reason: reason, afterMilliseconds: pause)
                return pause
            }
        }
        return 0
    }

    private func finish(_ push: LeasedPush, _ end: PushEnd, _ reason: String?) {
        totals.count(end)
        switch end {
        case .unwanted, .noDevice, .noMember, .inRoom: store.mark { $0.forgetPush(push.key, then: $1) }
        case .sent, .unreachable, .refused, .tooOld, .unknownType:
            let outcome = reason ?? end.rawValue
            store.mark { $0.finishPush(push.key, outcome: outcome, at: self.unixSeconds(), then: $1) }
        }
    }

    private func giveBack(_ pushes: ArraySlice<LeasedPush>, reason: String, afterMilliseconds: Int64) {
        for push in pushes {
            let dueAt = max(push.push.dueAt, unixSeconds() + (afterMilliseconds + 999) / 1_000)
            store.mark { $0.retryPush(push.key, dueAt: dueAt, reason: reason, then: $1) }
        }
    }

    private func step(
        _ push: LeasedPush, _ drafting: inout PushDrafting, until deadline: Int64
    ) -> PushDelivery.Step {
        guard push.push.at > unixSeconds() - limits.ageSecondsMax else {
            report(.tooOld(type: push.push.type, room: push.push.room))
            return .done(.tooOld)
        }
        do throws(StoreError) {
            switch try drafting.draft(push.push) {
            case .ready(let content, let devices):
                return try delivery.send(push, content, to: devices, until: deadline)
            case .done(let end): return .done(end)
            case .unknown(let reason): return .later(milliseconds: limits.pollMilliseconds, reason: reason)
            }
        } catch {
            return .later(milliseconds: limits.pollMilliseconds, reason: error.description)
        }
    }
}
