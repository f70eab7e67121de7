import Fetch
import Store
import Threads
import Wire

/// The work of the sender's thread: it leases notifications, checks whether they are still wanted, sends them, and
/// marks them.
final class PushRound {
    /// Of the notifications that were taken together.
    private struct Known {
        var rooms: [String: RoomRecord?] = [:]
        var live: [String: [String]] = [:]
    }

    private enum Step {
        /// The reason is the provider's, where it gives one.
        case done(PushEnd, reason: String? = nil)
        /// Nothing more can be sent now.
        case pause(milliseconds: Int64, reason: String)
    }

    private let store: any ServerStore
    private let provider: any PushProvider
    private let live: PushSender.Live
    private let limits: PushLimits
    private let unixSeconds: @Sendable () -> Int64
    private let totals: PushTotals
    private let report: @Sendable (PushNotice) -> Void
    /// Sleeps so many milliseconds; false when it is time to end.
    private let sleep: @Sendable (Int64) -> Bool
    private var pace: PushPace
    private var isOutboxFailing = false

    init(
        store: any ServerStore, provider: any PushProvider, live: @escaping PushSender.Live, limits: PushLimits,
        unixSeconds: @escaping @Sendable () -> Int64, totals: PushTotals,
        report: @escaping @Sendable (PushNotice) -> Void, sleep: @escaping @Sendable (Int64) -> Bool
    ) {
        self.store = store
        self.provider = provider
        self.live = live
        self.limits = limits
        self.unixSeconds = unixSeconds
        self.totals = totals
        self.report = report
        self.sleep = sleep
        pace = PushPace(limits)
    }

    /// Returns when it is time to end.
    func run() {
        var pause: Int64 = 0
        while sleep(pause) { pause = turn() }
    }

    /// One look into the outbox. Answers how long to wait before the next.
    private func turn() -> Int64 {
        do throws(StoreError) {
            let due = try ask { self.store.nextPushDue(then: $0) }
            guard let due, due <= unixSeconds() else { return limits.pollMilliseconds }
            let pushes = try ask {
                self.store.leasePushes(
                    limit: self.limits.batchMax, at: self.unixSeconds(), forSeconds: self.limits.leaseSeconds, then: $0)
            }
            isOutboxFailing = false
            return send(pushes)
        } catch {
            if !isOutboxFailing { report(.outboxFailed(error.description)) }
            isOutboxFailing = true
            return limits.pollMilliseconds
        }
    }

    /// Sends leased notifications. Returns how long to wait before the next lease.
    private func send(_ pushes: [LeasedPush]) -> Int64 {
        guard !pushes.isEmpty else { return limits.pollMilliseconds }
        var known = Known()
        for (index, push) in pushes.enumerated() {
            guard sleep(0) else {
                giveBack(pushes[index...], reason: "the server ended", afterMilliseconds: 0)
                return 0
            }
            switch step(push.push, &known) {
            case .done(let end, let reason):
                totals.count(end)
                switch end {
                case .unwanted, .noDevice, .noMember, .inRoom: mark { self.store.forgetPush(push.key, then: $0) }
                case .sent, .unreachable, .refused, .tooOld, .unknownType:
                    let outcome = reason ?? end.rawValue
                    mark { self.store.finishPush(push.key, outcome: outcome, at: self.unixSeconds(), then: $0) }
                }
            case .pause(let milliseconds, let reason):
                giveBack(pushes[index...], reason: reason, afterMilliseconds: milliseconds)
                return milliseconds
            }
        }
        return 0
    }

    private func giveBack(_ pushes: ArraySlice<LeasedPush>, reason: String, afterMilliseconds: Int64) {
        for push in pushes {
            let dueAt = max(push.push.dueAt, unixSeconds() + (afterMilliseconds + 999) / 1_000)
            mark { self.store.retryPush(push.key, dueAt: dueAt, reason: reason, then: $0) }
        }
    }

    // MARK: One notification

