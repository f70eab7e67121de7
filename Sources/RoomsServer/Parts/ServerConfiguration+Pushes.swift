import Configuration
import Identity
import Logging
import Push
import Relay
import Store

extension ServerConfiguration {
    /// Begins to send notifications from the store; nil without a provider.
    func pushSender(
        _ store: any ServerStore, _ rooms: RoomCommands, _ totals: PushTotals, _ logger: Logger
    ) -> PushSender? {
        guard sendsNotifications else { return nil }
        let configuration = self
        return PushSender(
            store: store, live: { rooms.connectedPeople(in: $0, $1) }, totals: totals, report: { logger.log($0) },
            makeProviders: { configuration.pushProviders })
    }

    /// The platforms whose devices get notifications.
    var pushPlatforms: Set<DevicePlatform> {
        var platforms: Set<DevicePlatform> = []
        if push == .onesignal { platforms.insert(.onesignal) }
        if fcmKeyFile != nil { platforms.insert(.android) }
        if apnsKeyFile != nil { platforms.insert(.ios) }
        return platforms
    }

    private var pushProviders: [DevicePlatform: any PushProvider] {
        var providers: [DevicePlatform: any PushProvider] = [:]
        if push == .onesignal { providers[.onesignal] = Self.checked(oneSignal) }
        if fcmKeyFile != nil { providers[.android] = Self.checked(fcm) }
        if apnsKeyFile != nil { providers[.ios] = Self.checked(apns) }
        return providers
    }

    private var oneSignal: OneSignal? {
        OneSignal(url: pushURL, appID: pushAppID ?? "", key: pushKey?.revealed() ?? [], caFile: pushCAFile)
    }

    private var fcm: FCM? {
        ServiceAccount(fcmKey?.revealed() ?? []).flatMap { FCM(url: fcmURL, $0, caFile: pushCAFile) }
    }

    private var apns: APNs? {
        guard let key = PrivateKey(pem: apnsKey?.revealed() ?? []), let keyID = apnsKeyID, let teamID = apnsTeamID,
            let topic = apnsTopic
        else { return nil }
        let sender = APNs.Sender(key: key, keyID: keyID, teamID: teamID, topic: topic, topics: appTopics)
        return APNs(url: apnsURL, sender, caFile: pushCAFile)
    }

    private static func checked<Provider>(_ provider: Provider?) -> Provider {
        guard let provider else {
            preconditionFailure("a good configuration has an address and a key for notifications")
        }
        return provider
    }
}

extension Logger {
    fileprivate func log(_ notice: PushNotice) {
        switch notice {
        case .resumed: info("notifications are sent again")
        case .paused(let provider, let reason, let milliseconds):
            warning(
                "notifications wait", ["provider": provider, "reason": reason, "milliseconds": Int(milliseconds)])
        case .refused(let type, let room, let reason):
            warning("notification dropped", ["type": type, "room": room, "reason": reason])
        case .tooOld(let type, let room):
            warning("notification dropped", ["type": type, "room": room, "reason": "it has waited too long"])
        case .devicesForgotten(let count): info("devices forgotten", ["count": count])
        case .outboxFailed(let reason): error("the outbox of notifications fails", ["reason": reason])
        }
    }
}
