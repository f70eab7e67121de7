import Foundation
import Testing
import Wire

/// What is accepted and what is refused, case by case.
@Suite struct JSONGrammarTests {
    static let accepted: [String] = [
        // Any value may stand alone.
        "null", "true", "false", "0", "\"\"", "[]", "{}", "\"a\"", "-1", "1.5",
        // White space.
        " null", "null ", "\t\r\n null \n", "[ ]", "{ }", "[ 1 , 2 ]", "{ \"a\" : 1 , \"b\" : 2 }", "\n[\n1\n,\n2\n]\n",
        "                    1                    ",
        // Numbers.
        "-0", "0.0", "-0.0", "10", "123456789", "1234567890123456789012345678901234567890", "0.1", "1e5", "1E5",
        "1e+5", "1e-5", "1E+05", "0e0", "0e999", "-0e-999", "0.0e400", "1e308", "1.7976931348623157e308",
        "1e-400", "4.9e-324", "0.00000000000000000000000000000000001e340", "123e-310", "[1,-1,0]",
        "1e0000000000000000000000000001", "0.\(String(repeating: "0", count: 400))1e600",
        "1\(String(repeating: "0", count: 308))", "1\(String(repeating: "0", count: 400))e-100",
        "0e99999999999999999999999999999999", "1e-99999999999999999999999999999999",
        "0.1234567890123456789", "12345678", "1234567.8", "123456789.12345678",
        // Strings.
        #""\"\\\/\b\f\n\r\t""#, #""\u0041""#, #""\u0000""#, #""\uD83D\uDE00""#, #""\ud83d\ude00""#, #""\ud800\udc00""#,
        #""\udbff\udfff""#, #""\uE000""#, #""\ud7ff""#, #""\uFFFF""#, "\"\u{7f}\"", "\"é\"", "\"日本語\"", "\"😀\"",
        "\"\u{2028}\u{2029}\"", "\"\u{fffe}\u{ffff}\"", "\"\u{10ffff}\"", "\"\u{80}\"", "\"\u{7ff}\"", "\"\u{800}\"",
        "\"\u{d7ff}\"", "\"\u{e000}\"", "\"\u{ffff}\"", "\"\u{10000}\"", "\"//\"", "\"'\"", "\"[1,2]\"",
        "\"{\\\"a\\\":1}\"",
        "\"1234567\"", "\"12345678\"", "\"123456789\"", "\"a b c d e f g h i j k l m n o p\"",
        // Arrays and objects.
        "[1]", "[[]]", "[{}]", "[[],[]]", "[null,true,false]", "[[[[[[]]]]]]", "{\"\":0}", "{\"a\":{}}", "{\"a\":[]}",
        "{\"a\":{\"b\":{\"c\":[1,{\"d\":null}]}}}", "{\"a\":1,\"a\":2}", "[1,[2,[3]],4]", "[{\"a\":1},{\"a\":2}]",
        "{\"\\u0061\":1}", "{\"é\":1}", "[\"a\",[\"b\",{\"c\":\"d\"}],\"e\"]", "[true]", "[false]", "{\"t\":true}",
    ]

