import Accounts
import Transport

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

    /// Requests of one person a minute. A minute's worth may come at once.
    static var requestsPerMinuteMax: Int { get }
    /// Requests of one network address a minute on the routes that need no token.
    static var openRequestsPerMinuteMax: Int { get }

    /// Whether clients may keep answers and ask whether they are still the same.
    static var isConditional: Bool { get }

    /// - Parameter openRate: the limit of a network address on a route that needs no token.
    static func routes(openRate: RequestRate) -> [AppRoute<Self>]

    /// A failure in the form for its clients.
    static func encode(_ error: APIError) -> APIReply
    /// A fault of an account in the words for its clients.
    static func error(_ fault: AccountFault) -> APIError
    /// The failure of a request without a token.
    static var tokenMissing: APIError { get }
}

extension Application {
    static var isConditional: Bool { false }
}

typealias AppRoute<App: Application> = Route<AppGroup<App>>
typealias AppRequest<App: Application> = Request<AppGroup<App>>
