import Accounts
import Store
import Transport
import Wire

/// Signing up and in, and whether the server works.
enum SubspaceSignIn {
    static var all: [SubspaceRoute] {
        [
            SubspaceRoute(
                .get, "/subspace/health", "Whether the server can store and find data.", access: .everybody,
                answer: .bare("Health"), isForMonitors: true, health),
            SubspaceRoute(
                .post, "/subspace/api/v1/auth/register", "Makes an account, and signs its person in.",
                access: .everybody,
                body: [name, email, newPassword], answer: .bare("Auth"), status: 201, failures: [401], register),
            SubspaceRoute(
                .post, "/subspace/api/v1/auth/login", "Signs a person in.", access: .everybody,
                body: [
                    Field("email", .secret, required: true),
                    Field("password", .secret, required: true),
                ], answer: .bare("Auth"), failures: [401], login),
            SubspaceRoute(.get, "/subspace/api/v1/auth/me", "The sender.", answer: .bare("User"), me),
            .export("/subspace/api/v1/auth/me/export"),
        ]
    }

    private static let limits = AccountLimits()

    static let name = Field("name", .text(1...255), required: true)
    static let email = Field("email", .email, required: true, wrong: "invalid email format")
    private static let newPassword = Field(
        "password", .password(charactersMin: limits.passwordCharactersMin),
        required: true, wrong: "password must be at least \(limits.passwordCharactersMin) characters")

    @Sendable private static func health(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let isGood = if case .good = context.accounts.store.health { true } else { false }
        return .bare(status: isGood ? 200 : 503) { json in
            json.beginObject()
            json.member("status", isGood ? "healthy" : "unhealthy")
            json.member("timestamp", UTCTime.text(request.now))
            json.endObject()
        }
    }

    @Sendable private static func register(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let (name, email) = (request.body.text("name") ?? "", request.body.text("email") ?? "")
        let password = request.body.text("password") ?? ""
        return reply(
            status: 201,
            try await context.accounts { (accounts) async throws(AccountFault) in
                try await accounts.signUp(name: name, email: email, password: password, request.client())
            })
    }

    @Sendable private static func login(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let (email, password) = (request.body.text("email") ?? "", request.body.text("password") ?? "")
        return reply(
            status: 200,
            try await context.accounts { (accounts) async throws(AccountFault) in
                try await accounts.signIn(email: email, password: password, request.client())
            })
    }

    private static func reply(status: Int, _ signIn: SignIn) -> APIReply {
        .bare(status: status) { json in
            json.beginObject()
            json.member("token", signIn.accessToken)
            json.key("user")
            json.person(signIn.person, .near)
            json.endObject()
        }
    }

    @Sendable private static func me(
        _ request: SubspaceRequest, _ context: SubspaceContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person()
        return .bare { $0.person(person, .near) }
    }
}

extension SubspaceRequest {
    /// The requested part of a list.
    var part: PartRequest {
        PartRequest(
            limit: query.integer("limit").map(Int.init) ?? 20, offset: query.integer("offset").map(Int.init) ?? 0)
    }
}

extension Field {
    /// The two fields of every list.
    static let subspaceParts = [
        Field("limit", .integer(1...100), "How many items the answer has at most; by default 20."),
        Field("offset", .integer(0...1_000_000_000), "How many items come before."),
    ]
}
