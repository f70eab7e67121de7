import Accounts
import Transport
import Wire

/// An application that the server has an interface for: its paths, its words and its limits. `AppGroup` makes a group of
/// routes of it.
protocol Application: Sendable {
    /// The beginning of its paths.
    static var prefix: String { get }
    static var title: String { get }
    /// A sentence for the description.
    static var text: String { get }
    /// The contents of its answers, as JSON Schema.
    static var schemas: String { get }
    /// What its users sign in to.
    static var account: AccountApp { get }

    /// Requests of one person a minute, from web pages. A minute's worth may come at once; phones have more.
    static var requestsPerMinuteMax: Int { get }
    /// Requests of one network address a minute without a good token.
    static var openRequestsPerMinuteMax: Int { get }

    /// Whether clients may keep answers and ask whether they are still the same.
    static var isConditional: Bool { get }

    /// The headers that a page of another origin may send and read, besides those for every page.
    static var crossOriginHeaders: CrossOriginHeaders { get }

    /// What the client of a request is. Throws when the request names nothing that the application knows.
    static func client(of head: HTTPRequestHead) throws(APIError) -> ClientKind
    static func headers(about reading: RateReading, now: Int64) -> [(String, String)]
    /// The headers of requests by which answers differ, for caches; nil for none.
    static var varies: String? { get }

    static var routes: [AppRoute<Self>] { get }

    /// A failure in the form for its clients.
    static func encode(_ error: APIError) -> APIReply
    /// A fault of an account in the words for its clients.
    static func error(_ fault: AccountFault) -> APIError
    /// The failure of a request without a token.
    static var tokenMissing: APIError { get }
}

extension Application {
    static var isConditional: Bool { false }
    static var crossOriginHeaders: CrossOriginHeaders { CrossOriginHeaders() }
    static func client(of head: HTTPRequestHead) throws(APIError) -> ClientKind { ClientKind.named(in: head) ?? .web }
    static func headers(about reading: RateReading, now: Int64) -> [(String, String)] { reading.headers }
    static var varies: String? { nil }
}

typealias AppRoute<App: Application> = Route<AppGroup<App>>
typealias AppRequest<App: Application> = Request<AppGroup<App>>
