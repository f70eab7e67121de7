/// Relations of settings about notifications.
extension Relations {
    static let push: [Relation] = [
        Relation(
            settings: ["push", "data", "store", "push-app-id", "push-key", "push-key-file"],
            promise: """
                `push = onesignal` needs `data` or `store`, `push-app-id` and exactly one of `push-key` and `push-key-file`; \
                `push = off` allows none of the last three.
                """,
            breach: pushBreach),
        Relation(
            settings: [
                "fcm-key-file", "apns-key-file", "apns-key-id", "apns-team-id", "apns-topic", "subspace-apns-topic",
                "interspace-apns-topic", "soul-apns-topic", "muejam-apns-topic", "data", "store",
            ],
            promise: """
                `apns-key-file` needs `apns-key-id`, `apns-team-id` and `apns-topic`, and without it neither these nor the \
                topics of applications are allowed. \
                `fcm-key-file` and `apns-key-file` need `data` or `store`.
                """,
            breach: platformBreach),
    ]

    private static func platformBreach(_ configuration: ServerConfiguration) -> Relation.Breach? {
        let ids = [configuration.apnsKeyID, configuration.apnsTeamID, configuration.apnsTopic].compactMap(\.self)
        let right = "Right is apns-key-file FILE with apns-key-id, apns-team-id and apns-topic"
        if configuration.apnsKeyFile != nil, ids.count < 3 {
            return Relation.Breach(problem: "APNs needs the ids of key, team and app", right: right)
        }
        if configuration.apnsKeyFile == nil, !ids.isEmpty || !configuration.appTopics.isEmpty {
            return Relation.Breach(problem: "APNs has no key", right: right)
        }
        guard configuration.fcmKeyFile != nil || configuration.apnsKeyFile != nil, !configuration.hasStore else {
            return nil
        }
        return Relation.Breach(
            problem: "notifications need a data directory or a store", right: "Right is data DIR")
    }

    private static func pushBreach(_ configuration: ServerConfiguration) -> Relation.Breach? {
        let keys = (configuration.pushKey == nil ? 0 : 1) + (configuration.pushKeyFile == nil ? 0 : 1)
        let right = "Right is push onesignal with data DIR, push-app-id ID and push-key-file FILE"
        guard configuration.push != .off else {
            guard configuration.pushAppID != nil || keys > 0 else { return nil }
            return Relation.Breach(problem: "push is off, so no notifications are sent", right: right)
        }
        if !configuration.hasStore {
            return Relation.Breach(problem: "notifications need a data directory or a store", right: right)
        }
        if configuration.pushAppID == nil { return Relation.Breach(problem: "the application has no id", right: right) }
        if keys == 1 { return nil }
        return Relation.Breach(problem: keys == 0 ? "the provider needs a key" : "there are two keys", right: right)
    }
}
