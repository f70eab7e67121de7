import Wire

/// Base64 with the alphabet for URLs and without padding (RFC 7515).
package enum Base64URL {
    /// Nil for anything that `encode` would not write.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count)
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            case let other: plain.append(other)
            }
        }
        return Base64.decode(plain.span, paddingOptional: true)
    }

    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        let start = output.count
        Base64.encode(bytes, into: &output)
        while output.count > start, output.last == UInt8(ascii: "=") { output.removeLast() }
        for index in start..<output.count {
            switch output[index] {
            case UInt8(ascii: "+"): output[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): output[index] = UInt8(ascii: "_")
            default: break
            }
        }
    }

    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
