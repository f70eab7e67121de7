import Identity
import Relay
import Sessions
import Store
import Transport
import Wire

/// The REST interface of a server: what all its shards have in common.
package final class API: Sendable {
    package let limits: APILimits
    let router: Router
    let store: any ServerStore
    let verifier: any TokenVerifier
    let origins: OriginPolicy
    let isOpen: Bool
    let accounts: RequestMeters<ExactText>
    let addresses: RequestMeters<IPAddress>
    let searches: RequestMeters<ExactText>
    let uploads: RequestMeters<ExactText>
    let media: MediaService?
    let publicURL: String?
    private let turns = RoomTurns()
    /// `/openapi.json`.
    let description: [UInt8]

    /// - Parameters:
    ///   - verifier: what bearer tokens are held against.
    ///   - origins: which web pages may ask.
    ///   - isOpen: whether everybody may be in every room.
    ///   - media: where uploaded files are kept; nil for nowhere.
    ///   - publicURL: how clients call this server, without a slash at the end; nil for as each does.
    package init(
        store: any ServerStore, verifier: any TokenVerifier, origins: OriginPolicy, isOpen: Bool,
        version: String, limits: APILimits = APILimits(), media: MediaService? = nil, publicURL: String? = nil
    ) {
        self.store = store
        self.verifier = verifier
        self.origins = origins
        self.isOpen = isOpen
        self.limits = limits
        router = Router(Self.routes(limits))
        accounts = RequestMeters(perSecond: limits.accountRequestsPerSecondMax, countedMax: limits.countedMax)
        addresses = RequestMeters(perSecond: limits.addressRequestsPerSecondMax, countedMax: limits.countedMax)
        searches = RequestMeters(perSecond: limits.searchesPerSecondMax, countedMax: limits.countedMax)
        uploads = RequestMeters(perSecond: limits.uploadsPerSecondMax, countedMax: limits.countedMax)
        self.media = media
        self.publicURL = publicURL
        description = OpenAPIDocument.json(Self.routes(limits), version: version, limits: limits)
    }

    static func routes(_ limits: APILimits) -> [Route] {
        AuthRoutes.all + UserRoutes.all(limits) + RoomRoutes.all(limits) + ParticipantRoutes.all
            + ElementRoutes.all(limits) + NotificationRoutes.all(limits)
            + MediaRoutes.all
    }

    /// Answers a request whose sender is known and whose fields are as they have to be.
    func answer(_ request: APIRequest, by route: Route, _ rooms: RoomCommands) async -> APIReply {
        let context = APIContext(
            store: store, rooms: rooms, turns: turns, isOpen: isOpen, limits: limits, media: media)
        do throws(APIError) {
            if route.access.needsProfile(isOpen: isOpen) { try await context.account(request) }
            return try await route.handler(request, context)
        } catch {
            return error.reply
        }
    }
}
