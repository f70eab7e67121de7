import Accounts
import Identity
import Relay
import Sessions
import Store
import Transport
import Wire

/// The interface of the Subspace applications: people, and messages to them. See docs/apps/subspace.md.
package final class Subspace: Sendable {
    let routes: RouteTable<Subspace>
    let rates: GroupRates
    let document: GroupDocument?
    let origins: OriginPolicy
    let publicURL: String?
    private let accounts: Accounts

    /// - Parameter isLimited: whether requests have limits of rate.
    package init(
        _ accounts: Accounts, origins: OriginPolicy, version: String, isLimited: Bool, publicURL: String? = nil
    ) {
        self.accounts = accounts
        self.origins = origins
        self.publicURL = publicURL
        let perMinute = isLimited ? Self.requestsPerMinute : 0
        rates = GroupRates(
            address: APILimits.rate(perSecond: isLimited ? APILimits().addressRequestsPerSecondMax : 0),
            sender: RequestRate(perMinute: perMinute))
        let open = RequestRate(perMinute: perMinute, exemptsNobody: true)
        let rows = SubspaceSignIn.all(openRate: open) + SubspacePeople.all + SubspaceMessages.all
        routes = RouteTable(rows)
        document = OpenAPIDocument(
            title: "Subspace", version: version, text: "People, and messages to them.", schemas: SubspaceSchemas.json
        ).describe(rows, at: Self.prefix + "/openapi.json", APILimits())
    }

    /// The service that answers its requests on one shard.
    package func service(_ relay: RelayHub, on shard: Shard) -> any HTTPService {
        let rooms = RoomCommands(shard.mailboxes, relay)
        return GroupService(self, SubspaceContext(accounts: accounts, rooms: rooms), on: shard)
    }

    static let prefix = "/subspace"
    /// Of a person; and of a network address on the routes that need no token.
    private static let requestsPerMinute = 100
}

extension Subspace: RouteGroup {
    typealias Context = SubspaceContext

    package static let mount: Mount = ["/subspace/*"]

    func authenticate(
        _ head: HTTPRequestHead, now: Int64, then: @escaping @Sendable (Result<SignedIn, APIError>) -> Void
    ) throws(APIError) {
        guard let token = TokenSource.find(authorization: head.headers.first(named: "Authorization"), query: nil) else {
            throw .subspace(401, "missing authorization token")
        }
        let accounts = accounts
        Task.detached {
            do throws(AccountFault) {
                then(.success(try await accounts.authenticate(token, now: now)))
            } catch {
                then(.failure(.subspace(error)))
            }
        }
    }

    func id(of sender: SignedIn) -> String { sender.person.id }

    /// The guide of the applications knows neither 409 nor 422.
    func encode(_ error: APIError) -> APIReply {
        var reply = APIReply(status: [409, 422].contains(error.status) ? 400 : error.status, headers: error.headers)
        JSONWriter.write(into: &reply.body) { json in
            json.beginObject()
            json.member("error", error.message)
            json.endObject()
        }
        return reply
    }
}

/// The parts of the server that the handlers use.
struct SubspaceContext: Sendable {
    let accounts: Accounts
    /// The rooms in use, which people leave when their account ends.
    let rooms: RoomCommands

    func ask<Value: Sendable>(
        _ question: (any ServerStore, @escaping Answer<Value>) -> Void
    ) async throws(APIError) -> Value {
        do throws(AccountFault) {
            return try await accounts.store.told(question)
        } catch {
            throw .subspace(error)
        }
    }

    /// Ends the connections of a person on all nodes. It waits until they have ended, but for a node that does not answer
    /// not long.
    func disconnect(_ person: String) async {
        await withCheckedContinuation { continuation in
            let open = rooms.disconnect(person) { _, _ in continuation.resume() }
            Task.detached {
                try? await Task.sleep(for: .seconds(2))
                open.giveUp()
            }
        }
    }

    /// A person is no member of a room any more. The store says so already.
    func leave(_ room: String, _ person: String) async {
        _ = await withCheckedContinuation { continuation in
            rooms.expel(person, from: room, reason: "The account was ended.") { continuation.resume(returning: $0) }
        }
        guard let record = try? await ask({ $0.room(room, then: $1) }) else { return }
        _ = await withCheckedContinuation { continuation in
            rooms.tellRemoved(person, from: room, info: RoomShown.json(record)) { continuation.resume(returning: $0) }
        }
    }
}

typealias SubspaceRoute = Route<Subspace>
typealias SubspaceRequest = Request<Subspace>

extension APIError {
    /// A failure in the words of the guide, where it has some.
    static func subspace(_ status: Int, _ words: String) -> APIError {
        var error = APIError(status, "SUBSPACE", words)
        if status == 401 { error.headers = [("WWW-Authenticate", "Bearer")] }
        return error
    }

    static func subspace(_ fault: AccountFault) -> APIError {
        switch fault {
        case .wrongCredentials: .subspace(401, "invalid credentials")
        case .emailTaken: .subspace(400, "email already exists")
        case .store(.notFound(let kind)): .subspace(404, "\(kind) not found")
        case .token(let error) where error.kind == .expired: .subspace(401, "token has expired")
        case .token(let error) where !error.isTemporary: .subspace(401, "invalid token")
        default: APIError(fault)
        }
    }

    static let notAdmin = APIError.subspace(403, "only an administrator may do this")
}
