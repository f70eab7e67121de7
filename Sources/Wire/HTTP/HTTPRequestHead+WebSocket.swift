extension HTTPRequestHead {
    /// What a request is with respect to the WebSocket handshake (RFC 6455, section 4.2.1).
    public enum WebSocketUpgrade: Equatable, Sendable {
        /// It does not ask for a WebSocket.
        case notUpgrade
        case upgrade(WebSocketOffer)
        /// It asks for one in a way that is answered with `status`. To 426 belongs `Sec-WebSocket-Version: 13`.
        case bad(status: Int, reason: String)
    }

    /// What the client sent for the answer to be made of.
    public struct WebSocketOffer: Equatable, Sendable {
        /// Of the right form: the base64 of 16 bytes.
        public var key: String
        /// Always 13.
        public var version: Int
        /// All `Sec-WebSocket-Extensions` joined by commas; empty when there is none.
        public var extensions: String
        /// `Sec-WebSocket-Protocol`, in the client's order of preference.
        public var protocols: [String]
    }

    public var webSocketUpgrade: WebSocketUpgrade {
        guard headers.contains(token: "websocket", in: "Upgrade") else { return .notUpgrade }
        guard headers.contains(token: "upgrade", in: "Connection") else {
            return .bad(status: 400, reason: "Upgrade is set, but the Connection header does not name it.")
        }
        guard method == .get, minorVersion == 1 else {
            return .bad(status: 400, reason: "A WebSocket handshake is a GET of HTTP/1.1.")
        }
        // What follows the head would be read as frames by us and as content by a proxy.
        guard body == .none || body == .length(0) else {
            return .bad(status: 400, reason: "A WebSocket handshake has no content.")
        }
        let versions = headers.all(named: "Sec-WebSocket-Version")
        guard let version = versions.first else {
            return .bad(status: 400, reason: "The header Sec-WebSocket-Version is missing.")
        }
        guard versions.count == 1, version == "13" else {
            return .bad(status: 426, reason: "Only version 13 of the WebSocket protocol is spoken here.")
        }
        let keys = headers.all(named: "Sec-WebSocket-Key")
        guard let key = keys.first, keys.count == 1, Self.isWebSocketKey(key) else {
            return .bad(status: 400, reason: "Sec-WebSocket-Key must be there once, as the base64 of 16 bytes.")
        }
        return .upgrade(
            WebSocketOffer(
                key: key, version: 13,
                extensions: headers.all(named: "Sec-WebSocket-Extensions").joined(separator: ", "),
                protocols: headers.tokens(named: "Sec-WebSocket-Protocol")))
    }

    /// 22 characters and the padding. The four spare bits of the last character are ignored: the key is never decoded,
    /// and some clients draw 22 random characters.
    private static func isWebSocketKey(_ key: String) -> Bool {
        let key = key.utf8
        return key.count == 24 && key.suffix(2).elementsEqual("==".utf8) && key.prefix(22).allSatisfy(Base64.isDigit)
    }
}