    static let refused: [(String, JSONError.Kind, Int)] = [
        // Nothing, or not everything.
        ("", .unexpectedEnd, 0), (" ", .unexpectedEnd, 1), ("\n\t", .unexpectedEnd, 2), ("[", .unexpectedEnd, 1),
        ("{", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("{\"a\"", .unexpectedEnd, 4),
        ("{\"a\":", .unexpectedEnd, 5), ("{\"a\":1", .unexpectedEnd, 6), ("{\"a\":1,", .unexpectedEnd, 7),
        ("\"", .unexpectedEnd, 1), ("\"abc", .unexpectedEnd, 4), ("\"abcdefgh", .unexpectedEnd, 9),
        ("\"\\", .unexpectedEnd, 2), ("\"\\u", .unexpectedEnd, 3), ("\"\\u00", .unexpectedEnd, 5),
        ("-", .unexpectedEnd, 1), ("1.", .unexpectedEnd, 2), ("1e", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
        ("[[[[", .unexpectedEnd, 4), ("[{\"a\":[", .unexpectedEnd, 7),
        // Something after the end.
        ("null null", .trailingBytes, 5), ("1 2", .trailingBytes, 2), ("[]]", .trailingBytes, 2),
        ("{}}", .trailingBytes, 2), ("\"a\"b", .trailingBytes, 3), ("[],", .trailingBytes, 2),
        ("01", .trailingBytes, 1),
        ("-01", .trailingBytes, 2), ("00", .trailingBytes, 1), ("0x1", .trailingBytes, 1), ("1a", .trailingBytes, 1),
        ("1\u{0}", .trailingBytes, 1), ("[]\u{0}", .trailingBytes, 2), ("truee", .trailingBytes, 4),
        ("nullx", .trailingBytes, 4), ("1.5.5", .trailingBytes, 3), ("1e5.5", .trailingBytes, 3),
        ("1_000", .trailingBytes, 1), ("1\u{a0}", .trailingBytes, 1), ("1\u{c}", .trailingBytes, 1),
        ("1\u{b}", .trailingBytes, 1), ("[] // no", .trailingBytes, 3),
        // No value.
        ("a", .expectedValue, 0), ("'a'", .expectedValue, 0), ("nul", .expectedValue, 0), ("tru", .expectedValue, 0),
        ("fals", .expectedValue, 0), ("True", .expectedValue, 0), ("NULL", .expectedValue, 0),
        ("nulL", .expectedValue, 0), ("NaN", .expectedValue, 0), ("Infinity", .expectedValue, 0),
        ("undefined", .expectedValue, 0), ("]", .expectedValue, 0), ("}", .expectedValue, 0), (",", .expectedValue, 0),
        (":", .expectedValue, 0), ("+1", .expectedValue, 0), (".5", .expectedValue, 0), ("[,]", .expectedValue, 1),
        ("[,1]", .expectedValue, 1), ("[1,]", .expectedValue, 3), ("[1,,2]", .expectedValue, 3),
        ("{\"a\":}", .expectedValue, 5), ("{\"a\":,}", .expectedValue, 5), ("[a]", .expectedValue, 1),
        ("\u{feff}1", .expectedValue, 0), ("\u{0}", .expectedValue, 0), ("[\u{0}]", .expectedValue, 1),
        ("/**/1", .expectedValue, 0), ("\\", .expectedValue, 0), ("[1,}", .expectedValue, 3), ("é", .expectedValue, 0),
        // No key, no colon, no comma.
        ("{1:2}", .expectedKey, 1), ("{a:1}", .expectedKey, 1), ("{,}", .expectedKey, 1),
        ("{\"a\":1,}", .expectedKey, 7),
        ("{[]:1}", .expectedKey, 1), ("{null:1}", .expectedKey, 1), ("{'a':1}", .expectedKey, 1),
        ("{]", .expectedKey, 1),
        ("{:1}", .expectedKey, 1), ("{\"a\":1,,\"b\":2}", .expectedKey, 7), ("{\"a\":1,1}", .expectedKey, 7),
        ("{\"a\"}", .expectedColon, 4), ("{\"a\" 1}", .expectedColon, 5), ("{\"a\",1}", .expectedColon, 4),
        ("{\"a\"=1}", .expectedColon, 4), ("{\"a\"::1}", .expectedValue, 5),
        ("[1 2]", .expectedCommaOrEnd, 3), ("[1}", .expectedCommaOrEnd, 2), ("{\"a\":1]", .expectedCommaOrEnd, 6),
        ("[1;2]", .expectedCommaOrEnd, 2), ("{\"a\":1 \"b\":2}", .expectedCommaOrEnd, 7),
        ("[1:2]", .expectedCommaOrEnd, 2),
        ("[[]", .unexpectedEnd, 3), ("[{]", .expectedKey, 2), ("[\"a\"\"b\"]", .expectedCommaOrEnd, 4),
        ("[true false]", .expectedCommaOrEnd, 6), ("[01]", .expectedCommaOrEnd, 2),
        ("[1\u{0}]", .expectedCommaOrEnd, 2),
        // Numbers.
        ("-a", .invalidNumber, 1), ("--1", .invalidNumber, 1), ("-.5", .invalidNumber, 1), ("1.a", .invalidNumber, 2),
        ("1.e5", .invalidNumber, 2), ("1e5e", .trailingBytes, 3), ("1ea", .invalidNumber, 2),
        ("1e+-1", .invalidNumber, 3),
        ("[-]", .invalidNumber, 2), ("[1.]", .invalidNumber, 3), ("[1e]", .invalidNumber, 3),
        ("-Infinity", .invalidNumber, 1),
        ("-NaN", .invalidNumber, 1), ("0.-1", .invalidNumber, 2), ("1e1e1", .trailingBytes, 3),
        ("1e309", .numberTooLarge, 0), ("-1e309", .numberTooLarge, 0), ("1e400", .numberTooLarge, 0),
        ("1.7976931348623159e308", .numberTooLarge, 0), ("0.1e310", .numberTooLarge, 0),
        ("[1e999]", .numberTooLarge, 1),
        ("1e99999999999999999999999999999999", .numberTooLarge, 0), ("17976931348623159e292", .numberTooLarge, 0),
        ("1\(String(repeating: "0", count: 309))", .numberTooLarge, 0),
        ("0.\(String(repeating: "0", count: 400))1e710", .numberTooLarge, 0),
        ("1\(String(repeating: "0", count: 309)).5", .numberTooLarge, 0),
        // Strings.
        ("\"\n\"", .controlCharacter, 1), ("\"a\tb\"", .controlCharacter, 2), ("\"\u{0}\"", .controlCharacter, 1),
        ("\"\u{1f}\"", .controlCharacter, 1), ("\"12345678\r\"", .controlCharacter, 9),
        ("{\"\n\":1}", .controlCharacter, 2),
        (#""\a""#, .invalidEscape, 2), (#""\'""#, .invalidEscape, 2), (#""\x41""#, .invalidEscape, 2),
        (#""\0""#, .invalidEscape, 2), (#""\U0041""#, .invalidEscape, 2), (#""\u004""#, .invalidEscape, 6),
        (#""\u00g0""#, .invalidEscape, 5), (#""\u 041""#, .invalidEscape, 3), (#""\u-041""#, .invalidEscape, 3),
        ("\"\\\n\"", .invalidEscape, 2), ("\"\\é\"", .invalidEscape, 2), (#""\uD83D\uDE0""#, .invalidEscape, 12),
        (#""\uD83D""#, .loneSurrogate, 1), (#""\uDE00""#, .loneSurrogate, 1), (#""\uD83Dx""#, .loneSurrogate, 1),
        (#""\uD83D\n""#, .loneSurrogate, 1), (#""\uD83D\uD83D""#, .loneSurrogate, 1),
        (#""\uD83D\u0041""#, .loneSurrogate, 1), (#""\uDE00\uD83D""#, .loneSurrogate, 1),
        (#""a\uDBFF""#, .loneSurrogate, 2), (#"{"\uD800":1}"#, .loneSurrogate, 2),
    ]

    /// Bytes that are not UTF-8, each put into a string.
    static let notUTF8: [[UInt8]] = [
        [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc2], [0xc2, 0x41], [0xe0, 0x80, 0x80], [0xe0, 0x9f, 0xbf],
        [0xe1, 0x80], [0xe1, 0x80, 0x41], [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf], [0xf0, 0x80, 0x80, 0x80],
        [0xf0, 0x8f, 0xbf, 0xbf], [0xf1, 0x80, 0x80], [0xf1, 0x80, 0x80, 0x41], [0xf4, 0x90, 0x80, 0x80],
        [0xf5, 0x80, 0x80, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80], [0xfe], [0xff], [0xc3, 0xa9, 0xff],
    ]

    @Test(arguments: accepted) func accepts(_ text: String) throws {
        try JSON.validate(Array(text.utf8).span)
        #expect(ReferenceValidator.accepts(Array(text.utf8)))
    }

    @Test(arguments: refused) func refuses(_ text: String, _ kind: JSONError.Kind, _ offset: Int) {
        #expect(throws: JSONError(kind, at: offset)) { try JSON.validate(Array(text.utf8).span) }
        #expect(!ReferenceValidator.accepts(Array(text.utf8)))
    }

    @Test(arguments: notUTF8, [0, 1, 7, 8, 20]) func refusesTextThatIsNotUTF8(_ bytes: [UInt8], padding: Int) {
        let spaces = [UInt8](repeating: 0x61, count: padding)
        let text = [0x22] + spaces + bytes + spaces + [0x22]
        #expect { try JSON.validate(text.span) } throws: { ($0 as? JSONError)?.kind == .invalidUTF8 }
        let object = [0x7b] + text + Array(":1}".utf8)
        #expect { try JSON.validate(object.span) } throws: { ($0 as? JSONError)?.kind == .invalidUTF8 }
        #expect(throws: JSONError(.expectedValue, at: 0)) { try JSON.validate(bytes.span) }
    }

    @Test func everyUnicodeCharacterIsAccepted() throws {
        var text: [UInt8] = [0x22]
        for scalar in (UInt32(0x20)...0x10ffff).compactMap(Unicode.Scalar.init)
        where !"\"\\".unicodeScalars.contains(scalar) {
            text += Array(UTF8.encode(scalar) ?? .init())
        }
        text.append(0x22)
        let field = try JSON.validate(text.span)
        #expect(field.content == 1..<text.count - 1)
    }

    @Test func foundationAgreesOnWhatIsAccepted() {
        // A second judge where it is as strict; it knows no limit for numbers that underflow and the like.
        for text in Self.accepted where !text.contains("999") {
            #expect(throws: Never.self, "\(text)") {
                try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            }
        }
    }

    @Test func errorsReadAsSentences() {
        for kind in (0..<15).compactMap(JSONError.Kind.init) {
            let sentence = "\(JSONError(kind, at: 17))"
            #expect(sentence.hasSuffix(" at byte 17") && sentence.first?.isUppercase == true)
        }
    }

    // MARK: - Depth

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"]) func nestingIsBounded(_ opening: String) {
        let closing = opening == "[" ? "]" : opening.hasPrefix("{") ? "}" : "}]"
        let perTurn = closing.utf8.count
        func text(_ depth: Int) -> [UInt8] {
            let turns = depth / perTurn
            let open = String(repeating: opening, count: turns)
            return Array((open + "1" + String(repeating: closing, count: turns)).utf8)
        }
        #expect(throws: Never.self) { try JSON.validate(text(64).span) }
        #expect { try JSON.validate(text(66).span) } throws: { ($0 as? JSONError)?.kind == .tooDeep }
        #expect(throws: Never.self) { try JSON.validate(text(8).span, limits: JSONLimits(depthMax: 8)) }
        #expect { try JSON.validate(text(10).span, limits: JSONLimits(depthMax: 8)) } throws: {
            ($0 as? JSONError)?.kind == .tooDeep
        }
    }

    @Test func aMillionOpenBracketsAreRefusedAtOnce() {
        let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: JSONError(.tooDeep, at: 64)) { try JSON.validate(bomb.span) }
    }

    @Test func manyEmptyBracketsSideBySideAreNotDeep() throws {
        let text = Array(("[" + String(repeating: "[],{},", count: 10_000) + "[]]").utf8)
        try JSON.validate(text.span, limits: JSONLimits(depthMax: 2))
    }

    @Test func withKnownEncodingOnlyTheGrammarIsChecked() throws {
        let known = JSONLimits(encoding: .validUTF8)
        for text in Self.accepted { try JSON.validate(Array(text.utf8).span, limits: known) }
        for (text, kind, offset) in Self.refused {
            #expect(throws: JSONError(kind, at: offset)) { try JSON.validate(Array(text.utf8).span, limits: known) }
        }
    }
}

extension UTF8 {
    fileprivate static func encode(_ scalar: Unicode.Scalar) -> String.UTF8View? { String(scalar).utf8 }
}
