/// Bytes as pairs of hexadecimal digits.
package enum Hex {
    /// In small letters.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Nil for other text than pairs of digits, of either case.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map { ASCII.hexValue($0) }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The first 16 bytes in the form of a UUID of version 4, which keeps 122 of their bits.
    package static func uuid(_ bytes: [UInt8]) -> String {
        var bytes = Array((bytes + [UInt8](repeating: 0, count: 16)).prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { text(bytes[$0]) }.joined(separator: "-")
    }
}
