import Testing
import Wire

struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `the examples of RFC 4648 come out in both directions`(plain: String, text: String) {
        var encoded: [UInt8] = []
        Base64.encode(Array(plain.utf8).span, into: &encoded)
        #expect(encoded == Array(text.utf8))
        #expect(decoded(encoded) == Array(plain.utf8))
    }

    private func decoded(_ text: [UInt8], paddingOptional: Bool = false) -> [UInt8]? {
        Base64.decode(text.span, paddingOptional: paddingOptional)
    }

    private func decoded(_ text: String, paddingOptional: Bool = false) -> [UInt8]? {
        decoded(Array(text.utf8), paddingOptional: paddingOptional)
    }

    @Test func `every byte value in every position survives the round trip, behind what was there`() {
        for count in 0..<8 {
            for value in UInt8.min...UInt8.max {
                let bytes = (0..<count).map { value &+ UInt8($0) &* 37 }
                var text = Array("b".utf8)
                Base64.encode(bytes.span, into: &text)
                #expect(text.count == 1 + Base64.encodedCount(count))
                #expect(decoded(Array(text.dropFirst())) == bytes)
            }
        }
    }

    @Test(arguments: [
        "=", "==", "====", "Z", "Zg", "Zg=", "Zg===", "Zm9vY", "Zm9v====", "Zm9v=", "Z===", "Zh==", "Zm9=", "Zg==Zg==",
        "Zm 9v", "Zm9v\n", "Zm-_", "Zm9\u{e9}", "=Zm9", "Z=g=", "Zm9v\0",
    ])
    func `text that no encoder writes is refused`(text: String) {
        #expect(decoded(text) == nil)
    }

    @Test func `padding may be left out where that is asked for, and is still checked where it stands`() {
        #expect(decoded("Zg", paddingOptional: true) == Array("f".utf8))
        #expect(decoded("Zm8", paddingOptional: true) == Array("fo".utf8))
        #expect(decoded("Zm8=", paddingOptional: true) == Array("fo".utf8))
        #expect(decoded("Zg=", paddingOptional: true) == nil)
        #expect(decoded("Zm9vY", paddingOptional: true) == nil)
    }
}

struct DecimalIntegerTests {
    private func parsed(_ text: String, _ range: Range<Int>? = nil) -> Int? {
        let bytes = Array(text.utf8)
        return DecimalInteger.parse(bytes.span, range ?? 0..<bytes.count)
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 12_345_678, -1, -10, Int.max, Int.min])
    func `a number is appended as Swift prints it`(value: Int) {
        var bytes = Array("x".utf8)
        DecimalInteger.append(value, to: &bytes)
        #expect(bytes == Array("x\(value)".utf8))
    }

    @Test func `digits are read up to the largest integer`() {
        #expect(parsed("0") == 0)
        #expect(parsed("0042") == 42)
        #expect(parsed("9223372036854775807") == Int.max)
        #expect(parsed("a17b", 1..<3) == 17)
    }

    @Test(arguments: ["", "-1", "+1", " 1", "1 ", "1,2", "0x1", "1e3", "9223372036854775808", "99999999999999999999"])
    func `anything else is refused`(text: String) {
        #expect(parsed(text) == nil)
    }
}

struct PercentDecodingTests {
    private func decode(_ text: String, plusIsSpace: Bool = false) -> String? {
        let bytes = Array(text.utf8)
        return PercentDecoding.decodeText(bytes.span, 0..<bytes.count, plusIsSpace: plusIsSpace)
    }

    @Test func `escapes of either case are decoded, a plus only where it means a space`() {
        #expect(decode("a%20b%2Fc%2f") == "a b/c/")
        #expect(decode("%C3%A9") == "é")
        #expect(decode("a+b") == "a+b")
        #expect(decode("a+b%2B", plusIsSpace: true) == "a b+")
    }

    @Test(arguments: ["%", "%2", "%zz", "%2g", "a%", "%%20", "%C3", "%FF"])
    func `a broken escape or broken UTF-8 gives nothing`(text: String) {
        #expect(decode(text) == nil)
    }
}

struct ASCIITests {
    private func equal(_ text: String, _ range: Range<Int>, _ word: StaticString) -> Bool {
        ASCII.equalsIgnoringCase(Array(text.utf8).span, range, word)
    }

    @Test func `case is folded for letters only`() {
        let text = "Keep-Alive@[`{"
        #expect(equal(text, 0..<10, "kEEP-aLIVE"))
        #expect(!equal(text, 10..<11, "`"))
        #expect(!equal(text, 11..<12, "{"))
        #expect(!equal(text, 0..<9, "keep-alive"))
        #expect(equal("", 0..<0, ""))
    }

    @Test func `hexadecimal digits are told from all other bytes`() {
        for byte in UInt8.min...UInt8.max {
            let expected = byte < 0x80 ? Character(UnicodeScalar(byte)).hexDigitValue : nil
            #expect(ASCII.hexValue(byte).map(Int.init) == expected)
        }
    }
}
