import Accounts
import Store
import Transport
import Wire

/// Wallets of the accounts of this server: signing up and in with them, and those that a user has connected.
struct WalletRoutes: Sendable {
    private let accounts: Accounts
    private let rate: RequestRate

    init(_ accounts: Accounts, _ limits: APILimits) {
        self.accounts = accounts
        rate = APILimits.rate(perSecond: limits.signInsPerSecondMax)
    }

    var all: [APIRoute] { signingIn + own }

    private var signingIn: [APIRoute] {
        [
            APIRoute(
                .post, "/api/auth/wallet-challenges",
                "A message that a wallet signs, once and within five minutes, to make an account or to sign in.",
                access: .everybody,
                body: .fields(
                    [Field("purpose", .choice(["sign-up", "sign-in"]), required: true)] + Field.walletChallenge),
                answer: .one("WalletChallenge"), rate: rate, challenge),
            APIRoute(
                .post, "/api/auth/wallet-sign-up", "Makes an account with a wallet, and begins a session.",
                access: .everybody,
                body: .fields(
                    [Field("name", .text(1...80), required: true)] + Field.signedMessage + [Self.walletType]),
                answer: .one("SignIn"), status: 201, failures: [409], rate: rate, signUp),
            APIRoute(
                .post, "/api/auth/wallet-sign-in", "Begins a session of the user of a wallet.", access: .everybody,
                body: .fields(Field.signedMessage), answer: .one("SignIn"), rate: rate, signIn),
        ]
    }

    private var own: [APIRoute] {
        [
            APIRoute(
                .post, "/api/auth/wallets/challenges", "A message with which the sender connects a wallet.",
                access: .token, body: .fields(Field.walletChallenge), answer: .one("WalletChallenge"), rate: rate,
                ownChallenge),
            APIRoute(
                .get, "/api/auth/wallets", "The sender's wallets, in the order in which they were connected.",
                access: .token, answer: .list(of: "Wallet"), wallets),
            APIRoute(
                .post, "/api/auth/wallets", "Connects a wallet of the sender.", access: .token,
                body: .fields(Field.signedMessage + [Self.walletType, Field.walletPassword]), answer: .one("Wallet"),
                status: 201, failures: [409], rate: rate, connect),
            APIRoute(
                .patch, "/api/auth/wallets/{id}", "Makes a wallet the sender's primary one.", access: .token,
                body: [Field("isPrimary", .flag, required: true, "true; another wallet takes its place later.")],
                answer: .one("Wallet"), failures: [404], prefer),
            APIRoute(
                .delete, "/api/auth/wallets/{id}", "Disconnects a wallet of the sender.", access: .token, answer: nil,
                status: 204, failures: [404, 409], remove),
        ]
    }

    private static let walletType = Field("walletType", .text(1...40), "What has its key, such as metamask.")

    // MARK: Signing up and in

    @Sendable private func challenge(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let use = WalletUse(rawValue: request.body.text("purpose") ?? "") ?? .signIn
        let challenge = try await request.walletChallenge(for: use, accounts)
        return .data { $0.walletChallenge(challenge) }
    }

    @Sendable private func signUp(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let (name, signed) = (request.body.text("name") ?? "", request.signedMessage)
        return .signIn(
            status: 201,
            try await asked { () async throws(AccountFault) in
                try await accounts.signUp(name: name, with: signed, request.roomsClient)
            })
    }

    @Sendable private func signIn(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        .signIn(
            try await asked { () async throws(AccountFault) in
                try await accounts.signIn(with: request.signedMessage, request.roomsClient)
            })
    }

    // MARK: The sender's

    @Sendable private func ownChallenge(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let challenge = try await request.walletChallenge(for: .connect, accounts, person: request.subject)
        return .data { $0.walletChallenge(challenge) }
    }

    @Sendable private func wallets(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let wallets = try await api.ask { $0.wallets(of: request.subject, then: $1) }
        let balances = await accounts.balances(of: wallets)
        return .page(Page(items: wallets, next: nil)) { $0.wallet($1, accounts.chain, balances[$1.id]) }
    }

