import Accounts
import Identity
import Store
import Transport
import Wire

/// Signing in with passkeys. The guide of the applications leaves out what WebAuthn needs besides: a challenge of the server,
/// the attestation object of a new passkey, and the authenticator's data.
enum InterspacePasskeys {
    static var all: [InterspaceRoute] {
        [
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/passkey/challenge",
                "A text that a passkey signs, once and within five minutes, to sign in.", access: .everybody,
                answer: .bare("PasskeyChallenge"), challenge),
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/passkey/authenticate", "Signs in the person of a passkey.",
                access: .everybody,
                body: [
                    Field("credentialId", .bytes, required: true), Field("signature", .bytes, required: true),
                    Field("clientData", .bytes, required: true, "`clientDataJSON` of WebAuthn."),
                    Field("authenticatorData", .bytes, required: true),
                ], answer: .bare("SignIn"), authenticate),
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/passkey/register/challenge",
                "A text that a new passkey of the sender signs.", answer: .bare("PasskeyChallenge"), ownChallenge),
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/passkey/register", "Gives the sender one more passkey.",
                body: [
                    Field("attestationObject", .bytes, required: true),
                    Field("clientData", .bytes, required: true, "`clientDataJSON` of WebAuthn."),
                    Field("challenge", .secret, "Not used: `clientData` has it."),
                    Field("credentialId", .secret, "Not used: `attestationObject` has it."),
                    Field("publicKey", .secret, "Not used: `attestationObject` has it."),
                    Field("name", .text(1...80), "What the person calls it; by default Passkey."),
                    Field(
                        "password", .secret,
                        "The sender's password. A person without one must have signed in within ten minutes."),
                ], answer: .bare("Passkey"), status: 201, register),
        ]
    }

    @Sendable private static func challenge(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let challenge = try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.challengeForSignIn(now: request.now)
        }
        return .bare { $0.passkeyChallenge(challenge) }
    }

    @Sendable private static func ownChallenge(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let challenge = try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.challengeForPasskey(of: person, now: request.now)
        }
        return .bare { $0.passkeyChallenge(challenge) }
    }

    @Sendable private static func authenticate(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let answer = PasskeyAnswer(
            id: Base64URL.text(request.body.bytes("credentialId")), data: request.body.bytes("authenticatorData"),
            clientData: request.body.bytes("clientData"), signature: request.body.bytes("signature"))
        return try await InterspaceSignIn.reply(
            try await context.accounts { (accounts) async throws(AccountFault) in
                try await accounts.signIn(with: answer, request.client())
            }, context)
    }

    @Sendable private static func register(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let made = request.madePasskey(name: request.body.text("name") ?? "Passkey", clientData: "clientData")
        let (person, session) = (try request.person(), request.sender?.session.id ?? "")
        let passkey = try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.addPasskey(
                made, to: person, session: session, password: request.body.text("password"), request.client())
        }
        return .bare(status: 201) { $0.passkey(passkey) }
    }
}
