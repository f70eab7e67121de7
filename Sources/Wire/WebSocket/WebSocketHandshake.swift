import COpenSSL

/// The keys of the opening handshake (RFC 6455, 4).
public enum WebSocketHandshake {
    private static let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// The value of `Sec-WebSocket-Accept` for a client's key; nil where the key is not the base64 of 16 bytes.
    public static func accept(key: String) -> String? {
        guard isValidKey(key) else { return nil }
        let input = Array((key + guid).utf8)
        var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
        SHA1(input, input.count, &digest)
        return base64(digest.span)
    }

    /// The value of `Sec-WebSocket-Key` that a client makes of 16 random bytes.
    public static func key(random: Span<UInt8>) -> String {
        precondition(random.count == 16, "a key is 16 bytes")
        return base64(random)
    }

    private static func base64(_ bytes: Span<UInt8>) -> String {
        var encoded: [UInt8] = []
        Base64.encode(bytes, into: &encoded)
        return String(decoding: encoded, as: UTF8.self)
    }

    /// 16 bytes are 22 characters of base64 and two of padding, and nothing else decodes to 16.
    private static func isValidKey(_ key: String) -> Bool {
        let utf8 = key.utf8
        return utf8.count == 24 && key.hasSuffix("==") && utf8.dropLast(2).allSatisfy(isBase64)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default:
            false
        }
    }
}
