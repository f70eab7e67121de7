/// A request to another server. Names and values of headers are the program's own, or checked by it.
package struct FetchRequest: Sendable {
    package var method = "GET"
    package var headers: [(String, String)] = []
    package var body: [UInt8]?
    /// Path and query, instead of those of the client's address.
    package var target: String?
    /// Whether it is the last one for a long time.
    package var isLast = false

    package init(_ method: String = "GET", headers: [(String, String)] = [], body: [UInt8]? = nil, isLast: Bool = false)
    {
        self.method = method
        self.headers = headers
        self.body = body
        self.isLast = isLast
    }
}

package struct FetchResponse: Sendable, Equatable {
    package let status: Int
    /// As the server wrote it: seconds, or a date.
    package let retryAfter: String?
    package let body: [UInt8]

    package init(status: Int, retryAfter: String?, body: [UInt8]) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }
}

/// The bounds of a request and its answer.
package struct FetchLimits: Sendable {
    /// A longer head of an answer is a fault, interim heads and the lines after the body counted with it.
    package var headBytesMax = 16 * 1024
    /// The same for its body.
    package var bodyBytesMax: Int
    /// How long all of it may take, from looking the name up to the last byte.
    package var milliseconds: Int64

    package init(bodyBytesMax: Int, milliseconds: Int64) {
        self.bodyBytesMax = bodyBytesMax
        self.milliseconds = milliseconds
    }
}
