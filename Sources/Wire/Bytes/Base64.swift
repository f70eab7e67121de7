/// Base64 (RFC 4648, the alphabet with `+` and `/`), as Engine.IO uses it for binary packets over polling
/// and WebSocket for its handshake key.
public enum Base64 {
    /// The exact number of bytes that `encode` appends for `count` bytes.
    public static func encodedCount(_ count: Int) -> Int { (count + 2) / 3 * 4 }

    /// Appends the padded encoding of `bytes` to `output`, growing it once.
    public static func encode(_ bytes: Span<UInt8>, into output: inout [UInt8]) {
        var write = output.count
        output.append(contentsOf: repeatElement(UInt8(ascii: "="), count: encodedCount(bytes.count)))
        let alphabet = alphabet.span
        var text = output.mutableSpan
        var read = 0
        while read + 3 <= bytes.count {
            let triple = Int(bytes[read]) << 16 | Int(bytes[read + 1]) << 8 | Int(bytes[read + 2])
            text[write] = alphabet[triple >> 18]
            text[write + 1] = alphabet[triple >> 12 & 63]
            text[write + 2] = alphabet[triple >> 6 & 63]
            text[write + 3] = alphabet[triple & 63]
            read += 3
            write += 4
        }
        // One or two bytes remain; the padding is already in place.
        guard read < bytes.count else { return }
        let hasTwo = read + 1 < bytes.count
        let rest = Int(bytes[read]) << 16 | (hasTwo ? Int(bytes[read + 1]) << 8 : 0)
        text[write] = alphabet[rest >> 18]
        text[write + 1] = alphabet[rest >> 12 & 63]
        if hasTwo { text[write + 2] = alphabet[rest >> 6 & 63] }
    }

    /// The decoded bytes, or nil for anything that `encode` would not have written: foreign characters,
    /// line breaks, wrong padding, bits set behind the last byte. With `paddingOptional` the `=` at the end
    /// may be left out, since some clients do so.
    public static func decode(_ text: Span<UInt8>, paddingOptional: Bool = false) -> [UInt8]? {
        guard let digits = digitCount(text, paddingOptional: paddingOptional) else { return nil }
        let remainder = digits & 3
        let whole = digits - remainder
        let values = values.span
        var output: [UInt8] = []
        output.reserveCapacity(digits / 4 * 3 + 2)
        // A foreign character has the value 0x80, so one look at the union of all values finds any.
        var union: UInt8 = 0
        var read = 0
        while read < whole {
            let a = values[Int(text[read])]
            let b = values[Int(text[read + 1])]
            let c = values[Int(text[read + 2])]
            let d = values[Int(text[read + 3])]
            union |= a | b | c | d
            output.append(a << 2 | b >> 4)
            output.append(b << 4 | c >> 2)
            output.append(c << 6 | d)
            read += 4
        }
        if remainder > 0 {
            let a = values[Int(text[read])]
            let b = values[Int(text[read + 1])]
            let c = remainder == 3 ? values[Int(text[read + 2])] : 0
            union |= a | b | c
            let spareBits = remainder == 3 ? c & 0x03 : b & 0x0f
            guard spareBits == 0 else { return nil }
            output.append(a << 2 | b >> 4)
            if remainder == 3 { output.append(b << 4 | c >> 2) }
        }
        return union & 0x80 == 0 ? output : nil
    }

    /// Whether the byte is of the alphabet, which the padding is not.
    public static func isDigit(_ byte: UInt8) -> Bool { values[Int(byte)] < 0x80 }

    /// How many characters stand before the padding, or nil when length and padding do not fit together.
    private static func digitCount(_ text: Span<UInt8>, paddingOptional: Bool) -> Int? {
        var digits = text.count
        while digits > 0, text.count - digits < 2, text[digits - 1] == UInt8(ascii: "=") { digits -= 1 }
        let isPadded = text.count & 3 == 0
        let isUnpadded = paddingOptional && digits == text.count
        guard isPadded || isUnpadded, digits & 3 != 1 else { return nil }
        // Padding completes a group of four; it never makes one of its own.
        return digits & 3 == 0 && digits != text.count ? nil : digits
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each character, 0x80 for those that are not of the alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0x80, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
