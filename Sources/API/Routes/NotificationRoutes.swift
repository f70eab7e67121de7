import Identity
import Store
import Wire

/// Devices and preferences for notifications.
enum NotificationRoutes {
    /// The types of notifications.
    static let types = PushKind.allCases.map(\.rawValue)

    static func all(_ limits: APILimits) -> [APIRoute] {
        [
            APIRoute(
                .put, "/api/notifications/player-id", "Assigns a device to the sender.", access: .token,
                body: [Field("playerId", .id, required: true)], answer: .one("Success"), setDevice),
            APIRoute(
                .put, "/api/notifications/device",
                "Assigns a phone to the sender, when the application was opened on it.", access: .token,
                body: [.deviceToken, .devicePlatform, Field("appVersion", .text(1...64))], answer: .one("Success"),
                register),
            APIRoute(
                .delete, "/api/notifications/device", "Sends no more notifications to a phone of the sender.",
                access: .token, body: [.deviceToken], answer: .one("Success"), unregister),
            APIRoute(
                .get, "/api/notifications/preferences", "The notifications that the sender wants.", access: .token,
                answer: .one("Preferences"), preferences),
            APIRoute(
                .put, "/api/notifications/preferences", "Replaces the sender's preferences for notifications.",
                access: .token,
                body: [
                    Field("types", .switches(types), "A missing type is wanted."),
                    Field("mutedRooms", .ids(most: limits.mutedRoomsMax)),
                ], answer: .one("Preferences"), setPreferences),
        ]
    }

    @Sendable private static func setDevice(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        let account = try await api.signIn(request)
        let device = request.body.text("playerId") ?? ""
        try await api.ask {
            $0.setDevice(device, of: account.id, session: request.sender?.token.session, at: request.now, then: $1)
        }
        return success
    }

    @Sendable private static func register(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        let account = try await api.signIn(request)
        let new = NewDevice(
            token: request.deviceToken, platform: request.devicePlatform, account: account.id, app: Device.rooms,
            appVersion: request.body.text("appVersion"), newName: PhoneID.new(), session: request.sender?.token.session)
        _ = try await api.ask { $0.registerDevice(new, at: request.now, then: $1) }
        return success
    }

    @Sendable private static func unregister(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        let token = request.deviceToken
        _ = try await api.ask { $0.unregisterDevice(token, of: request.subject, app: Device.rooms, then: $1) }
        return success
    }

    private static var success: APIReply {
        .data { json in
            json.beginObject()
            json.member("success", true)
            json.endObject()
        }
    }

    @Sendable private static func preferences(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        reply(try await api.ask { $0.pushPreferences(of: request.subject, then: $1) })
    }

    @Sendable private static func setPreferences(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        let account = try await api.signIn(request)
        let wishes = PushPreferences(
            types: request.body.switches("types") ?? [:],
            mutedRooms: (request.body.texts("mutedRooms") ?? []).sorted())
        try await api.ask { $0.setPushPreferences(wishes, of: account.id, then: $1) }
        return reply(wishes)
    }

    private static func reply(_ wishes: PushPreferences) -> APIReply {
        .data { json in
            json.beginObject()
            json.key("types")
            json.beginObject()
            for type in types { json.member(type, wishes.types[type] ?? true) }
            json.endObject()
            json.key("mutedRooms")
            json.beginArray()
            for room in wishes.mutedRooms { json.string(room) }
            json.endArray()
            json.endObject()
        }
    }
}
