import Rooms
import Sessions
import Store
import Threads
import Transport
import Wire

/// A group of routes: its mount, senders, form of failures, rates and rows. All shards share it; each answers its
/// requests with a `GroupService`.
protocol RouteGroup: Sendable {
    /// The sender of a request, for the handlers.
    associatedtype Sender: Sendable
    /// The parts of the server that the handlers use.
    associatedtype Context: Sendable

    /// The paths of its rows and of its description.
    static var mount: Mount { get }
    /// The access of a row that does not state its own.
    static var usualAccess: Route<Self>.Access { get }

    var routes: RouteTable<Self> { get }

    /// Authenticates the sender, later and from any thread; or throws.
    func authenticate(
        _ head: HTTPRequestHead, now: Int64, then: @escaping @Sendable (Result<Sender, APIError>) -> Void
    ) throws(APIError)
    /// The key by which a sender's requests are counted.
    func id(of sender: Sender) -> String
    /// The session for which the store is written to; nil for senders whose tokens belong to no session of this server.
    func mandate(of sender: Sender) -> Mandate?

    /// A failure in the form for the group's clients. Failures come from handlers, and from the steps before them.
    func encode(_ error: APIError) -> APIReply

    var rates: GroupRates { get }
    var limits: APILimits { get }

    /// What the client of a request is. Throws when the request names nothing that the group knows.
    func client(of head: HTTPRequestHead) throws(APIError) -> ClientKind
    /// The version of the interface, for `X-API-Version`.
    var version: String { get }
    /// The headers about a limit.
    ///
    /// - Parameter now: seconds since 1970.
    func headers(about reading: RateReading, now: Int64) -> [(String, String)]
    /// The headers of requests by which answers differ, for caches; nil for none.
    var varies: String? { get }

    /// The web pages that may use the group.
    var origins: OriginPolicy { get }
    /// The headers that a page of another origin may send and read, besides those for every page.
    var crossOriginHeaders: CrossOriginHeaders { get }
    /// The headers of every answer except files, which have their own.
    var headers: [(String, String)] { get }

    /// Whether clients may keep answers to GET and ask whether they are still the same (ETag, 304).
    var isConditional: Bool { get }

    /// Its description for programs, OpenAPI.
    var document: GroupDocument? { get }
    /// Its description where it is at the root of a site.
    var rootDocument: GroupDocument? { get }
    /// Stores uploaded files; nil for no uploads.
    var media: MediaService? { get }
    /// The threads that read files for answers; nil when none are sent.
    var disks: WorkerThreads? { get }
    /// The server's address for clients, without a slash at the end; nil to use the name in each request.
    var publicURL: String? { get }
}

extension RouteGroup {
    static var usualAccess: Route<Self>.Access { .sender }
    func mandate(of sender: Sender) -> Mandate? { nil }
    func encode(_ error: APIError) -> APIReply { error.reply }
    var limits: APILimits { APILimits() }
    func client(of head: HTTPRequestHead) throws(APIError) -> ClientKind { ClientKind.named(in: head) ?? .web }
    var version: String { "v1" }
    func headers(about reading: RateReading, now: Int64) -> [(String, String)] { reading.headers }
    var varies: String? { nil }
    var origins: OriginPolicy { .sameOrigin }
    var crossOriginHeaders: CrossOriginHeaders { CrossOriginHeaders() }
    var headers: [(String, String)] { [("X-Content-Type-Options", "nosniff")] }
    var isConditional: Bool { false }
    var document: GroupDocument? { nil }
    var rootDocument: GroupDocument? { document }
    var media: MediaService? { nil }
    var disks: WorkerThreads? { media?.disks }
    var publicURL: String? { nil }

    /// The headers about an answer with so many bytes, before they are compressed.
    func headers(about byteCount: Int, to client: ClientKind) -> [(String, String)] {
        let own = [
            ("X-Response-Size", "\(byteCount)"), (ClientKind.header, client.rawValue), ("X-API-Version", version),
        ]
        return own + (varies.map { [("Vary", $0)] } ?? [])
    }
}

/// The headers that CORS allows to pages of other origins.
struct CrossOriginHeaders: Sendable {
    var accepted = "Authorization, Content-Type, X-Client-Type"
    var exposed =
        "Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Response-Size, "
        + "X-Client-Type, X-API-Version, Deprecation, Sunset"
}

/// A description, and the path at which it is; for users the same as a page, at a path of its own.
struct GroupDocument: Sendable {
    let path: String
    let content: PreparedContent
    var page: ReadablePage?

    init(path: String, page: ReadablePage?, body: @escaping @Sendable () -> [UInt8]) {
        self.path = path
        self.page = page
        content = PreparedContent(make: body)
    }
}

extension RateReading {
    var headers: [(String, String)] {
        var headers = [
            ("X-RateLimit-Limit", "\(limit)"), ("X-RateLimit-Remaining", "\(remaining)"),
            ("X-RateLimit-Reset", "\(resetSeconds)"),
        ]
        if waitMilliseconds > 0 { headers.append(("Retry-After", "\((waitMilliseconds + 999) / 1_000)")) }
        return headers
    }

    /// Throws when the request has to wait.
    func check() throws(APIError) { try check(headers) }

    /// - Parameter headers: the headers about the limit.
    func check(_ headers: [(String, String)]) throws(APIError) {
        guard waitMilliseconds > 0 else { return }
        var error = APIError(429, .rateLimited, "Too many requests; wait before the next.")
        error.headers = headers
        error.reading = self
        JSONWriter.write(into: &error.details) { json in
            json.beginObject()
            json.member("retryAfter", Double(waitMilliseconds) / 1_000)
            json.endObject()
        }
        throw error
    }
}
