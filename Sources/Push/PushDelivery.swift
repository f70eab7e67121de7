import Store
import Threads

/// Hands notifications to the providers, each of which pauses by itself when it fails.
final class PushDelivery {
    enum Step {
        /// The reason is the provider's, where it gives one.
        case done(PushEnd, reason: String? = nil)
        /// The provider of some of the devices takes nothing for now. The others have had it.
        case later(milliseconds: Int64, reason: String)
    }

    private struct Route {
        let provider: any PushProvider
        var pace: PushPace
        /// Milliseconds of the clock until which the provider gets nothing.
        var pausedUntil: Int64 = 0
        var reason = ""
    }

    private let store: PushStore
    private let totals: PushTotals
    private let report: @Sendable (PushNotice) -> Void
    private var routes: [DevicePlatform: Route]

    init(
        _ providers: [DevicePlatform: any PushProvider], _ store: PushStore, _ limits: PushLimits, _ totals: PushTotals,
        report: @escaping @Sendable (PushNotice) -> Void
    ) {
        self.store = store
        self.totals = totals
        self.report = report
        routes = providers.mapValues { Route(provider: $0, pace: PushPace(limits)) }
    }

    /// How long no provider takes anything; 0 when one does.
    var pauseMilliseconds: Int64 {
        let now = Clock.milliseconds()
        return routes.values.map { max($0.pausedUntil - now, 0) }.min() ?? 0
    }

    // MARK: One notification

    /// Sends it to the devices that have not had it yet.
    ///
    /// - Parameter deadline: by the clock; no request begins after it, because another node may lease the notification.
    func send(
        _ push: LeasedPush, _ content: PushContent, to devices: [Device], until deadline: Int64
    ) throws(StoreError) -> Step {
        let message = PushMessage(id: PushID.bytes(push.push), content: content, devices: [])
        let platforms = DevicePlatform.allCases.filter { platform in
            routes[platform] != nil && devices.contains { $0.platform == platform }
        }
        guard !platforms.isEmpty else { return .done(.noDevice) }
        var ends: [(end: PushEnd, reason: String?)] = []
        var later: (milliseconds: Int64, reason: String)?
        for platform in platforms {
            let own = devices.filter { $0.platform == platform }
            guard Clock.milliseconds() < deadline else { return .later(milliseconds: 0, reason: "it takes too long") }
            switch try send(push.key, message, on: platform, to: own, isOnly: platforms.count == 1, deadline) {
            case .done(let end, let reason): ends.append((end, reason))
            case .later(let milliseconds, let reason):
                if milliseconds <= later?.milliseconds ?? .max { later = (milliseconds, reason) }
            }
        }
        if let later { return .later(milliseconds: later.milliseconds, reason: later.reason) }
        let best = ends.first { $0.end == .sent } ?? ends.first { $0.end == .refused } ?? ends.first
        return .done(best?.end ?? .noDevice, reason: best?.reason)
    }

    /// - Parameter isOnly: whether the provider is the only one for this notification: its result is that of the whole.
    private func send(
        _ key: Int64, _ message: PushMessage, on platform: DevicePlatform, to devices: [Device], isOnly: Bool,
        _ deadline: Int64
    ) throws(StoreError) -> Step {
        guard let provider = routes[platform]?.provider else { return .done(.noDevice) }
        if provider.takesManyDevices, isOnly {
            var message = message
            message.devices = devices.map(\.token)
            return hand(message, on: platform)
        }
        // Several devices of one request have one delivery.
        let parts = provider.takesManyDevices ? [(provider.name, devices)] : devices.map { ($0.token, [$0]) }
        var end = Step.done(.unreachable)
        for (name, devices) in parts {
            let delivery = try store.ask {
                $0.beginDelivery(key, to: name, counts: !message.content.isSilent, then: $1)
            }
            if delivery.isDone {
                end = .done(.sent)
                continue
            }
            guard Clock.milliseconds() < deadline else { return .later(milliseconds: 0, reason: "it takes too long") }
            var message = message
            (message.devices, message.badge) = (devices.map(\.token), delivery.badge)
            message.app = devices.first?.app ?? message.app
            let step = hand(message, on: platform)
            guard case .done(let result, let reason) = step else { return step }
            store.mark { $0.finishDelivery(key, to: name, outcome: reason ?? result.rawValue, then: $1) }
            if case .done(.sent, _) = end { continue }
            end = step
        }
        return end
    }

    /// One request.
    private func hand(_ message: PushMessage, on platform: DevicePlatform) -> Step {
        guard let route = routes[platform] else { return .done(.noDevice) }
        let left = route.pausedUntil - Clock.milliseconds()
        guard left <= 0 else { return .later(milliseconds: left, reason: route.reason) }
        let name = route.provider.name
        switch route.provider.send(message) {
        case .sent(let unknown):
            reached(platform, unknown, since: nil)
            return .done(.sent)
        case .nobody(let unknown, let since):
            reached(platform, unknown, since: since)
            return .done(.unreachable)
        case .refused(let reason):
            reached(platform, [], since: nil)
            report(.refused(type: message.content.type, room: message.content.subject, reason: reason))
            return .done(.refused, reason: PushReason(service: name, kind: "rejected", reason: reason).text)
        case .failed(let reason, let seconds):
            return failed(platform, reason, retryAfterSeconds: seconds)
        }
    }

    private func failed(_ platform: DevicePlatform, _ reason: String, retryAfterSeconds: Int?) -> Step {
        guard var route = routes[platform] else { return .done(.noDevice) }
        let pause = route.pace.failed(retryAfterSeconds: retryAfterSeconds, chance: .random(in: 0...1))
        route.pausedUntil = Clock.milliseconds() + pause
        let name = route.provider.name
        route.reason = PushReason(service: name, kind: PushReason.kind(reason), reason: reason).text
        routes[platform] = route
        totals.failed(at: name)
        report(.paused(provider: name, reason: reason, milliseconds: pause))
        return .later(milliseconds: pause, reason: route.reason)
    }

    /// The provider has answered, whatever it was.
    private func reached(_ platform: DevicePlatform, _ unknownDevices: [String], since: Int64?) {
        guard let provider = routes[platform]?.provider else { return }
        routes[platform]?.pace.succeeded()
        if totals.reached(provider.name) { report(.resumed) }
        guard !unknownDevices.isEmpty else { return }
        for device in unknownDevices { store.mark { $0.removeDevice(device, unlessSeenAfter: since, then: $1) } }
        report(.devicesForgotten(unknownDevices.count))
    }
}
