/// Which bytes may stand where (RFC 9110, 9112), for reading and for writing.
enum HTTPSyntax {
    /// A byte of a token, as method and header names are made of: letters, digits and ``!#$%&'*+-.^_`|~``.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        // One bit per byte value below 128; two constants cost no look-up and no initialization.
        let mask: UInt64 = byte < 64 ? 0x03ff_6cfa_0000_0000 : 0x57ff_ffff_c7ff_fffe
        return byte < 128 && mask >> UInt64(byte & 63) & 1 == 1
    }

    /// A byte of a header value: visible, space, tab, or opaque from 0x80 on. No other control byte.
    @inline(__always)
    static func isValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7f || byte == ASCII.tab }

    /// Whether all bytes may stand in a header value. Looks at eight bytes at a time, and closer only where one of
    /// them is a control byte, which a tab is too.
    static func isValue(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        bytes.extracting(range).withUnsafeBytes { bytes in
            var index = 0
            while index + 8 <= bytes.count {
                let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if hasControl(word), !bytes[index..<index + 8].allSatisfy(isValue) { return false }
                index += 8
            }
            return bytes[index...].allSatisfy(isValue)
        }
    }

    /// Whether any of the eight bytes is below 0x20 or is 0x7f. Subtracting from each byte borrows from its top bit;
    /// bytes that had that bit set before do not count.
    @inline(__always)
    private static func hasControl(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let differsFromDelete = word ^ (ones &* 0x7f)
        let below = (word &- ones &* 0x20) & ~word
        let deletes = (differsFromDelete &- ones) & ~differsFromDelete
        return (below | deletes) & (ones &* 0x80) != 0
    }

    /// A byte of a request target: visible ASCII. What is beyond that must be percent-encoded.
    @inline(__always)
    static func isTarget(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "#") }

    /// A byte of an authority without user information: a registered name or an address, and a port. The comma,
    /// though the grammar has it, would only ever be two joined headers.
    @inline(__always)
    static func isAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: ":"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    static func isAuthority(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard !range.isEmpty, bytes[range.lowerBound] != UInt8(ascii: ":") else { return false }
        for index in range where !isAuthority(bytes[index]) { return false }
        return true
    }

    /// Splits a header line, given without its line end, into name and trimmed value.
    static func splitField(
        _ bytes: Span<UInt8>, _ line: Range<Int>
    ) throws(HTTPParseError) -> (name: Range<Int>, value: Range<Int>) {
        var index = line.lowerBound
        while index < line.upperBound, isToken(bytes[index]) { index += 1 }
        guard index < line.upperBound, bytes[index] == UInt8(ascii: ":"), index > line.lowerBound else {
            throw badName(bytes, line, stoppedAt: index)
        }
        let name = line.lowerBound..<index
        let value = ASCII.trimmed(bytes, index + 1..<line.upperBound)
        guard isValue(bytes, value) else { throw badValue(bytes, value) }
        return (name, value)
    }

    private static func badName(_ bytes: Span<UInt8>, _ line: Range<Int>, stoppedAt index: Int) -> HTTPParseError {
        guard index < line.upperBound else { return .badRequest("A header line has no colon.") }
        if ASCII.isBlank(bytes[index]) {
            return .badRequest(
                index == line.lowerBound
                    ? "A header line begins with a blank; folded headers are not accepted."
                    : "Whitespace stands between a header's name and its colon.")
        }
        return .badRequest(
            bytes[index] == UInt8(ascii: ":")
                ? "A header line has no name." : "A header's name contains a byte that no token may have.")
    }

    private static func badValue(_ bytes: Span<UInt8>, _ value: Range<Int>) -> HTTPParseError {
        for index in value where bytes[index] == ASCII.carriageReturn {
            return .badRequest("A carriage return stands without its line feed.")
        }
        return .badRequest("A header's value contains a control byte.")
    }
}
