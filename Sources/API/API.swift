import Accounts
import Identity
import Recorder
import Relay
import Rooms
import Sessions
import Store
import Threads
import Transport
import Wire

/// The REST interface of a server: users, their rooms and the contents of rooms.
package final class API: Sendable {
    package let limits: APILimits
    let routes: RouteTable<API>
    let rates: GroupRates
    let document: GroupDocument?
    let origins: OriginPolicy
    let media: MediaService?
    let recordings: RecordingService?
    var disks: WorkerThreads? { media?.disks ?? recordings?.library.disks }
    let publicURL: String?
    private let store: any ServerStore
    private let verifier: any TokenVerifier
    private let isOpen: Bool
    private let accounts: Accounts?
    private let turns = RoomTurns()

    /// - Parameters:
    ///   - verifier: verifies bearer tokens.
    ///   - origins: the web pages that may use REST.
    ///   - isOpen: whether every user may join every room.
    ///   - media: stores uploaded files; nil for no uploads.
    ///   - recordings: records rooms; nil where none are recorded.
    ///   - publicURL: the server's address for clients, without a slash at the end; nil to use the name in each
    ///     request.
    ///   - accounts: the accounts of this server, if users sign in to them.
    package init(
        store: any ServerStore, verifier: any TokenVerifier, origins: OriginPolicy, isOpen: Bool,
        version: String, limits: APILimits = APILimits(), media: MediaService? = nil,
        recordings: RecordingService? = nil, publicURL: String? = nil, accounts: Accounts? = nil
    ) {
        self.store = store
        self.verifier = verifier
        self.origins = origins
        self.isOpen = isOpen
        self.limits = limits
        rates = GroupRates(
            addressPerSecond: limits.addressRequestsPerSecondMax,
            sendersPerMinute: 60 * limits.accountRequestsPerSecondMax, phonePercent: limits.phonePercent,
            countedMax: limits.countedMax)
        self.media = media
        self.recordings = recordings
        self.publicURL = publicURL
        self.accounts = accounts
        let rows = Self.rows(limits) + (accounts.map { Self.rows($0, limits) } ?? [])
        routes = RouteTable(rows)
        document = OpenAPIDocument(
            title: "Rooms", version: version,
            text: "Users, their rooms and the contents of rooms. Live events of a room go over Socket.IO.",
            schemas: Schemas.json
        ).describe(rows, at: "/openapi.json", page: "/api-docs", limits)
    }

    package var meters: [any Meters] { rates.meters }

    private static func rows(_ accounts: Accounts, _ limits: APILimits) -> [APIRoute] {
        let own = AccountRoutes(accounts, limits)
        return own.all + [own.ending] + PasskeyRoutes(accounts, limits).all + WalletRoutes(accounts, limits).all
    }

    private static func rows(_ limits: APILimits) -> [APIRoute] {
        let searches = APILimits.rate(perSecond: limits.searchesPerSecondMax)
        let uploads = APILimits.rate(perSecond: limits.uploadsPerSecondMax)
        return AuthRoutes.all + UserRoutes.all(limits, searches: searches) + RoomRoutes.all(limits)
            + ParticipantRoutes.all + InvitationRoutes.all(limits) + ElementRoutes.all(limits)
            + NotificationRoutes.all(limits) + RecordingRoutes.all(limits)
            + MediaRoutes.all(uploads: uploads)
    }

    /// The service that answers its requests on one shard.
    package func service(_ relay: RelayHub, on shard: Shard) -> any HTTPService {
        let context = APIContext(
            store: store, rooms: RoomCommands(shard.mailboxes, relay), turns: turns, isOpen: isOpen, limits: limits,
            media: media, recordings: recordings)
        return GroupService(self, context, on: shard)
    }
}

// MARK: - As a group of routes

extension API: RouteGroup {
    /// The sender of a request with a valid token.
    struct Sender: Sendable {
        let token: VerifiedToken
        /// Set where the route's access needs a profile. Then it has one.
        var account: Account?
    }

    typealias Context = APIContext

    package static let mount: Mount = ["/api/*", "/media/*", "/openapi.json", "/api-docs"]

    static var usualAccess: APIRoute.Access { .profile }

    func authenticate(
        _ head: HTTPRequestHead, now: Int64, then: @escaping @Sendable (Result<Sender, APIError>) -> Void
    ) throws(APIError) {
        // Tokens in a query would appear in the logs of every proxy.
        let authorization = head.headers.first(named: "Authorization")
        guard let token = TokenSource.find(authorization: authorization, query: nil) else {
            throw .unauthorized("TOKEN_MISSING", "A bearer token is needed.")
        }
        verifier.verify(token, now: now) { result in
            then(result.map { Sender(token: $0) }.mapError { APIError($0) })
        }
    }

    func id(of sender: Sender) -> String { sender.token.subject }

    func mandate(of sender: Sender) -> Mandate? {
        guard accounts != nil, let session = sender.token.session else { return nil }
        return Mandate(person: sender.token.subject, session: session)
    }

    var crossOriginHeaders: CrossOriginHeaders {
        var headers = CrossOriginHeaders()
        headers.accepted += ", Idempotency-Key, Range"
        headers.exposed = "Content-Range, ETag, " + headers.exposed
        return headers
    }
}

typealias APIRoute = Route<API>
typealias APIRequest = Request<API>

extension APIRequest {
    /// The subject of the sender's token, which is the id of the account.
    var subject: String { sender?.token.subject ?? "" }
    var email: String { sender?.token.email ?? "" }
}

extension APIRoute.Access {
    /// Every sender with a valid token.
    static var token: Self { .sender }
    /// Senders with a complete profile.
    static var profile: Self { .checked(findProfile) }
    /// The same; in `open` mode every sender.
    static var profileUnlessOpen: Self {
        .checked { (sender, api) async throws(APIError) in
            if api.isOpen { return sender }
            return try await findProfile(sender, api)
        }
    }

    @Sendable private static func findProfile(
        _ sender: API.Sender, _ api: APIContext
    ) async throws(APIError) -> API.Sender {
        let account = try await api.ask { $0.account(sender.token.subject, then: $1) }
        guard let account, account.profile != nil else { throw .incompleteProfile }
        return API.Sender(token: sender.token, account: account)
    }
}

// MARK: - Without a store

/// Answers in place of REST on a server without a data directory.
package final class NoAPI: HTTPService {
    package init() {}

    package func handle(_ exchange: HTTPExchange) {
        let error = APIError(
            404, .notFound, "This server has no data directory (--data), so it keeps no users and rooms.")
        exchange.respond(error.status, [("Content-Type", "application/json")], body: error.reply.body)
    }
}
