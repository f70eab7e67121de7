import Accounts
import Store
import Transport
import Wire

/// The sender's wallets, and signing in with one. The guide of the applications leaves out who makes the message that a wallet
/// signs, and how one is made the primary one.
enum InterspaceWallets {
    static var all: [InterspaceRoute] {
        [
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/wallet/challenge",
                "A message that a wallet signs, once and within five minutes, to sign in.", access: .everybody,
                body: .fields(Field.walletChallenge), answer: .bare("WalletChallenge"), challenge),
            InterspaceRoute(
                .post, "/interspace/api/v1/auth/wallet", "Signs in the person of a wallet.", access: .everybody,
                body: .fields(Field.signedMessage), answer: .bare("SignIn"), signIn),
            InterspaceRoute(
                .post, "/interspace/api/v1/wallets/challenge", "A message with which the sender connects a wallet.",
                body: .fields(Field.walletChallenge), answer: .bare("WalletChallenge"), ownChallenge),
            InterspaceRoute(
                .post, "/interspace/api/v1/wallets/connect", "Connects a wallet of the sender.",
                body: .fields(
                    [Field("address", .wallet, required: true)] + Field.signedMessage + [
                        Field("walletType", .text(1...40), required: true, "What has its key, such as metamask."),
                        Field.walletPassword,
                    ]), answer: .bare("Wallet"), status: 201, connect),
            InterspaceRoute(
                .get, "/interspace/api/v1/wallets",
                "The sender's wallets, in the order in which they were connected.", answer: .bare("Wallets"), wallets),
            InterspaceRoute(
                .patch, "/interspace/api/v1/wallets/{walletId}", "Makes a wallet the sender's primary one.",
                body: [Field("isPrimary", .flag, required: true, "true; another wallet takes its place later.")],
                answer: .bare("Wallet"), failures: [404], prefer),
            InterspaceRoute(
                .delete, "/interspace/api/v1/wallets/{walletId}", "Disconnects a wallet of the sender.", answer: nil,
                status: 204, failures: [404], remove),
        ]
    }

    @Sendable private static func challenge(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let challenge = try await request.walletChallenge(for: .signIn, context.accounts)
        return .bare { $0.walletChallenge(challenge) }
    }

    @Sendable private static func signIn(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        try await InterspaceSignIn.reply(
            try await context.accounts { (accounts) async throws(AccountFault) in
                try await accounts.signIn(with: request.signedMessage, request.client())
            }, context)
    }

    @Sendable private static func ownChallenge(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let challenge = try await request.walletChallenge(for: .connect, context.accounts, person: person)
        return .bare { $0.walletChallenge(challenge) }
    }

    @Sendable private static func connect(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let (person, session) = (try request.person(), request.sender?.session.id ?? "")
        let wallet = try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.connectWallet(
                request.signedMessage, to: person, session: session, password: request.body.text("password"),
                request.client())
        }
        return .bare(status: 201) { $0.wallet(wallet, of: context.accounts) }
    }

    @Sendable private static func wallets(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let wallets = try await context.ask { $0.wallets(of: person, then: $1) }
        let balances = await context.accounts.balances(of: wallets)
        return .bare { json in
            json.beginObject()
            json.key("wallets")
            json.beginArray()
            for wallet in wallets { json.wallet(wallet, context.accounts.chain, balances[wallet.id]) }
            json.endArray()
            json.endObject()
        }
    }

    @Sendable private static func prefer(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let (person, id) = (try request.person().id, try request.preferredWallet("walletId"))
        guard let wallet = try await context.ask({ $0.preferWallet(id, of: person, then: $1) }) else {
            throw .notFound("wallet")
        }
        return .bare { $0.wallet(wallet, of: context.accounts) }
    }

    @Sendable private static func remove(
        _ request: InterspaceRequest, _ context: InterspaceContext
    ) async throws(APIError) -> APIReply {
        let (person, id) = (try request.person(), request.parameter("walletId"))
        let hadIt = try await context.accounts { (accounts) async throws(AccountFault) in
            try await accounts.removeWallet(id, of: person, request.client())
        }
        guard hadIt else { throw .notFound("wallet") }
        return .noContent
    }
}
