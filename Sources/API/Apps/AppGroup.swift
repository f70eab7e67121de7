import Accounts
import Identity
import Relay
import Rooms
import Sessions
import Store
import Transport
import Wire

/// The interface of an application.
package protocol AppInterface: Sendable {
    /// The beginning of its paths, which clients leave out where it is at the root of a site.
    var prefix: String { get }
    var mount: Mount { get }
    /// How much its senders have sent, beside what the server's `RequestGate` counts.
    var meters: [any Meters] { get }
    /// The service that answers its requests on one shard.
    func service(_ relay: RelayHub, on shard: Shard) -> any HTTPService
}

/// What the interfaces of all applications have in common.
package struct AppOptions: Sendable {
    let accounts: Accounts
    let origins: OriginPolicy
    let version: String
    /// Whether requests have limits of rate.
    let isLimited: Bool
    /// What phones may send, in percent of the limits.
    let phonePercent: Int
    let publicURL: String?
    let muejam: MueJamOptions
    /// Nil on a server without uploads.
    let media: MediaService?
    /// The platforms whose devices get notifications.
    let pushPlatforms: Set<DevicePlatform>

    package init(
        _ accounts: Accounts, origins: OriginPolicy, version: String, isLimited: Bool, phonePercent: Int,
        publicURL: String? = nil,
        muejam: MueJamOptions = MueJamOptions(), media: MediaService? = nil,
        pushPlatforms: Set<DevicePlatform> = []
    ) {
        self.muejam = muejam
        self.media = media
        self.pushPlatforms = pushPlatforms
        self.accounts = accounts
        self.origins = origins
        self.version = version
        self.isLimited = isLimited
        self.phonePercent = phonePercent
        self.publicURL = publicURL
    }

    package var subspace: any AppInterface { AppGroup<Subspace>(self) }
    package var interspace: any AppInterface { AppGroup<Interspace>(self) }
    /// The WebSocket of Interspace.
    package var channels: any AppInterface { ChannelInterface(options: self) }
    package var soul: any AppInterface { AppGroup<Soul>(self) }
    package var mueJam: any AppInterface { AppGroup<MueJam>(self) }
    /// What the systems of phones ask a server for whose links their applications open.
    package var appLinks: any AppInterface { AppLinks(muejam) }
}

/// The routes of an application. Its senders are signed in to accounts of this server.
final class AppGroup<App: Application>: AppInterface {
    let routes: RouteTable<AppGroup>
    let rates: GroupRates
    let document: GroupDocument?
    let rootDocument: GroupDocument?
    private let options: AppOptions

    init(_ options: AppOptions) {
        self.options = options
        let isLimited = options.isLimited
        rates = GroupRates(
            addressPerSecond: isLimited ? APILimits().addressRequestsPerSecondMax : 0,
            strangersPerMinute: isLimited ? App.openRequestsPerMinuteMax : 0,
            sendersPerMinute: isLimited ? App.requestsPerMinuteMax : 0, phonePercent: options.phonePercent)
        let rows = App.routes
        routes = RouteTable(rows)
        var description = OpenAPIDocument(
            title: App.title, version: options.version, text: App.text, schemas: App.schemas,
            statusOf: { App.encode(APIError($0, RoomError.Code.server, "")).status }, prefix: App.prefix)
        document = description.describe(
            rows, at: App.prefix + "/openapi.json", page: App.prefix + "/api-docs", APILimits())
        description.hidesPrefix = true
        rootDocument = description.describe(rows, at: "/openapi.json", page: "/api-docs", APILimits())
    }

    var prefix: String { App.prefix }
    var mount: Mount { Self.mount }
    var meters: [any Meters] { rates.meters }

    func service(_ relay: RelayHub, on shard: Shard) -> any HTTPService {
        let rooms = RoomCommands(shard.mailboxes, relay)
        let context = AppContext<App>(group: self, accounts: options.accounts, rooms: rooms, options: options)
        return GroupService(self, context, on: shard)
    }
}

extension AppGroup: RouteGroup {
    typealias Sender = SignedIn
    typealias Context = AppContext<App>

    static var mount: Mount { [App.prefix, App.prefix + "/*"] }

    var origins: OriginPolicy { options.origins }
    var crossOriginHeaders: CrossOriginHeaders { App.crossOriginHeaders }
    var publicURL: String? { options.publicURL }
    var media: MediaService? { options.media }
    var isConditional: Bool { App.isConditional }

    func authenticate(
        _ head: HTTPRequestHead, now: Int64, then: @escaping @Sendable (Result<SignedIn, APIError>) -> Void
    ) throws(APIError) {
        guard let token = TokenSource.find(authorization: head.headers.first(named: "Authorization"), query: nil) else {
            throw App.tokenMissing
        }
        let accounts = options.accounts
        Task.detached {
            do throws(AccountFault) {
                then(.success(try await accounts.authenticate(token, now: now)))
            } catch {
                then(.failure(App.error(error)))
            }
        }
    }

    func id(of sender: SignedIn) -> String { sender.person.id }

    func mandate(of sender: SignedIn) -> Mandate? { Mandate(person: sender.person.id, session: sender.session.id) }

    func encode(_ error: APIError) -> APIReply { App.encode(error) }

    func client(of head: HTTPRequestHead) throws(APIError) -> ClientKind { try App.client(of: head) }

    func headers(about reading: RateReading, now: Int64) -> [(String, String)] {
        App.headers(about: reading, now: now)
    }

    var varies: String? { App.varies }
}