    private func step(_ push: Push, _ known: inout Known) -> Step {
        do throws(StoreError) {
            guard let kind = PushKind(rawValue: push.type) else { return .done(.unknownType) }
            guard push.at > unixSeconds() - limits.ageSecondsMax else {
                report(.tooOld(type: push.type, room: push.room))
                return .done(.tooOld)
            }
            let wishes = try ask { self.store.pushPreferences(of: push.account, then: $0) }
            guard wishes.wants(push.type, from: push.room) else { return .done(.unwanted) }
            let devices = try ask { self.store.devices(of: push.account, then: $0) }
            guard !devices.isEmpty else { return .done(.noDevice) }
            guard let room = try room(push.room, &known), room.isActive, room.isMember(push.account) else {
                return .done(.noMember)
            }
            guard let people = live(push.room, &known) else {
                return .pause(milliseconds: limits.pollMilliseconds, reason: "the room did not say who is in it")
            }
            guard !people.contains(where: push.account.isSameID) else { return .done(.inRoom) }
            let actor = (try? JSONReader(push.json))?["by"]?.string
            return send(
                PushMessage(
                    id: PushID.bytes(push), kind: kind, roomID: push.room, title: PushText.title(roomName: room.name),
                    text: PushText.text(kind, by: actor.flatMap(room.firstName)), devices: devices))
        } catch {
            return .pause(milliseconds: limits.pollMilliseconds, reason: error.description)
        }
    }

    private func room(_ id: String, _ known: inout Known) throws(StoreError) -> RoomRecord? {
        if let room = known.rooms[id] { return room }
        let room = try ask { self.store.room(id, then: $0) }
        known.rooms[id] = .some(room)
        return room
    }

    private func live(_ id: String, _ known: inout Known) -> [String]? {
        if let people = known.live[id] { return people }
        let answer = Monitor<[String]??>(nil)
        live(id) { people in
            answer.withLock { $0 = .some(people) }
            answer.notify()
        }
        let end = Clock.milliseconds() + limits.liveMillisecondsMax
        let people: [String]? = answer.wait { people in
            if let people { return .done(people) }
            return Clock.milliseconds() < end ? .again(at: end) : .done(nil)
        }
        known.live[id] = people
        return people
    }

    private func send(_ message: PushMessage) -> Step {
        switch provider.send(message) {
        case .sent(let unknown):
            reached(unknown)
            return .done(.sent)
        case .nobody(let unknown):
            reached(unknown)
            return .done(.unreachable)
        case .refused(let reason):
            reached([])
            report(.refused(type: message.kind.rawValue, room: message.roomID, reason: reason))
            return .done(.refused, reason: reason)
        case .failed(let reason, let seconds):
            let pause = pace.failed(retryAfterSeconds: seconds, chance: .random(in: 0...1))
            totals.failed()
            report(.paused(reason: reason, milliseconds: pause))
            return .pause(milliseconds: pause, reason: reason)
        }
    }

    /// The provider has answered, whatever it was.
    private func reached(_ unknownDevices: [String]) {
        pace.succeeded()
        if totals.reached() { report(.resumed) }
        guard !unknownDevices.isEmpty else { return }
        for device in unknownDevices { mark { self.store.removeDevice(device, then: $0) } }
        report(.devicesForgotten(unknownDevices.count))
    }

    // MARK: The store

    private func ask<Value: Sendable>(_ question: (@escaping Answer<Value>) -> Void) throws(StoreError) -> Value {
        let answer = Monitor<Result<Value, StoreError>?>(nil)
        question { result in
            answer.withLock { $0 = result }
            answer.notify()
        }
        let result: Result<Value, StoreError> = answer.wait { $0.map { .done($0) } ?? .again(at: nil) }
        return try result.get()
    }

    /// Stores a result, and repeats that until it succeeds. This process must not forget the result, or the
    /// notification would be sent twice.
    private func mark(_ write: (@escaping Answer<Void>) -> Void) {
        while true {
            do throws(StoreError) {
                return try ask(write)
            } catch {
                if !isOutboxFailing { report(.outboxFailed(error.description)) }
                isOutboxFailing = true
                guard error.isPassing, sleep(limits.pollMilliseconds) else { return }
            }
        }
    }
}

extension RoomRecord {
    fileprivate func isMember(_ account: String) -> Bool {
        members.contains { $0.leftAt == nil && $0.account.id.isSameID(as: account) }
    }

    fileprivate func firstName(_ account: String) -> String? {
        members.first { $0.account.id.isSameID(as: account) }?.account.profile?.firstName
    }
}

extension String {
    /// Byte for byte: strings of Swift are equal when Unicode holds them for the same letters.
    fileprivate func isSameID(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
