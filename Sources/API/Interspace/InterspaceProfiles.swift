import Accounts
import Store
import Wire

/// The sender's profiles.
enum InterspaceProfiles {
    static let all: [InterspaceRoute] = [
        InterspaceRoute(
            .get, "/interspace/api/v1/profiles", "The sender's profiles, in the order in which they were made.",
            query: [
                Field("page", .integer(1...1_000_000), "From 1 on."),
                Field("limit", .integer(1...100), "How many profiles a page has; by default 20."),
            ], answer: .bare("Profiles"), list),
        InterspaceRoute(
            .post, "/interspace/api/v1/profiles", "Makes a profile.",
            body: .fields(
                [Field("username", .username, required: true), Field("displayName", .text(1...80), required: true)]
                    + texts),
            answer: .bare("Profile"), status: 201, add),
        InterspaceRoute(
            .get, "/interspace/api/v1/profiles/{profileId}", "One of the sender's profiles.", answer: .bare("Profile"),
            failures: [404], one),
        InterspaceRoute(
            .patch, "/interspace/api/v1/profiles/{profileId}", "Changes a profile.",
            body: .fields(
                [
                    Field("username", .username), Field("displayName", .text(1...80)),
                    Field("isDefault", .flag, "true makes it the default; false is refused for the default."),
                ] + texts), answer: .bare("Profile"), failures: [404], change),
        InterspaceRoute(
            .delete, "/interspace/api/v1/profiles/{profileId}", "Removes a profile, with what is connected to it.",
            answer: nil, status: 204, failures: [404], remove),
    ]

    private static let avatarBytesMax = 49_152

    private static let texts = [
        Field("bio", .prose(charactersMax: 500)),
        Field("avatar", .secret, "A URL, or the image: data:image/png;base64,… (PNG, JPEG or WebP, up to 48 KB)."),
        Field("settings", .json(schema: "Settings"), "Members that are given replace those that are there."),
    ]

    @Sendable private static func list(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let profiles = try await context.ask { $0.profiles(of: person, then: $1) }
        let (page, limit) = (Int(request.query.integer("page") ?? 1), Int(request.query.integer("limit") ?? 20))
        let part = profiles.dropFirst((page - 1) * limit).prefix(limit)
        return .bare { json in
            json.beginObject()
            json.key("profiles")
            json.beginArray()
            for profile in part { json.profile(profile) }
            json.endArray()
            json.member("page", page)
            json.member("limit", limit)
            json.member("total", profiles.count)
            json.endObject()
        }
    }

    @Sendable private static func add(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let settings = try AppSettings.change(in: request.body).flatMap { JSONObject.merged([], $0)?.json }
        let new = AppProfile(
            id: Accounts.newID(), person: person, username: request.body.text("username") ?? "",
            displayName: request.body.text("displayName") ?? "", bio: request.body.text("bio"),
            avatar: try avatar(request), settings: settings ?? Array("{}".utf8), createdAt: request.now,
            updatedAt: request.now)
        let profile = try await context.ask { $0.addProfile(new, by: request.sender?.session.id, then: $1) }
        context.tell(.profile(profile, isNew: true))
        return .bare(status: 201) { $0.profile(profile) }
    }

    private static func avatar(_ request: InterspaceRequest) throws(APIError) -> String? {
        guard let text = request.body.text("avatar"), !text.isEmpty else { return nil }
        if Field.isURL(text, APILimits()) { return text }
        let beginnings = ["png", "jpeg", "webp"].map { "data:image/\($0);base64," }
        guard let beginning = beginnings.first(where: { text.hasPrefix($0) }), text.utf8.count <= avatarBytesMax,
            text.utf8.dropFirst(beginning.utf8.count).allSatisfy({ byte in
                ASCII.isDigit(byte) || ASCII.lowercased(byte) &- 0x61 < 26 || "+/=".utf8.contains(byte)
            })
        else {
            throw .invalid("avatar", "must be a URL, or an image of at most \(avatarBytesMax) bytes as a data URL.")
        }
        return text
    }

    /// One of the sender's profiles. Those of others do not exist.
    private static func profile(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> AppProfile {
        let id = ProfileID(of: try request.person().id, request.parameter("profileId"))
        guard let profile = try await context.ask({ $0.profile(id, then: $1) }) else { throw .notFound("profile") }
        return profile
    }

    @Sendable private static func one(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let profile = try await profile(request, context)
        return .bare { $0.profile(profile) }
    }

    @Sendable private static func change(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let before = try await profile(request, context)
        if before.isPreferred, request.body.flag("isDefault") == false {
            throw .invalid("isDefault", "is true for one profile; make another one the default.")
        }
        var change = ProfileChange()
        change.username = request.body.text("username")
        change.displayName = request.body.text("displayName")
        change.bio = request.body.isNull("bio") ? "" : request.body.text("bio")
        change.avatar = request.body.isNull("avatar") ? "" : try avatar(request)
        change.isPreferred = request.body.flag("isDefault") ?? false
        change.settings = try AppSettings.change(in: request.body)
        let profile = try await context.ask { [change] in
            $0.changeProfile(
                before.id, of: before.person, change, by: request.sender?.session.id, at: request.now, then: $1)
        }
        context.tell(.profile(profile, isNew: false))
        return .bare { $0.profile(profile) }
    }

    @Sendable private static func remove(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let (person, id) = (try request.person().id, request.parameter("profileId"))
        let wasThere = try await context.ask {
            $0.removeProfile(id, of: person, by: request.sender?.session.id, then: $1)
        }
        guard wasThere else { throw .notFound("profile") }
        context.tell(.profileRemoved(id, of: person))
        return .noContent
    }
}

extension JSONWriter {
    mutating func profile(_ profile: AppProfile) {
        let settings = AppSettings.filled(profile.settings, with: #"{"privacy":"private"}"#)
        beginObject()
        member("id", profile.id)
        member("username", profile.username)
        member("displayName", profile.displayName)
        for (name, text) in [("bio", profile.bio), ("avatar", profile.avatar)] {
            key(name)
            if let text { string(text) } else { null() }
        }
        member("isDefault", profile.isPreferred)
        key("socialAccounts")
        beginArray()
        for account in profile.socialAccounts { socialAccount(account) }
        endArray()
        member("settings", raw: settings.span)
        member("createdAt", UTCTime.text(profile.createdAt))
        member("updatedAt", UTCTime.text(profile.updatedAt))
        endObject()
    }

    mutating func socialAccount(_ account: SocialAccount) {
        beginObject()
        member("id", account.id)
        member("platform", account.platform)
        member("accountId", account.account)
        member("username", account.username)
        key("profileUrl")
        null()
        // The server has not asked the platform.
        member("verified", false)
        member("connectedAt", UTCTime.text(account.connectedAt))
        endObject()
    }
}