    @Sendable private func connect(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let sender = try await accounts.holder(request)
        let wallet = try await asked { () async throws(AccountFault) in
            try await accounts.connectWallet(
                request.signedMessage, to: sender, session: request.session, password: request.body.text("password"),
                request.roomsClient)
        }
        return .data(status: 201) { $0.wallet(wallet, of: accounts) }
    }

    @Sendable private func prefer(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let id = try request.preferredWallet("id")
        let wallet = try await api.ask { $0.preferWallet(id, of: request.subject, then: $1) }
        guard let wallet else { throw .notFound("wallet") }
        return .data { $0.wallet(wallet, of: accounts) }
    }

    @Sendable private func remove(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let id = request.parameter("id")
        let sender = try await accounts.holder(request)
        let hadIt = try await asked { () async throws(AccountFault) in
            try await accounts.removeWallet(id, of: sender, request.roomsClient)
        }
        guard hadIt else { throw .notFound("wallet") }
        return .noContent
    }
}

// MARK: - What all faces have in common

extension Field {
    static let walletChallenge = [
        Field("address", .wallet, required: true),
        Field("origin", .text(1...512), "That of the page or the app, if it is not that of the server's domain."),
    ]

    static let signedMessage = [
        Field("message", .secret, required: true, "A message of EIP-4361."),
        Field(
            "signature", .secret, required: true,
            "What personal_sign has made of it: 0x and 130 hexadecimal digits; of a contract up to 4,096."),
    ]

    static let walletPassword = Field(
        "password", .secret,
        "The sender's password, so that the wallet can sign in. A sender without one must have signed in within ten minutes."
    )
}

extension Request {
    /// What a wallet has signed, from the fields of the body.
    var signedMessage: SignedMessage {
        SignedMessage(
            body.text("message") ?? "", signature: body.text("signature") ?? "", address: body.wallet("address"),
            kind: body.text("walletType") ?? "wallet")
    }

    func walletChallenge(
        for use: WalletUse, _ accounts: Accounts, person: String = ""
    ) async throws(APIError) -> WalletChallenge {
        guard let address = body.wallet("address") else {
            throw .invalid("address", "must be the address of a wallet.")
        }
        return try await asked { () async throws(AccountFault) in
            try await accounts.walletChallenge(
                for: use, address, origin: body.text("origin"), person: person, now: now)
        }
    }

    /// The wallet that is to be the primary one.
    func preferredWallet(_ parameter: String) throws(APIError) -> String {
        guard body.flag("isPrimary") == true else {
            throw .invalid("isPrimary", "must be true: make another wallet the primary one instead.")
        }
        return self.parameter(parameter)
    }
}

extension JSONWriter {
    mutating func walletChallenge(_ challenge: WalletChallenge) {
        beginObject()
        member("message", challenge.message)
        member("nonce", challenge.nonce)
        member("chainId", Int(challenge.chain))
        member("expiresAt", UTCTime.text(challenge.endsAt))
        endObject()
    }

    /// A wallet with what is known of it without asking.
    mutating func wallet(_ wallet: Wallet, of accounts: Accounts) {
        self.wallet(wallet, accounts.chain, accounts.balances?.known(wallet.address))
    }

    /// - Parameter balances: a JSON object; nil when they are not known.
    mutating func wallet(_ wallet: Wallet, _ chain: WalletChain, _ balances: [UInt8]?) {
        beginObject()
        member("id", wallet.id)
        member("address", WalletAddress(wallet.address)?.checksummed ?? wallet.address)
        member("type", wallet.kind)
        member("isPrimary", wallet.isPrimary)
        key("balance")
        if let balances { raw(balances.span) } else { null() }
        member("chain", chain.name)
        member("signsIn", wallet.signsIn)
        member("connectedAt", UTCTime.text(wallet.createdAt))
        endObject()
    }
}
