import Accounts
import Identity
import Store
import Transport
import Wire

/// Passkeys of the accounts of this server: signing up and in with them, and those that a user has.
struct PasskeyRoutes: Sendable {
    private let accounts: Accounts
    private let rate: RequestRate

    init(_ accounts: Accounts, _ limits: APILimits) {
        self.accounts = accounts
        rate = APILimits.rate(perSecond: limits.signInsPerSecondMax)
    }

    var all: [APIRoute] {
        [
            APIRoute(
                .post, "/api/auth/passkey-challenges",
                "A text that a passkey signs, once and within five minutes, to make an account or to sign in.",
                access: .everybody, body: [Field("purpose", .choice(["sign-up", "sign-in"]), required: true)],
                answer: .one("PasskeyChallenge"), rate: rate, challenge),
            APIRoute(
                .post, "/api/auth/passkey-sign-up", "Makes an account with a passkey, and begins a session.",
                access: .everybody,
                body: [
                    Field("name", .text(1...80), required: true), Self.attestation, Self.clientData,
                    Field("passkeyName", .text(1...80), "What the user calls it; by default Passkey."),
                ],
                answer: .one("SignIn"), status: 201, failures: [409], rate: rate, signUp),
            APIRoute(
                .post, "/api/auth/passkey-sign-in", "Begins a session of the user of a passkey.", access: .everybody,
                body: [
                    Field("id", .bytes, required: true, "The passkey's id."),
                    Field("authenticatorData", .bytes, required: true), Field("clientDataJSON", .bytes, required: true),
                    Field("signature", .bytes, required: true),
                ], answer: .one("SignIn"), rate: rate, signIn),
            APIRoute(
                .post, "/api/auth/passkeys/challenges", "A text that a new passkey of the sender signs.",
                access: .token,
                answer: .one("PasskeyChallenge"), rate: rate, ownChallenge),
            APIRoute(
                .get, "/api/auth/passkeys", "The sender's passkeys, in the order in which they were made.",
                access: .token, answer: .list(of: "Passkey"), passkeys),
            APIRoute(
                .post, "/api/auth/passkeys", "Gives the sender one more passkey.", access: .token,
                body: [
                    Self.attestation, Self.clientData,
                    Field("name", .text(1...80), required: true, "What the user calls it."),
                    Field(
                        "password", .secret,
                        "The sender's password. A user without one must have signed in within ten minutes."),
                ], answer: .one("Passkey"), status: 201, failures: [409], rate: rate, add),
            APIRoute(
                .delete, "/api/auth/passkeys/{id}", "Removes a passkey of the sender.", access: .token, answer: nil,
                status: 204, failures: [404, 409], remove),
        ]
    }

    /// What a client has of a passkey that it has made.
    private static let attestation = Field("attestationObject", .bytes, required: true)
    private static let clientData = Field("clientDataJSON", .bytes, required: true)

    // MARK: Signing up and in

    @Sendable private func challenge(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let isSignUp = request.body.text("purpose") == "sign-up"
        return .data(
            try await asked { () async throws(AccountFault) in
                isSignUp
                    ? try await accounts.challengeForSignUp(now: request.now)
                    : try await accounts.challengeForSignIn(now: request.now)
            })
    }

    @Sendable private func signUp(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let name = request.body.text("name") ?? ""
        let made = request.madePasskey(name: request.body.text("passkeyName") ?? "Passkey")
        return .signIn(
            status: 201,
            try await asked { () async throws(AccountFault) in
                try await accounts.signUp(name: name, with: made, request.roomsClient)
            })
    }

    @Sendable private func signIn(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let answer = PasskeyAnswer(
            id: Base64URL.text(request.body.bytes("id")), data: request.body.bytes("authenticatorData"),
            clientData: request.body.bytes("clientDataJSON"), signature: request.body.bytes("signature"))
        return .signIn(
            try await asked { () async throws(AccountFault) in
                try await accounts.signIn(with: answer, request.roomsClient)
            })
    }

    // MARK: The sender's

    @Sendable private func ownChallenge(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let subject = request.subject
        return .data(
            try await asked { () async throws(AccountFault) in
                try await accounts.challengeForPasskey(of: subject, now: request.now)
            })
    }

    @Sendable private func passkeys(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let passkeys = try await api.ask { $0.passkeys(of: request.subject, then: $1) }
        return .page(Page(items: passkeys, next: nil)) { $0.passkey($1) }
    }

    @Sendable private func add(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let made = request.madePasskey(name: request.body.text("name") ?? "")
        let sender = try await accounts.holder(request)
        let passkey = try await asked { () async throws(AccountFault) in
            try await accounts.addPasskey(
                made, to: sender, session: request.session, password: request.body.text("password"),
                request.roomsClient)
        }
        return .data(status: 201) { $0.passkey(passkey) }
    }

    @Sendable private func remove(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let id = request.parameter("id")
        let sender = try await accounts.holder(request)
        let hadIt = try await asked { () async throws(AccountFault) in
            try await accounts.removePasskey(id, of: sender, request.roomsClient)
        }
        guard hadIt else { throw .notFound("passkey") }
        return .noContent
    }
}

extension Request {
    /// A passkey that the client has made, from the fields of its answer.
    func madePasskey(name: String, clientData: String = "clientDataJSON") -> MadePasskey {
        MadePasskey(attestation: body.bytes("attestationObject"), clientData: body.bytes(clientData), name: name)
    }
}

extension APIReply {
    fileprivate static func data(_ challenge: PasskeyChallenge) -> APIReply {
        .data { $0.passkeyChallenge(challenge) }
    }
}

extension JSONWriter {
    mutating func passkeyChallenge(_ challenge: PasskeyChallenge) {
        beginObject()
        member("challenge", challenge.text)
        member("domain", challenge.domain)
        if !challenge.person.isEmpty { member("userId", challenge.person) }
        key("known")
        beginArray()
        for id in challenge.known { string(id) }
        endArray()
        endObject()
    }

    mutating func passkey(_ passkey: Passkey) {
        beginObject()
        member("id", passkey.id)
        member("name", passkey.name)
        member("createdAt", UTCTime.text(passkey.createdAt))
        member("usedAt", UTCTime.text(passkey.usedAt))
        endObject()
    }
}
