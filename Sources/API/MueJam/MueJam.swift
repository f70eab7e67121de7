import Accounts
import Identity
import Rooms
import Store
import Transport
import Wire

/// The interface of the MueJam applications: stories, and phones that stay in step with them. See docs/apps/muejam.md.
enum MueJam: Application {
    static let prefix = "/muejam"
    static let title = "MueJam"
    static let text = "Stories, their chapters, and whispers about them."
    static var schemas: String { MueJamSchemas.json }
    static let account = AccountApp.mueJam
    static let requestsPerMinuteMax = 200
    static let openRequestsPerMinuteMax = 100
    static let isConditional = true

    /// `must-revalidate` would let caches give an answer to others.
    static let varies: String? = "Authorization, X-Client-Type"

    static var routes: [MueJamRoute] {
        MueJamSignIn.all + MueJamStories.all + MueJamChapters.all + MueJamWhispers.all + MueJamReaders.all
            + MueJamSync.all + MueJamConfiguration.all + MueJamDevices.all + MueJamUploads.all
    }

    static var crossOriginHeaders: CrossOriginHeaders {
        var headers = CrossOriginHeaders()
        headers.accepted += ", Idempotency-Key"
        headers.exposed += ", ETag"
        return headers
    }

    // MARK: Kinds of clients

    static func client(of head: HTTPRequestHead) throws(APIError) -> ClientKind {
        guard let name = head.headers.first(named: ClientKind.header) else { return .web }
        guard let kind = ClientKind(rawValue: name) else { throw .wrongClientType(name) }
        return kind
    }

    static func headers(about reading: RateReading, now: Int64) -> [(String, String)] {
        // The time at which all of the limit is available again, where other groups say how long that takes.
        reading.headers.map { $0.0 == "X-RateLimit-Reset" ? ($0.0, "\(now + Int64(reading.resetSeconds))") : $0 }
    }

    // MARK: Failures

    static func encode(_ error: APIError) -> APIReply {
        let error =
            error.reading.map { .rateLimitExceeded($0, error.headers) } ?? error.file.map { .mueJam($0, error) }
            ?? error
        var reply = APIReply(status: error.status, headers: error.headers)
        JSONWriter.write(into: &reply.body) { json in
            json.beginObject()
            json.key("error")
            json.mueJamFailure(error)
            json.endObject()
        }
        return reply
    }

    static func error(_ fault: AccountFault) -> APIError {
        if case .token(let error) = fault, error.kind == .expired { return .tokenExpired(at: error.expiredAt) }
        return APIError(fault)
    }

    static var tokenMissing: APIError { .unauthorized("TOKEN_MISSING", "A bearer token is needed.") }
}

typealias MueJamRoute = AppRoute<MueJam>
typealias MueJamRequest = AppRequest<MueJam>
typealias MueJamContext = AppContext<MueJam>
