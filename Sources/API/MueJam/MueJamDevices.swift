import Accounts
import Store
import Wire

/// The phones of the sender, and the notifications that they get.
enum MueJamDevices {
    static let app = AppPush.library

    /// The switches of the guide and the types that they stand for.
    private static let switches: [(name: String, type: String)] = [
        ("whisper_replies", "whisper_reply"), ("story_updates", "story_update"), ("new_followers", "new_follower"),
        ("likes", "whisper_like"),
    ]

    static let all: [MueJamRoute] = [
        MueJamRoute(
            .post, "/muejam/v1/devices/register",
            "Assigns a phone to the sender, when the application was opened on it.",
            body: [.deviceToken, .devicePlatform, Field("app_version", .text(1...64))], answer: .bare("Device"),
            register),
        MueJamRoute(
            .delete, "/muejam/v1/devices/unregister", "Sends no more notifications to a phone of the sender.",
            body: [.deviceToken], answer: .bare("Success"), unregister),
        MueJamRoute(
            .put, "/muejam/v1/devices/preferences", "Chooses the notifications of a phone of the sender.",
            body: [
                .deviceToken,
                Field(
                    "preferences", .switches(switches.map(\.name)), required: true, "A missing one stays as it is."),
            ], answer: .bare("Preferences"), failures: [404], setPreferences),
        MueJamRoute(
            .post, "/muejam/v1/test/push-notification",
            "Sends a notification to a phone; for administrators, or where the server has developer codes.",
            body: [.deviceToken, .devicePlatform], answer: .bare("TestNotification"), failures: [502, 504], test),
    ]

    @Sendable private static func register(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let new = NewDevice(
            token: request.deviceToken, platform: request.devicePlatform, account: try request.person().id, app: app,
            appVersion: request.body.text("app_version"), newName: PhoneID.new(),
            session: request.sender?.session.id)
        let device = try await context.ask { $0.registerDevice(new, at: request.now, then: $1) }
        return .bare { json in
            json.beginObject()
            json.member("id", device.name)
            json.member("user_id", device.account)
            json.member("token", device.token)
            json.member("platform", device.platform.rawValue)
            if let version = device.appVersion { json.member("app_version", version) }
            json.member("is_active", true)
            json.member("created_at", UTCTime.text(device.createdAt))
            json.endObject()
        }
    }

    /// A phone that was not registered is as good: phones repeat what they are not sure of.
    @Sendable private static func unregister(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let (person, token) = (try request.person(), request.deviceToken)
        _ = try await context.ask { $0.unregisterDevice(token, of: person.id, app: app, then: $1) }
        return .bare { json in
            json.beginObject()
            json.member("success", true)
            json.member("message", "Device token unregistered successfully")
            json.endObject()
        }
    }

    @Sendable private static func setPreferences(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let (person, token) = (try request.person(), request.deviceToken)
        let wanted = request.body.switches("preferences") ?? [:]
        var types: [String: Bool] = [:]
        for (name, type) in switches { types[type] = wanted[name] }
        let known = try await context.ask { [types] in
            $0.setDeviceTypes(types, of: token, person.id, app: app, then: $1)
        }
        guard let known else { throw .notFound("device") }
        return .bare { json in
            json.beginObject()
            json.member("success", true)
            json.key("preferences")
            json.beginObject()
            for (name, type) in switches { json.member(name, known[type] ?? true) }
            json.endObject()
            json.endObject()
        }
    }

    // MARK: Testing

    private static let patienceSeconds = 15
    /// How long the sender waits for a provider.
    private static let attemptSeconds = 10

    @Sendable private static func test(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person()
        guard person.role == .admin || context.options.muejam.isForDevelopers else {
            throw .forbidden("Only administrators may send test notifications.")
        }
        let platform = request.devicePlatform
        guard context.options.pushPlatforms.contains(platform) else {
            throw .pushService(platform.service, "not_configured", isRepeated: false)
        }
        let id = PhoneID.new()
        var push = AppPush(
            app: app, account: person.id, type: "test", subject: id, title: "Test Notification",
            text: "This is a test notification", data: [])
        push.device = AppPush.Address(token: request.deviceToken, platform: platform)
        let queued = push.push(at: request.now)
        _ = try await context.ask { $0.enqueue([queued], then: $1) }
        try await outcome(of: push, context)
        return .bare { json in
            json.beginObject()
            json.member("success", true)
            json.member("message", "Test notification sent successfully")
            json.member("notification_id", id)
            json.endObject()
        }
    }

    /// Waits for the first attempt, and throws unless the provider has taken the notification.
    private static func outcome(of push: AppPush, _ context: MueJamContext) async throws(APIError) {
        let service = push.device?.platform.service ?? ""
        for _ in 0..<patienceSeconds * 10 {
            let state = try await context.ask {
                $0.pushState(of: push.account, about: push.subject, type: push.type, then: $1)
            }
            guard let state else { throw .pushService(service, "not_configured", isRepeated: false) }
            if let outcome = state.outcome {
                guard outcome != "sent" else { return }
                let kind = PushReason(outcome)?.kind ?? (state.isDone ? "invalid_token" : "unavailable")
                guard kind != "timeout" else { throw .externalTimeout(service, seconds: attemptSeconds) }
                throw .pushService(service, kind, isRepeated: !state.isDone)
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
        throw .externalTimeout(service, seconds: patienceSeconds)
    }
}

extension DevicePlatform {
    /// As in errors of the guide.
    fileprivate var service: String {
        switch self {
        case .ios: "APNs"
        case .android: "FCM"
        case .onesignal: "OneSignal"
        }
    }
}
