import Wire

/// A content that many clients get: compressed once, for the clients that accept the coding.
public struct PreparedContent: Sendable {
    public let bytes: [UInt8]
    /// Nil where it would hardly be smaller.
    public let compressed: [UInt8]?
    /// Without quotation marks.
    private let tag: String?

    /// - Parameter tag: changes whenever the content does; nil for a content that clients get anew each time.
    public init(_ bytes: [UInt8], tag: String? = nil) {
        self.bytes = bytes
        self.tag = tag
        let compressed = bytes.count < 256 ? [] : Gzip.compressed(bytes, level: 9)
        self.compressed = compressed.isEmpty || compressed.count > bytes.count / 10 * 9 ? nil : compressed
    }

    /// Answers a GET or HEAD, with 304 to a client that has it already.
    public func answer(_ exchange: HTTPExchange, _ headers: [(String, String)]) {
        let head = exchange.head
        let compressed = ContentCoding.takesGzip(head.headers.first(named: "Accept-Encoding")) ? compressed : nil
        var headers = headers + [("Vary", "Accept-Encoding")]
        if let tag {
            // The two forms have different bytes, and so different tags.
            let tag = "\"\(tag)\(compressed == nil ? "" : "-gzip")\""
            headers.append(("ETag", tag))
            let known = head.headers.tokens(named: "If-None-Match")
            // A proxy that changes the coding makes a weak tag of ours.
            if known.contains(where: { $0 == tag || $0 == "W/" + tag || $0 == "*" }) {
                return exchange.respond(304, headers)
            }
        }
        if compressed != nil { headers.append(("Content-Encoding", "gzip")) }
        exchange.respond(200, headers, body: compressed ?? bytes)
    }
}
