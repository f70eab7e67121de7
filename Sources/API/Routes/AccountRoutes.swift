import Accounts
import Identity
import Store
import Transport
import Wire

/// Accounts of this server, with `auth = accounts`: signing up, in and out, and the sessions of a user.
struct AccountRoutes: Sendable {
    let accounts: Accounts
    let rate: RequestRate

    init(_ accounts: Accounts, _ limits: APILimits) {
        self.accounts = accounts
        rate = APILimits.rate(perSecond: limits.signInsPerSecondMax)
    }

    var all: [APIRoute] {
        let password = Field.Kind.password(charactersMin: accounts.limits.passwordCharactersMin)
        return [
            APIRoute(
                .post, "/api/auth/sign-up", "Makes an account, and begins a session.", access: .everybody,
                body: [
                    Field("name", .text(1...80), required: true), Field("email", .email, required: true),
                    Field("password", password, required: true),
                ], answer: .one("SignIn"), status: 201, failures: [409], rate: rate, signUp),
            APIRoute(
                .post, "/api/auth/sign-in", "Begins a session.", access: .everybody,
                body: [
                    Field("email", .secret, required: true),
                    Field("password", .secret, required: true),
                ], answer: .one("SignIn"), rate: rate, signIn),
            APIRoute(
                .post, "/api/auth/codes", "Sends a one-time code to a telephone number.", access: .everybody,
                body: [Field("phone", .phone, required: true)], answer: .one("CodeSent"), status: 202, rate: rate,
                sendCode),
            APIRoute(
                .post, "/api/auth/sign-in-by-code",
                "Begins a session of whoever got the code; at the first time it makes an account.", access: .everybody,
                body: [Field("phone", .phone, required: true), Field("code", .secret, required: true)],
                answer: .one("SignIn"), rate: rate, signInByCode),
            APIRoute(
                .post, "/api/auth/password-codes",
                "Sends a code for a new password to the address of an account. The answer does not say whether there is one.",
                access: .everybody, body: [Field("email", .email, required: true)], answer: .one("CodeSent"),
                status: 202, rate: rate, sendPasswordCode),
            APIRoute(
                .post, "/api/auth/reset-password",
                "Sets a new password with such a code, ends all sessions of the user, and begins one.",
                access: .everybody,
                body: [
                    Field("email", .email, required: true), Field("code", .secret, required: true),
                    Field("password", password, required: true),
                ], answer: .one("SignIn"), rate: rate, resetPassword),
            APIRoute(
                .post, "/api/auth/change-password",
                "Sets the sender's password, and ends all other sessions of the sender.", access: .token,
                body: [Field("password", .secret, required: true), Field("newPassword", password, required: true)],
                answer: nil, status: 204, rate: rate, changePassword),
            APIRoute(
                .post, "/api/auth/email-codes",
                "Sends a code to an address, with which the sender shows that it is the sender's own.", access: .token,
                body: [
                    Field("email", .email, required: true),
                    Field("password", .secret, "The sender's password, for an address that is not the sender's yet."),
                ], answer: .one("CodeSent"), status: 202, rate: rate, sendEmailCode),
            APIRoute(
                .post, "/api/auth/confirm-email", "Gives the sender the address to which such a code was sent.",
                access: .token, body: [Field("email", .email, required: true), Field("code", .secret, required: true)],
                answer: .one("AccountHolder"), failures: [409], rate: rate, confirmEmail),
            APIRoute(
                .post, "/api/auth/refresh", "New tokens for a refresh token, which is of no use afterwards.",
                access: .everybody, body: [Field("refreshToken", .secret, required: true)],
                answer: .one("SignIn"), rate: rate, refresh),
            APIRoute(
                .post, "/api/auth/sign-out", "Ends the sender's session.", access: .token, answer: nil, status: 204,
                signOut),
            APIRoute(
                .get, "/api/auth/account", "The sender's account.", access: .token, answer: .one("AccountHolder"),
                account),
            APIRoute(
                .get, "/api/auth/export", "All that the server has of the sender, in parts.", access: .token,
                query: [Field.exportCursor], answer: .bare("Export"), export),
            APIRoute(
                .get, "/api/auth/sessions", "The sender's sessions, the last used first.", access: .token,
                answer: .list(of: "Session"), sessions),
            APIRoute(
                .delete, "/api/auth/sessions/{id}", "Ends one of the sender's sessions.", access: .token, answer: nil,
                status: 204, failures: [404], endSession),
        ]
    }

    @Sendable private func signUp(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let (name, email) = (request.body.text("name") ?? "", request.body.text("email") ?? "")
        let password = request.body.text("password") ?? ""
        return .signIn(
            status: 201,
            try await asked { () async throws(AccountFault) in
                try await accounts.signUp(name: name, email: email, password: password, request.roomsClient)
            })
    }

    @Sendable private func signIn(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let (email, password) = (request.body.text("email") ?? "", request.body.text("password") ?? "")
        return .signIn(
            try await asked { () async throws(AccountFault) in
                try await accounts.signIn(email: email, password: password, request.roomsClient)
            })
    }

    @Sendable private func sendCode(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        guard let phone = request.body.phone("phone") else { throw .invalid("phone", "is missing.") }
        let shown = try await asked { () async throws(AccountFault) in
            try await accounts.sendCode(to: phone, request.roomsClient)
        }
        return .data(status: 202) { json in
            json.beginObject()
            if let shown { json.member("previewCode", shown) }
            json.endObject()
        }
    }

