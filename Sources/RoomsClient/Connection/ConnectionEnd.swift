import Wire

/// How a connection came to its end, or did not come about.
struct ConnectionEnd: Equatable {
    var reason: String
    /// Of the WebSocket's close frame.
    var closeCode: UInt16?
    /// The status of HTTP, where the server answered with one that is no welcome.
    var status: Int?
    /// When the server wants to be asked again.
    var retryAfterMilliseconds: Int64?

    init(_ reason: String, closeCode: UInt16? = nil) {
        self.reason = reason
        self.closeCode = closeCode
    }

    init(_ answer: HTTPResponse) {
        reason = "the server answered with status \(answer.status)"
        status = answer.status
        retryAfterMilliseconds = answer["retry-after"].flatMap { Int64($0) }.map { min(max($0, 0), 3_600) * 1_000 }
    }
}
