import Accounts
import Store
import Wire

/// Signing in with a password, and sessions. The tokens of the other applications of the server are as good.
enum MueJamSignIn {
    static let all: [MueJamRoute] = [
        MueJamRoute(
            .post, "/muejam/v1/auth/register", "Makes an account, and signs its person in.", access: .everybody,
            body: [
                Field("name", .text(1...255), required: true), Field("email", .email, required: true),
                Field("password", .password(charactersMin: AccountLimits().passwordCharactersMin), required: true),
            ], answer: .bare("SignIn"), status: 201, failures: [409], register),
        MueJamRoute(
            .post, "/muejam/v1/auth/login", "Signs a person in.", access: .everybody,
            body: [Field("email", .secret, required: true), Field("password", .secret, required: true)],
            answer: .bare("SignIn"), logIn),
        MueJamRoute(
            .post, "/muejam/v1/auth/refresh", "New tokens for a refresh token, which is of no use afterwards.",
            access: .everybody, body: [Field("refresh_token", .secret, required: true)], answer: .bare("Tokens"),
            refresh),
        MueJamRoute(
            .post, "/muejam/v1/auth/logout", "Ends the session of a refresh token.", access: .everybody,
            body: [Field("refresh_token", .secret, required: true)], answer: .bare("Success"), logOut),
        .export("/muejam/v1/users/me/export"),
        MueJamRoute(
            .delete, "/muejam/v1/users/me", "Ends the sender's account, with all that is theirs.", answer: nil,
            status: 204
        ) { (request, context) async throws(APIError) in
            try await context.end(try request.person().id, at: request.now)
            return .noContent
        },
    ]

    @Sendable private static func register(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let (name, email) = (request.body.text("name") ?? "", request.body.text("email") ?? "")
        let signIn = try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.signUp(
                name: name, email: email, password: request.body.text("password") ?? "", request.client())
        }
        return reply(signIn, status: 201)
    }

    @Sendable private static func logIn(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let (email, password) = (request.body.text("email") ?? "", request.body.text("password") ?? "")
        return reply(
            try await context.accounts { (accounts) async throws(AccountFault) in
                try await accounts.signIn(email: email, password: password, request.client())
            })
    }

    private static func reply(_ signIn: SignIn, status: Int = 200) -> APIReply {
        .bare(status: status) { json in
            json.beginObject()
            json.mueJamTokens(signIn)
            json.key("user")
            json.beginObject()
            json.member("id", signIn.person.id)
            json.member("name", signIn.person.name)
            json.member("email", signIn.person.email)
            json.endObject()
            json.endObject()
        }
    }

    @Sendable private static func refresh(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let token = request.body.text("refresh_token") ?? ""
        let signIn = try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.refresh(token, request.client())
        }
        return .bare { json in
            json.beginObject()
            json.mueJamTokens(signIn)
            json.endObject()
        }
    }

    @Sendable private static func logOut(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let token = request.body.text("refresh_token") ?? ""
        try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.signOut(refreshToken: token, now: request.now)
        }
        return .bare { json in
            json.beginObject()
            json.member("success", true)
            json.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func mueJamTokens(_ signIn: SignIn) {
        member("access_token", signIn.accessToken)
        member("refresh_token", signIn.refreshToken ?? "")
        member("token_type", "bearer")
        member("expires_in", Int(signIn.accessSeconds))
    }
}
