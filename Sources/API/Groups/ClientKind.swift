import Transport
import Wire

/// What a request's client is, as it says in `X-Client-Type`.
enum ClientKind: String, CaseIterable, Sendable {
    case web
    case iOS = "mobile-ios"
    case android = "mobile-android"

    static let header = "X-Client-Type"

    var isPhone: Bool { self != .web }

    /// Nil when the request names no kind that is known.
    static func named(in head: HTTPRequestHead) -> ClientKind? {
        head.headers.first(named: header).flatMap(ClientKind.init)
    }
}
