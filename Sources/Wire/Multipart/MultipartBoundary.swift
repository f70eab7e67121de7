/// What separates the parts of a multipart body (RFC 2046, section 5.1.1).
public struct MultipartBoundary: Equatable, Sendable {
    public static let bytesMax = 70

    let bytes: [UInt8]

    /// Nil unless the text is one to seventy of the characters that a boundary may have, the last of them no space.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard (1...Self.bytesMax).contains(bytes.count), bytes.last != ASCII.space else { return nil }
        guard bytes.allSatisfy(Self.isAllowed) else { return nil }
        self.bytes = bytes
    }

    /// The boundary that the `Content-Type` of a form names; nil for every other type.
    public init?(contentType: String) {
        guard let type = HeaderParameters(contentType), type.value == "multipart/form-data" else { return nil }
        guard let text = type["boundary"] else { return nil }
        self.init(text)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        case UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "+"), UInt8(ascii: "_"),
            UInt8(ascii: ","), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"),
            UInt8(ascii: "="), UInt8(ascii: "?"), ASCII.space:
            true
        default: false
        }
    }
}
