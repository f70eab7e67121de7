import Threads
import Wire

/// A content that many clients get: made and compressed once, for the first of them. Most servers never send most of
/// their contents, so a start does not wait for them.
public struct PreparedContent: Sendable {
    private let made: Later<[UInt8]>
    /// Nil where it would hardly be smaller.
    private let compressed: Later<[UInt8]?>
    private let hash: Later<String>?

    /// - Parameter isTagged: whether clients ask if their copy is good still. Without that they get it anew each time.
    public init(_ bytes: [UInt8], isTagged: Bool = false) {
        self.init(isTagged: isTagged) { bytes }
    }

    /// - Parameter make: called when a client asks for the content, at most once.
    public init(isTagged: Bool = false, make: @escaping @Sendable () -> [UInt8]) {
        let made = Later(make)
        hash = isTagged ? Later { Self.hash(made.value) } : nil
        self.made = made
        compressed = Later {
            let bytes = made.value
            let compressed = bytes.count < 256 ? [] : Gzip.compressed(bytes, level: 9)
            return compressed.isEmpty || compressed.count > bytes.count / 10 * 9 ? nil : compressed
        }
    }

    public var bytes: [UInt8] { made.value }
    /// Changes whenever the content does. Without quotation marks.
    public var tag: String? { hash?.value }

    /// FNV-1a: it tells versions of a content apart, nothing more.
    private static func hash(_ bytes: [UInt8]) -> String {
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        return "\(String(hash, radix: 36))-\(String(bytes.count, radix: 36))"
    }

    /// Answers a GET or HEAD, with 304 to a client that has it already.
    public func answer(_ exchange: HTTPExchange, _ headers: [(String, String)]) {
        let head = exchange.head
        let compressed = ContentCoding.takesGzip(head.headers.first(named: "Accept-Encoding")) ? compressed.value : nil
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
