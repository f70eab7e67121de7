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
        for (name, bytesMax) in kept.headers {
            guard let value = exchange.head.headers.first(named: name) else { continue }
            headers.add(name, KeptRequest.cut(value, to: bytesMax))
        }
        queryItems = []
        for (name, bytesMax) in kept.queryItems {
            guard let value = exchange.head.queryValue(name) else { continue }
            queryItems.append((name, KeptRequest.cut(value, to: bytesMax)))
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

/// The parts of the session's first request that are kept until the application has used them, by name, with the most
/// bytes of each. Longer values are cut.
public struct KeptRequest: Sendable {
    public var headers: [String: Int]
    public var queryItems: [String: Int]

    public init(headers: [String: Int], queryItems: [String: Int]) {
        self.headers = headers
        self.queryItems = queryItems
    }

    fileprivate static func cut(_ value: String, to bytesMax: Int) -> String {
        value.utf8.count <= bytesMax ? value : String(decoding: value.utf8.prefix(bytesMax), as: UTF8.self)
    }
}
