import Accounts
import Store
import Transport
import Wire

/// Signing in with a password, with Google or with Apple; sessions; and the sender.
enum InterspaceSignIn {
    static var all: [InterspaceRoute] {
        [
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/login", "Signs a person in.", access: .everybody,
                body: [Field("email", .secret, required: true), Field("password", .secret, required: true)],
                answer: .bare("SignIn"), login),
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/google", "Signs in a user of Google.", access: .everybody,
                body: [Field("idToken", .secret, required: true), nonce], answer: .bare("SignIn"), google),
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/apple", "Signs in a user of Apple.", access: .everybody,
                body: [
                    Field("identityToken", .secret, required: true), Field("authorizationCode", .secret), nonce,
                    Field("user", .json(schema: "AppleUser"), "What Apple says of the user at the first time."),
                ], answer: .bare("SignIn"), apple),
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/refresh",
                "New tokens for a refresh token, which is of no use afterwards.",
                access: .everybody, body: [Field("refreshToken", .secret, required: true)], answer: .bare("Tokens"),
                refresh),
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/logout", "Ends the session of a refresh token.", access: .everybody,
                body: [Field("refreshToken", .secret, required: true)], answer: nil, status: 204,
                logout),
            InterspaceRoute(.get, "/interspace/api/v1/users/me", "The sender.", answer: .bare("User"), me),
            .export("/interspace/api/v1/users/me/export"),
            InterspaceRoute(
                .patch, "/interspace/api/v1/users/me", "Changes the sender's address or settings.",
                body: [
                    Field("email", .email),
                    Field(
                        "settings", .json(schema: "Settings"), "Members that are given replace those that are there."),
                ], answer: .bare("User"), changeMe),
            InterspaceRoute(
                .delete, "/interspace/api/v1/users/me", "Ends the sender's account, with all that is theirs.",
                answer: nil,
                status: 204, removeMe),
        ]
    }

    private static let nonce = Field(
        "nonce", .secret, "What the client gave the provider, or what it gave the SHA-256 of; the token must have it.")

    // MARK: Signing in

    @Sendable private static func login(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let (email, password) = (request.body.text("email") ?? "", request.body.text("password") ?? "")
        return try await reply(
            try await context.accounts { (accounts) async throws(AccountFault) in
                try await accounts.signIn(email: email, password: password, request.client())
            }, context)
    }

    @Sendable private static func google(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        try await signIn(.google, request.body.text("idToken") ?? "", name: nil, request, context)
    }

    @Sendable private static func apple(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let user = request.body.json("user").flatMap { try? JSONReader($0) }
        let names = ["firstName", "lastName"].compactMap { user?[$0]?.string }.filter { !$0.isEmpty }
        // Only the token is Apple's word: the address beside it is not taken.
        let name = names.joined(separator: " ")
        return try await signIn(
            .apple, request.body.text("identityToken") ?? "", code: request.body.text("authorizationCode"),
            name: Field.isLine(name, 1...255) ? name : nil, request, context)
    }

    private static func signIn(
        _ kind: Credential.Kind, _ token: String, code: String? = nil, name: String?, _ request: InterspaceRequest,
        _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        try await reply(
            try await context.accounts { (accounts) async throws(AccountFault) in
                try await accounts.signIn(
                    kind, identityToken: token, code: code, nonce: request.body.text("nonce"), name: name,
                    request.client())
            }, context)
    }

    static func reply(_ signIn: SignIn, _ context: InterspaceContext) async throws(APIError) -> APIReply {
        let shown = try await shown(signIn.person, context)
        return .bare { json in
            json.beginObject()
            json.member("accessToken", signIn.accessToken)
            json.member("refreshToken", signIn.refreshToken ?? "")
            json.key("user")
            json.interspaceUser(shown)
            json.endObject()
        }
    }

    // MARK: Sessions

    @Sendable private static func refresh(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let token = request.body.text("refreshToken") ?? ""
        let signIn = try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.refresh(token, request.client())
        }
        return .bare { json in
            json.beginObject()
            json.member("accessToken", signIn.accessToken)
            json.member("refreshToken", signIn.refreshToken ?? "")
            json.endObject()
        }
    }

    @Sendable private static func logout(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let token = request.body.text("refreshToken") ?? ""
        try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.signOut(refreshToken: token, now: request.now)
        }
        return .noContent
    }

    // MARK: The sender

    private static func shown(
        _ person: AccountHolder, _ context: InterspaceContext
    ) async throws(APIError) -> InterspaceUser {
        InterspaceUser(
            person: person, profiles: try await context.ask { $0.profiles(of: person.id, then: $1) },
            settings: try await context.ask { $0.settings(of: person.id, then: $1) })
    }

    @Sendable private static func me(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let shown = try await shown(try request.person(), context)
        return .bare { $0.interspaceUser(shown) }
    }

    @Sendable private static func changeMe(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        var person = try request.person()
        let id = person.id
        let settings = try AppSettings.change(in: request.body)
        // The address comes first: it is what may be refused.
        if let email = request.body.text("email") {
            person = try await context.accounts { (accounts) async throws(AccountFault) in
                try await accounts.change(id, name: nil, email: email, now: request.now)
            }
        }
        if let settings { try await context.ask { $0.changeSettings(settings, of: id, then: $1) } }
        let shown = try await shown(person, context)
        return .bare { $0.interspaceUser(shown) }
    }

    @Sendable private static func removeMe(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        try await context.end(try request.person().id, at: request.now)
        return .noContent
    }
}

/// A person as the applications see themselves.
private struct InterspaceUser {
    let person: AccountHolder
    let profiles: [AppProfile]
    /// A JSON object, or nothing.
    let settings: [UInt8]
}

extension JSONWriter {
    fileprivate mutating func interspaceUser(_ user: InterspaceUser) {
        beginObject()
        member("id", user.person.id)
        member("email", user.person.email)
        key("profiles")
        beginArray()
        for profile in user.profiles { self.profile(profile) }
        endArray()
        let settings = AppSettings.filled(user.settings, with: #"{"notifications":true,"theme":"system"}"#)
        member("settings", raw: settings.span)
        member("createdAt", UTCTime.text(user.person.createdAt))
        member("updatedAt", UTCTime.text(user.person.updatedAt))
        endObject()
    }
}
