import Accounts
import Store
import Wire

/// What is connected to the sender's profiles: social accounts and applications of others.
enum InterspaceConnections {
    static let all: [InterspaceRoute] = [
        InterspaceRoute(
            .get, "/interspace/api/v1/profiles/{profileId}/social-accounts",
            "The social accounts of a profile, in the order in which they were linked.",
            answer: .bare("SocialAccounts"),
            failures: [404], socialAccounts),
        InterspaceRoute(
            .post, "/interspace/api/v1/profiles/{profileId}/social-accounts", "Links a social account.",
            body: [
                Field("platform", .text(1...40), required: true), Field("accountId", .text(1...255), required: true),
                Field("username", .text(1...255), required: true),
                Field("accessToken", .secret, "Not used and not kept."),
            ], answer: .bare("SocialAccount"), status: 201, failures: [404], link),
        InterspaceRoute(
            .delete, "/interspace/api/v1/profiles/{profileId}/social-accounts/{accountId}", "Unlinks a social account.",
            answer: nil, status: 204, failures: [404], unlink),
        InterspaceRoute(
            .get, "/interspace/api/v1/profiles/{profileId}/apps",
            "The applications that a profile is connected with, in the order in which they were connected.",
            answer: .bare("Apps"), failures: [404], apps),
        InterspaceRoute(
            .post, "/interspace/api/v1/profiles/{profileId}/apps", "Connects an application.",
            body: [
                Field("name", .text(1...80), required: true), Field("icon", .url),
                Field("permissions", .ids(most: 32), required: true),
            ], answer: .bare("App"), status: 201, failures: [404], connect),
        InterspaceRoute(
            .delete, "/interspace/api/v1/profiles/{profileId}/apps/{appId}", "Takes an application's access away.",
            answer: nil, status: 204, failures: [404], revoke),
    ]

    private static func profile(_ request: InterspaceRequest) throws(APIError) -> ProfileID {
        ProfileID(of: try request.person().id, request.parameter("profileId"))
    }

    @Sendable private static func socialAccounts(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let id = try profile(request)
        guard let profile = try await context.ask({ $0.profile(id, then: $1) }) else { throw .notFound("profile") }
        return .bare { json in
            json.beginObject()
            json.key("accounts")
            json.beginArray()
            for account in profile.socialAccounts { json.socialAccount(account) }
            json.endArray()
            json.endObject()
        }
    }

    @Sendable private static func link(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let id = try profile(request)
        let account = SocialAccount(
            id: Accounts.newID(), platform: request.body.text("platform") ?? "",
            account: request.body.text("accountId") ?? "", username: request.body.text("username") ?? "",
            connectedAt: request.now)
        try await context.ask { $0.link(account, to: id, by: request.sender?.session.id, then: $1) }
        await tell(id, context)
        return .bare(status: 201) { $0.socialAccount(account) }
    }

    @Sendable private static func unlink(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        try await disconnect(.socialAccount, request.parameter("accountId"), "social account", request, context)
    }

    @Sendable private static func revoke(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        try await disconnect(.app, request.parameter("appId"), "application", request, context)
    }

    private static func disconnect(
        _ kind: ProfileConnection, _ connection: String, _ words: String, _ request: InterspaceRequest,
        _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let id = try profile(request)
        let wasThere = try await context.ask {
            $0.disconnect(kind, connection, from: id, by: request.sender?.session.id, then: $1)
        }
        guard wasThere else { throw .notFound(words) }
        if kind == .socialAccount { await tell(id, context) }
        return .noContent
    }

    /// Tells the person's clients of the profile as it is now. A client that is not told asks when it looks again.
    private static func tell(_ id: ProfileID, _ context: InterspaceContext) async {
        let profile = try? await context.ask { $0.profile(id, then: $1) }
        if let profile = profile ?? nil { context.tell(.profile(profile, isNew: false)) }
    }

    @Sendable private static func apps(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let id = try profile(request)
        let apps = try await context.ask { $0.connectedApps(of: id, then: $1) }
        return .bare { json in
            json.beginObject()
            json.key("apps")
            json.beginArray()
            for app in apps { json.connectedApp(app) }
            json.endArray()
            json.endObject()
        }
    }

    @Sendable private static func connect(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let id = try profile(request)
        var permissions: [UInt8] = []
        JSONWriter.write(into: &permissions) { json in
            json.beginArray()
            for permission in request.body.texts("permissions") ?? [] { json.string(permission) }
            json.endArray()
        }
        let app = ConnectedApp(
            id: Accounts.newID(), name: request.body.text("name") ?? "", icon: request.body.text("icon"),
            permissions: permissions, connectedAt: request.now)
        try await context.ask { $0.connect(app, to: id, then: $1) }
        return .bare(status: 201) { $0.connectedApp(app) }
    }
}

extension JSONWriter {
    fileprivate mutating func connectedApp(_ app: ConnectedApp) {
        beginObject()
        member("id", app.id)
        member("name", app.name)
        key("icon")
        if let icon = app.icon { string(icon) } else { null() }
        member("permissions", raw: app.permissions.span)
        member("connectedAt", UTCTime.text(app.connectedAt))
        endObject()
    }
}
