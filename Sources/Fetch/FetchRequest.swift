/// A request to another server. Names and values of headers are the program's own, or checked by it.
package struct FetchRequest: Sendable {
    package var method = "GET"
    package var headers: [(String, String)] = []
    package var body: [UInt8]?
    /// Whether it is the last one for a long time.
    package var isLast = false

    package init(_ method: String = "GET", headers: [(String, String)] = [], body: [UInt8]? = nil, isLast: Bool = false)
    {
        self.method = method
        self.headers = headers
        self.body = body
        self.isLast = isLast
    }

    func bytes(to url: FetchURL) -> [UInt8] {
        var head = "\(method) \(url.target) HTTP/1.1\r\nHost: \(url.authority)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        head += "Accept-Encoding: identity\r\nUser-Agent: rooms\r\n"
        if let body { head += "Content-Length: \(body.count)\r\n" }
        head += "Connection: \(isLast ? "close" : "keep-alive")\r\n\r\n"
        return Array(head.utf8) + (body ?? [])
    }
}

package struct FetchResponse: Sendable, Equatable {
    package let status: Int
    /// As the server wrote it: seconds, or a date.
    package let retryAfter: String?
    package let body: [UInt8]
    /// Whether the server ends the connection.
    package let isLast: Bool
}

/// The bounds of a request and its answer.
package struct FetchLimits: Sendable {
    /// A longer head of an answer is a fault.
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
