import Media
import Relay
import Rooms
import Store
import Wire

/// Accounts and profiles.
enum AuthRoutes {
    static let all: [APIRoute] = [
        APIRoute(
            .get, "/api/auth/verify", "Makes an account on the first call, and says whether its profile is complete.",
            access: .token, answer: .one("Verification"), verify),
        APIRoute(
            .post, "/api/auth/complete-profile", "Sets or changes the sender's profile.", access: .token,
            body: [
                Field("username", .username, required: true, "Unique without regard to case."),
                Field("firstName", .text(1...80), required: true),
                Field("dateOfBirth", .time, required: true, "At least 13 years ago."),
                Field("avatarUrl", .url, "Without it the picture stays; null removes it."),
            ], answer: .one("User"), failures: [409], completeProfile),
        APIRoute(.get, "/api/auth/me", "Oneself.", answer: .one("User"), me),
    ]

    @Sendable private static func verify(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let account = try await api.signIn(request)
        return .data { json in
            json.beginObject()
            json.member("profileComplete", account.profile != nil)
            if account.profile != nil {
                json.key("user")
                json.user(account, .near)
            }
            json.endObject()
        }
    }

    @Sendable private static func completeProfile(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        let birth = request.body.integer("dateOfBirth") ?? 0
        guard birth <= request.now, UTCTime.years(from: birth, to: request.now) <= 150 else {
            throw .invalid("dateOfBirth", "must be the day on which somebody alive was born.")
        }
        guard UTCTime.years(from: birth, to: request.now) >= 13 else {
            throw .invalid("dateOfBirth", "must be at least 13 years ago.")
        }
        let account = try await api.signIn(request)
        let profile = Profile(
            username: request.body.text("username") ?? "", firstName: request.body.text("firstName") ?? "",
            dateOfBirth: birth, avatarURL: request.body.text("avatarUrl"))
        let keepsPicture = profile.avatarURL == nil && !request.body.isNull("avatarUrl")
        let told = try await api.setProfile(
            profile, keepsPicture: keepsPicture, of: account.id, at: request.now)
        return .data { $0.user(told, .near) }
    }

    @Sendable private static func me(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        guard let account = request.sender?.account else { throw .incompleteProfile }
        return .data { $0.user(account, .near) }
    }
}

extension APIContext {
    /// The sender's account, which is made if it is missing. Its id is the token's subject, which events use too.
    func signIn(_ request: APIRequest) async throws(APIError) -> Account {
        try await ask {
            $0.signIn(
                sub: request.subject, email: request.email, newID: request.subject, at: request.now, then: $1)
        }
    }

    /// Sets a profile. The file of a new picture is held until the profile shows it, so that it is not deleted meanwhile.
    fileprivate func setProfile(
        _ profile: Profile, keepsPicture: Bool, of account: String, at now: Int64
    ) async throws(APIError) -> Account {
        guard let file = profile.avatarURL.flatMap(MediaReference.key) else {
            let picture = keepsPicture ? ProfilePicture.kept : .new(file: nil)
            return try await ask { $0.setProfile(profile, picture, of: account, at: now, then: $1) }
        }
        let holder = "next-avatar:\(account):\(RandomID.make())"
        try await ask { $0.setMedia([file], shownBy: holder, then: $1) }
        let told: Account
        do throws(APIError) {
            // A file that is condemned only after this is found in use.
            if media?.condemned.contains(file) == true {
                throw .invalid("avatarUrl", "names a file that was deleted.")
            }
            told = try await ask { $0.setProfile(profile, .new(file: file), of: account, at: now, then: $1) }
        } catch {
            await release(holder)
            throw error
        }
        await release(holder)
        return told
    }

    /// Lets go of what a request has held, also when its session has ended meanwhile.
    private func release(_ holder: String) async {
        await Mandate.$current.withValue(nil) {
            try? await ask { $0.setMedia([], shownBy: holder, then: $1) }
        }
    }
}
