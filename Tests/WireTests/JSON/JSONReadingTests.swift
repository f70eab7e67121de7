import Testing
import Wire

@Suite struct JSONReadingTests {
    // MARK: - Numbers

    @Test(arguments: [UInt64(1), 2, 3]) func doublesAreReadBitForBit(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            try expectSameDouble(value.description)
            let coordinate = Double.random(in: -5_000...5_000, using: &random)
            try expectSameDouble(coordinate.description)
            try expectSameDouble(Double(Float(coordinate)).description)
        }
    }

    @Test(arguments: [UInt64(4), 5]) func decimalsOfAnyShapeAreReadBitForBit(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let digits = Int.random(in: 1...22, using: &random)
            var text = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
            text = String(text.drop { $0 == "0" })
            if text.isEmpty { text = "0" }
            if Bool.random(using: &random) {
                text += "." + String(random.next() >> UInt64.random(in: 0..<64, using: &random))
            }
            if Bool.random(using: &random) { text += "e" + String(Int.random(in: -30...30, using: &random)) }
            if Bool.random(using: &random) { text = "-" + text }
            try expectSameDouble(text)
        }
    }

    @Test(arguments: [
        "0", "-0", "0.0", "-0.0", "1", "9007199254740992", "9007199254740993", "9007199254740995",
        "18446744073709551615",
        "18446744073709551616", "9999999999999999999", "0.9999999999999999999", "1.0000000000000002",
        "1.00000000000000011",
        "1.00000000000000011102230246251565", "1.00000000000000011102230246251566", "2.2250738585072014e-308",
        "4.9e-324",
        "2.4703282292062327e-324", "2.4703282292062328e-324", "1e22", "1e23", "8.5e22", "1e-22", "1e-23",
        "1.7976931348623157e308", "0.000000000000000000000000000000000000001", "123456789012345678e-19", "1e-400",
        "4503599627370496.5", "4503599627370497.5", "900719925474099.25", "0.30000000000000004", "187.33332824707031",
        "100000000000000000000000000000000000000000", "0e5", "0.00000000000000000001",
    ])
    func hardNumbersAreReadBitForBit(_ text: String) throws {
        try expectSameDouble(text)
        if !text.hasPrefix("-") { try expectSameDouble("-" + text) }
    }

    private func expectSameDouble(_ text: String) throws {
        let bytes = Array(text.utf8)
        let value = try JSON.validate(bytes.span).double(in: bytes.span)
        if value?.bitPattern != Double(text)?.bitPattern {
            Issue.record("\(text) is read as \(String(describing: value))")
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("1", 1), ("-17", -17), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", 1), ("1e3", 1000), ("1.5", nil),
            ("1e-1", nil),
            ("100000000000000000000", nil), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil), ("0.0", 0),
            ("1e308", nil),
        ] as [(String, Int?)])
    func integersAreReadIfTheyFit(_ text: String, _ value: Int?) throws {
        let bytes = Array(text.utf8)
        #expect(try JSON.validate(bytes.span).int(in: bytes.span) == value)
    }

    // MARK: - Strings

    @Test(arguments: [
        (#""""#, ""), (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""\u00e9\u00E9é""#, "ééé"),
        (#""\ud83d\ude00!""#, "😀!"), (#""\u0000""#, "\u{0}"), (#""a\u2028b""#, "a\u{2028}b"), (#""日本\n語""#, "日本\n語"),
        (#""\udbff\udfff\ud800\udc00""#, "\u{10ffff}\u{10000}"),
        (#""long enough for some words\\n""#, "long enough for some words\\n"),
    ])
    func stringsAreUnescaped(_ text: String, _ value: String) throws {
        let bytes = Array(text.utf8)
        let field = try JSON.validate(bytes.span)
        #expect(field.string(in: bytes.span) == value)
        #expect(field.utf8(in: bytes.span) == Array(value.utf8))
        #expect(field.hasEscapes == text.contains("\\"))
    }

    // MARK: - Kinds

    @Test func aValueOfAnotherKindIsNil() throws {
        for text in ["null", "true", "1", "\"1\"", "[]", "{}"] {
            let bytes = Array(text.utf8)
            let field = try JSON.validate(bytes.span)
            #expect((field.bool(in: bytes.span) != nil) == (field.kind == .bool))
            #expect((field.int(in: bytes.span) != nil) == (field.kind == .number))
            #expect((field.double(in: bytes.span) != nil) == (field.kind == .number))
            #expect((field.string(in: bytes.span) != nil) == (field.kind == .string))
            #expect(field.isNull == (field.kind == .null))
        }
    }

    @Test func boolsAreRead() throws {
        #expect(try JSON.validate(Array("true".utf8).span).bool(in: Array("true".utf8).span) == true)
        #expect(try JSON.validate(Array(" false".utf8).span).bool(in: Array(" false".utf8).span) == false)
    }

    // MARK: - Reader

    @Test func theReaderWalksThroughAText() throws {
        let json = try JSONReader(
            Array(#"{"token":"t\n","rooms":{"touch":"batch"},"list":[1,[2.5],true,null],"n":1,"n":2}"#.utf8))
        #expect(json["token"]?.string == "t\n")
        #expect(json["rooms"]?["touch"]?.string == "batch")
        #expect(json["list"]?.items?.map(\.kind) == [.number, .array, .bool, .null])
        #expect(json["list"]?.items?[1].items?.first?.double == 2.5)
        #expect(json["n"]?.int == 2)
        #expect(json["none"]?["deeper"] == nil)
        #expect(json["token"]?["x"] == nil)
        #expect(json["token"]?.items == nil)
        #expect(json.members?.map(\.key) == ["token", "rooms", "list", "n", "n"])
        #expect(json["rooms"]?.json == Array(#"{"touch":"batch"}"#.utf8))
        #expect(try JSONReader(Array("{}".utf8)).members?.isEmpty == true)
    }

    @Test func theReaderRefusesWhatIsNotJSON() {
        #expect(throws: JSONError(.expectedKey, at: 1)) { try JSONReader(Array("{token:1}".utf8)) }
    }

    @Test func theReaderReachesTheDeepestValue() throws {
        var json = try JSONReader(Array((String(repeating: "[", count: 64) + String(repeating: "]", count: 64)).utf8))
        for _ in 1..<64 { json = try #require(json.items?.first) }
        #expect(json.items?.isEmpty == true)
    }
}
