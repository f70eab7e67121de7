import Accounts
import Identity
import Store
import Transport
import Wire

/// Signing in with a telephone number, sessions, and whether the server works.
enum SoulSignIn {
    static var all: [SoulRoute] {
        [
            SoulRoute(
                .get, "/soul/healthz", "Whether the server can store and find data.", access: .everybody,
                answer: .bare("Status"), isForMonitors: true, health),
            SoulRoute(
                .post, "/soul/api/auth/otp/request", "Sends a code to a telephone number.", access: .everybody,
                body: [
                    Field("phone", .phone, required: true, wrong: "Invalid phone number", missing: "phone required")
                ],
                answer: .bare("Status"), failures: [500], requestCode),
            SoulRoute(
                .post, "/soul/api/auth/verify-otp", "Signs in whoever got the code.", access: .everybody,
                body: [
                    Field("phone", .phone, required: true, wrong: "Invalid phone number", missing: bothRequired),
                    Field("otp", .secret, required: true, wrong: "Invalid OTP", missing: bothRequired),
                ], answer: .bare("SignIn"), failures: [500], verify),
            SoulRoute(
                .post, "/soul/api/auth/refresh", "New tokens for a refresh token, which is of no use afterwards.",
                access: .everybody, body: [Field("old_refresh_token", .secret, required: true)],
                answer: .bare("Tokens"), failures: [401], refresh),
            SoulRoute(
                .post, "/soul/api/auth/logout", "Ends the session of a refresh token.", access: .everybody,
                body: [Field("refresh_token", .secret, required: true)], answer: .bare("Status"), logout
            ),
            SoulRoute(.get, "/soul/api/users/me", "The sender.", answer: .bare("User"), me),
            .export("/soul/api/users/me/export"),
            SoulRoute(
                .delete, "/soul/api/users/me", "Ends the sender's account, with all that is theirs.", answer: nil,
                status: 204, removeMe),
        ]
    }

    private static let bothRequired = "phone and otp required"

    private static func status(_ word: String, status: Int = 200) -> APIReply {
        .bare(status: status) { json in
            json.beginObject()
            json.member("status", word)
            json.endObject()
        }
    }

    @Sendable private static func health(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        if case .good = context.accounts.store.health { status("ok") } else { status("unavailable", status: 503) }
    }

    /// A fault of the server in the words of the guide.
    private static func told<Value: Sendable>(
        _ words: String, _ context: SoulContext, _ call: (Accounts) async throws(AccountFault) -> Value
    ) async throws(APIError) -> Value {
        do throws(APIError) {
            return try await context.accounts(call)
        } catch {
            throw error.status == 503 ? .soul(500, words) : error
        }
    }

    @Sendable private static func requestCode(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        guard let phone = request.body.phone("phone") else { throw .soul(400, "phone required") }
        let shown = try await told("Failed to send verification code", context) {
            (accounts) async throws(AccountFault) in try await accounts.sendCode(to: phone, request.client())
        }
        guard let shown else { return status("ok") }
        return .bare { json in
            json.beginObject()
            json.member("status", "ok")
            json.member("preview_code", shown)
            json.endObject()
        }
    }

    @Sendable private static func verify(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        guard let phone = request.body.phone("phone"), let code = request.body.text("otp") else {
            throw .soul(400, bothRequired)
        }
        let signIn = try await told("Failed to verify code", context) { (accounts) async throws(AccountFault) in
            try await accounts.signIn(phone, code: code, request.client())
        }
        let number = try await context.ask { $0.number(of: signIn.person.id, then: $1) }
        return .bare { json in
            json.beginObject()
            json.member("access_token", signIn.accessToken)
            json.member("token_type", "bearer")
            json.member("refresh_token", signIn.refreshToken ?? "")
            json.key("user")
            json.soulUser(signIn.person, number: number, phone: phone.text)
            json.endObject()
        }
    }

    @Sendable private static func refresh(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        let token = request.body.text("old_refresh_token") ?? ""
        let signIn: SignIn
        do throws(AccountFault) {
            signIn = try await context.accounts.refresh(token, request.client())
        } catch {
            if case .token(let fault) = error, !fault.isTemporary { throw .soul(401, "Invalid refresh token") }
            throw Soul.error(error)
        }
        return .bare { json in
            json.beginObject()
            json.member("access_token", signIn.accessToken)
            json.member("refresh_token", signIn.refreshToken ?? "")
            json.endObject()
        }
    }

    @Sendable private static func logout(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        let token = request.body.text("refresh_token") ?? ""
        try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.signOut(refreshToken: token, now: request.now)
        }
        return status("ok")
    }

    @Sendable private static func me(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person()
        let number = try await context.ask { $0.number(of: person.id, then: $1) }
        let phone = try await context.ask { $0.credentials(of: person.id, then: $1) }.first { $0.kind == .phone }
        return .bare { $0.soulUser(person, number: number, phone: phone?.subject ?? "") }
    }

    @Sendable private static func removeMe(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        try await context.end(try request.person().id, at: request.now)
        return .noContent
    }
}

extension JSONWriter {
    /// A person, with the address that the applications expect of one who has only a telephone.
    fileprivate mutating func soulUser(_ person: AccountHolder, number: Int64, phone: String) {
        beginObject()
        member("id", Int(number))
        member("email", person.email.isEmpty ? "\(phone)@example.com" : person.email)
        endObject()
    }
}
