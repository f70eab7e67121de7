import Transport
import Wire

/// What is known of a client from the request with which its session began.
public struct HandshakeInfo: Sendable {
    public let head: HTTPRequestHead
    public let peer: PeerAddress
    public let isSecure: Bool

    init(_ exchange: HTTPExchange, keeping headers: [String]?) {
        head = headers.map(exchange.head.keeping(headers:)) ?? exchange.head
        peer = exchange.peer
        isSecure = exchange.isSecure
    }
}
