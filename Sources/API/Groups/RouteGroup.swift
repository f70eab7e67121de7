import Rooms
import Sessions
import Transport
import Wire

/// A family of routes that stands for itself: where it is, who asks, how its failures look, how much one may ask, and its
/// rows. All shards have it in common; each answers its requests with a `GroupService`.
protocol RouteGroup: Sendable {
    /// Who asks, as its handlers know them.
    associatedtype Sender: Sendable
    /// What its handlers work with.
    associatedtype Context: Sendable

    /// The paths of its rows and of its description.
    static var mount: Mount { get }
    /// Who may ask for a row that does not say it.
    static var usualAccess: Route<Self>.Access { get }

    var routes: RouteTable<Self> { get }

    /// Says who asks, later and from any thread; or throws why nobody does.
    func authenticate(
        _ head: HTTPRequestHead, now: Int64, then: @escaping @Sendable (Result<Sender, APIError>) -> Void
    ) throws(APIError)
    /// By what a sender's requests are counted.
    func id(of sender: Sender) -> String

    /// A failure as its clients know it: those of the handlers, and those of what comes before them.
    func encode(_ error: APIError) -> APIReply

    var rates: GroupRates { get }
    var limits: APILimits { get }

    /// Which web pages may ask.
    var origins: OriginPolicy { get }
    /// What a page of another origin may send and read, beyond what every page may.
    var pageHeaders: PageHeaders { get }
    /// Of every answer but files, which have their own.
    var headers: [(String, String)] { get }

    /// Its description for programs, OpenAPI.
    var document: GroupDocument? { get }
    /// Where uploaded files are kept; nil for nowhere.
    var media: MediaService? { get }
    /// How clients call this server, without a slash at the end; nil for as each does.
    var publicURL: String? { get }
}

extension RouteGroup {
    static var usualAccess: Route<Self>.Access { .sender }
    func encode(_ error: APIError) -> APIReply { error.reply }
    var limits: APILimits { APILimits() }
    var origins: OriginPolicy { .sameOrigin }
    var pageHeaders: PageHeaders { PageHeaders() }
    var headers: [(String, String)] { [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")] }
    var document: GroupDocument? { nil }
    var media: MediaService? { nil }
    var publicURL: String? { nil }
}

/// How much may be asked of a group, over all shards; each limit lets a minute's worth through at once.
final class GroupRates: Sendable {
    /// Of one address. The server's `RequestGate` counts it together with its own limit.
    let address: RequestRate
    /// Of one sender.
    let sender: RequestRate
    let senders: RequestMeters<ExactText>

    /// - Parameters: 0 is without a limit. Past it: 429.
    init(addressPerSecond: Int, senderPerSecond: Int, countedMax: Int = APILimits().countedMax) {
        address = APILimits.rate(perSecond: addressPerSecond)
        sender = APILimits.rate(perSecond: senderPerSecond)
        senders = RequestMeters(countedMax: countedMax)
    }
}

/// What CORS lets pages of other origins do.
struct PageHeaders: Sendable {
    var accepted = "Authorization, Content-Type"
    var exposed = "Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"
}

/// A description, and the path at which it is.
struct GroupDocument: Sendable {
    let path: String
    let body: [UInt8]
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
    func check() throws(APIError) {
        guard waitMilliseconds > 0 else { return }
        var error = APIError(429, .rateLimited, "Too many requests; wait before the next.")
        error.headers = headers
        JSONWriter.write(into: &error.details) { json in
            json.beginObject()
            json.member("retryAfter", Double(waitMilliseconds) / 1_000)
            json.endObject()
        }
        throw error
    }
}