    @Sendable private func signInByCode(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        guard let phone = request.body.phone("phone") else { throw .invalid("phone", "is missing.") }
        let code = request.body.text("code") ?? ""
        return .signIn(
            try await asked { () async throws(AccountFault) in
                try await accounts.signIn(phone, code: code, request.roomsClient)
            })
    }

    @Sendable private func sendPasswordCode(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply
    {
        let email = request.body.text("email") ?? ""
        try await asked { () async throws(AccountFault) in
            try await accounts.sendPasswordCode(to: email, request.roomsClient)
        }
        return Self.codeSent
    }

    private static let codeSent = APIReply.data(status: 202) { json in
        json.beginObject()
        json.endObject()
    }

    @Sendable private func resetPassword(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let (email, code) = (request.body.text("email") ?? "", request.body.text("code") ?? "")
        let password = request.body.text("password") ?? ""
        return .signIn(
            try await asked { () async throws(AccountFault) in
                try await accounts.resetPassword(email: email, code: code, password, request.roomsClient)
            })
    }

    @Sendable private func changePassword(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let (old, new) = (request.body.text("password") ?? "", request.body.text("newPassword") ?? "")
        let sender = try await accounts.holder(request)
        try await asked { () async throws(AccountFault) in
            try await accounts.changePassword(
                of: sender, session: request.session, from: old, to: new, request.roomsClient)
        }
        return .noContent
    }

    @Sendable private func sendEmailCode(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let (email, password) = (request.body.text("email") ?? "", request.body.text("password"))
        let sender = try await accounts.holder(request)
        try await asked { () async throws(AccountFault) in
            try await accounts.sendEmailCode(
                to: email, of: sender, session: request.session, password: password, request.roomsClient)
        }
        return Self.codeSent
    }

    @Sendable private func confirmEmail(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let (email, code) = (request.body.text("email") ?? "", request.body.text("code") ?? "")
        let sender = try await accounts.holder(request)
        let changed = try await asked { () async throws(AccountFault) in
            try await accounts.confirmEmail(email, code: code, of: sender, request.roomsClient)
        }
        return .data { $0.holder(changed) }
    }

    @Sendable private func account(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let holder = try await accounts.holder(request)
        return .data { $0.holder(holder) }
    }

    @Sendable private func refresh(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let token = request.body.text("refreshToken") ?? ""
        return .signIn(
            try await asked { () async throws(AccountFault) in
                try await accounts.refresh(token, request.roomsClient)
            })
    }

    @Sendable private func signOut(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let (subject, session) = (request.subject, request.session)
        try await asked { () async throws(AccountFault) in _ = try await accounts.endSession(session, of: subject) }
        return .noContent
    }

    @Sendable private func sessions(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let sessions = try await api.ask { $0.sessions(of: request.subject, at: request.now, then: $1) }
        return .page(Page(items: sessions, next: nil)) { json, session in
            json.beginObject()
            json.member("id", session.id)
            json.member("app", session.app)
            json.member("agent", session.agent)
            json.member("createdAt", UTCTime.text(session.createdAt))
            json.member("seenAt", UTCTime.text(session.seenAt))
            json.member("isCurrent", session.id.isSameID(as: request.session))
            json.endObject()
        }
    }

    @Sendable private func endSession(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let (id, subject) = (request.parameter("id"), request.subject)
        let wasOpen = try await asked { () async throws(AccountFault) in
            try await accounts.endSession(id, of: subject)
        }
        guard wasOpen else { throw .notFound("session") }
        return .noContent
    }
}

extension AccountRoutes {
    @Sendable private func export(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let asked = request.export
        return .export(
            try await api.ask { $0.export(of: request.subject, after: asked.cursor, files: asked.files, then: $1) })
    }
}

extension Field {
    static let exportCursor = Field("cursor", .text(1...1_024), "`nextCursor` of the part before.")
}

extension Request {
    /// Where the part of an export begins, and the beginning of the addresses of files.
    var export: (cursor: String?, files: String) { (query.text("cursor"), serverURL + "/media/") }
}

extension APIReply {
    static func export(_ part: ExportPart) -> APIReply {
        .bare { json in
            json.beginObject()
            json.member("data", raw: part.json.span)
            if let next = part.next { json.member("nextCursor", next) }
            json.endObject()
        }
    }
}

extension APIRequest {
    var roomsClient: AccountClient { AccountClient(.rooms, address: address, agent: agent, now: now) }

    /// The session of the sender's token.
    var session: String { sender?.token.session ?? "" }
}

extension Accounts {
    /// The sender as somebody with an account of this server.
    func holder(_ request: APIRequest) async throws(APIError) -> AccountHolder {
        let subject = request.subject
        let holder = try await asked { () async throws(AccountFault) in
            try await store.told { $0.person(subject, then: $1) }
        }
        guard let holder else { throw .notFound("user") }
        return holder
    }
}

extension APIReply {
    static func signIn(status: Int = 200, _ signIn: SignIn) -> APIReply {
        .data(status: status) { json in
            json.beginObject()
            json.member("accessToken", signIn.accessToken)
            json.member("expiresIn", Int(signIn.accessSeconds))
            if let refresh = signIn.refreshToken { json.member("refreshToken", refresh) }
            json.key("user")
            json.holder(signIn.person)
            json.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func holder(_ holder: AccountHolder) {
        beginObject()
        member("id", holder.id)
        member("name", holder.name)
        member("email", holder.email)
        member("emailVerified", holder.emailVerifiedAt != nil)
        member("createdAt", UTCTime.text(holder.createdAt))
        member("updatedAt", UTCTime.text(holder.updatedAt))
        endObject()
    }
}
