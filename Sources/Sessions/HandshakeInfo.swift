import Transport
import Wire

/// Facts about a client from the session's first request.
public struct HandshakeInfo: Sendable {
    public let peer: PeerAddress
    public let isSecure: Bool
    public private(set) var headers: HTTPHeaders
    public private(set) var queryItems: [(name: String, value: String)]

    init(_ exchange: HTTPExchange, keeping kept: KeptRequest?) {
        peer = exchange.peer
        isSecure = exchange.isSecure
        guard let kept else {
            headers = exchange.head.headers
            queryItems = exchange.head.queryItems
            return
        }
        headers = HTTPHeaders()
        queryItems = []
        var left = kept.bytesMax
        for part in kept.headers {
            guard let value = exchange.head.headers.first(named: part.name) else { continue }
            headers.add(part.name, Self.cut(value, to: part.bytesMax, of: &left))
        }
        for part in kept.queryItems {
            guard let value = exchange.head.queryValue(part.name) else { continue }
            queryItems.append((part.name, Self.cut(value, to: part.bytesMax, of: &left)))
        }
    }

    private static func cut(_ value: String, to bytesMax: Int, of left: inout Int) -> String {
        let (byteCount, most) = (value.utf8.count, min(bytesMax, left))
        left -= min(byteCount, most)
        return byteCount <= most ? value : String(decoding: value.utf8.prefix(most), as: UTF8.self)
    }

    public func queryValue(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    mutating func forgetRequest() {
        headers = HTTPHeaders()
        queryItems = []
    }
}

/// The parts of the session's first request that are kept until the application has used them. Each part has a bound,
/// and all of them together; what is longer is cut.
public struct KeptRequest: Sendable {
    public struct Part: Sendable, Equatable {
        public let name: String
        public let bytesMax: Int

        public init(_ name: String, bytesMax: Int) {
            self.name = name
            self.bytesMax = bytesMax
        }
    }

    public let headers: [Part]
    public let queryItems: [Part]
    public let bytesMax: Int

    /// Headers are kept before items of the query, each in the order given here.
    public init(headers: [Part], queryItems: [Part], bytesMax: Int) {
        self.headers = headers
        self.queryItems = queryItems
        self.bytesMax = bytesMax
    }
}
