import Configuration
import Logging
import Push
import Relay
import Store

extension ServerConfiguration {
    /// Begins to send notifications from the store; nil without a provider.
    func pushSender(
        _ store: any ServerStore, _ rooms: RoomCommands, _ totals: PushTotals, _ logger: Logger
    ) -> PushSender? {
        guard let makeProvider = pushProvider else { return nil }
        return PushSender(
            store: store, live: { rooms.connectedPeople(in: $0, $1) }, totals: totals, report: { logger.log($0) },
            makeProvider: makeProvider)
    }

    private var pushProvider: (@Sendable () -> any PushProvider)? {
        switch push {
        case .off: return nil
        case .onesignal:
            let (url, appID, key) = (pushURL, pushAppID ?? "", pushKey?.revealed() ?? [])
            return {
                guard let provider = OneSignal(url: url, appID: appID, key: key) else {
                    preconditionFailure("a good configuration has an address and a key for notifications")
                }
                return provider
            }
        }
    }
}

extension Logger {
    fileprivate func log(_ notice: PushNotice) {
        switch notice {
        case .resumed: info("notifications are sent again")
        case .paused(let reason, let milliseconds):
            warning("notifications wait", ["reason": reason, "milliseconds": Int(milliseconds)])
        case .refused(let type, let room, let reason):
            warning("notification dropped", ["type": type, "room": room, "reason": reason])
        case .tooOld(let type, let room):
            warning("notification dropped", ["type": type, "room": room, "reason": "it has waited too long"])
        case .devicesForgotten(let count): info("devices forgotten", ["count": count])
        case .outboxFailed(let reason): error("the outbox of notifications fails", ["reason": reason])
        }
    }
}
