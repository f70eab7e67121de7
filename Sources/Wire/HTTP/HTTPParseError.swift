/// Why a request was refused: the status that answers it and a sentence for the answer's body and the log.
/// Nothing that follows on the connection can be trusted to begin a request, so it is closed.
public struct HTTPParseError: Error, Equatable, Sendable {
    public var status: Int
    public var reason: String

    public init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }

    static func badRequest(_ reason: String) -> Self { Self(status: 400, reason: reason) }
}
