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
        for name in kept.headers {
            guard let value = exchange.head.headers.first(named: name) else { continue }
            headers.add(name, kept.bounded(value))
        }
        queryItems = []
        for name in kept.queryItems {
            guard let value = exchange.head.queryValue(name) else { continue }
            queryItems.append((name, kept.bounded(value)))
        }
    }

    public func queryValue(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    mutating func forgetRequest() {
        headers = HTTPHeaders()
        queryItems = []
    }
}

/// The parts of the session's first request that are kept until the application has used them.
public struct KeptRequest: Sendable {
    public var headers: [String]
    public var queryItems: [String]
    /// Longer values are cut.
    public var valueBytesMax: Int

    public init(headers: [String], queryItems: [String], valueBytesMax: Int) {
        self.headers = headers
        self.queryItems = queryItems
        self.valueBytesMax = valueBytesMax
    }

    fileprivate func bounded(_ value: String) -> String {
        value.utf8.count <= valueBytesMax ? value : String(decoding: value.utf8.prefix(valueBytesMax), as: UTF8.self)
    }
}
