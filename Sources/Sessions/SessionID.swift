import Wire

/// The id of a session. It cannot be guessed, and names the session's node and shard.
///
/// It has 120 bits: six for the node, eight for the shard, the others are random. As text it has twenty characters of
/// base64url, so the first character is the node.
public struct SessionID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    private static let nodeShift: UInt64 = 50
    private static let shardShift: UInt64 = 42

    /// - Parameter node: the number of the server in its cluster, up to 63; 0 for a server of its own.
    public init(node: Int = 0, shard: Int) {
        var generator = SystemRandomNumberGenerator()
        self.init(node: node, shard: shard, using: &generator)
    }

    public init(node: Int = 0, shard: Int, using generator: inout some RandomNumberGenerator) {
        high =
            UInt64(node & 0x3f) << Self.nodeShift | UInt64(shard & 0xff) << Self.shardShift
            | generator.next() & (1 << Self.shardShift - 1)
        low = generator.next()
    }

    public init?(_ text: String) {
        let characters = text.utf8
        guard characters.count == 20 else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for character in characters {
            guard let value = Self.value(of: character) else { return nil }
            high = high << 6 | low >> 58
            low = low << 6 | value
        }
        self.high = high
        self.low = low
    }

    /// The first character of the text names it.
    public var node: Int { Int(high >> Self.nodeShift) }
    public var shard: Int { Int(high >> Self.shardShift & 0xff) }

    public var description: String {
        var text = ""
        text.reserveCapacity(20)
        for index in stride(from: 19, through: 0, by: -1) {
            let shift = UInt64(index * 6)
            let bits = shift >= 64 ? high >> (shift - 64) : low >> shift | (shift > 58 ? high << (64 - shift) : 0)
            text.unicodeScalars.append(Unicode.Scalar(Self.alphabet[Int(bits & 63)]))
        }
        return text
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func value(of character: UInt8) -> UInt64? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt64(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt64(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
