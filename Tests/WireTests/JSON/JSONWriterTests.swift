import Testing
import Wire

@Suite struct JSONWriterTests {
    @Test func piecesAreJoinedWithCommasAndColons() {
        let text = written { json in
            json.beginObject()
            json.member("s", "a")
            json.member("i", -7)
            json.member("d", 12.5)
            json.member("b", true)
            json.member("r", raw: Array("[0]".utf8).span)
            json.key("a")
            json.beginArray()
            json.null()
            json.bool(false)
            json.beginArray()
            json.endArray()
            json.beginObject()
            json.endObject()
            json.int(.min)
            json.endArray()
            json.member("z", 0)
            json.endObject()
        }
        #expect(
            text == #"{"s":"a","i":-7,"d":12.5,"b":true,"r":[0],"a":[null,false,[],{},-9223372036854775808],"z":0}"#)
    }

    @Test func whatIsAlreadyThereStays() {
        var packet = Array("42".utf8)
        JSONWriter.write(into: &packet) { $0.string("a") }
        #expect(String(decoding: packet, as: UTF8.self) == "42\"a\"")
    }

    @Test func theBytesComeBackWhenWritingIsGivenUp() {
        struct GivenUp: Error {}
        var packet = Array("42".utf8)
        #expect(throws: GivenUp.self) {
            try JSONWriter.write(into: &packet) { _ throws(GivenUp) in throw GivenUp() }
        }
        #expect(packet == Array("42".utf8))
    }

    @Test func onlyWhatMustBeIsEscaped() {
        #expect(
            written { $0.string("\"\\/\u{8}\t\n\u{c}\r\u{0}\u{1f}\u{7f}") }
                == "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}\"")
        #expect(written { $0.string("é\u{2028}\u{2029}😀 plain") } == "\"é\u{2028}\u{2029}😀 plain\"")
    }

    @Test func everyCharacterComesBackAsItWas() throws {
        for start in stride(from: UInt32(0), to: 0x11_0000, by: 0x800) {
            let value = String(String.UnicodeScalarView((start..<start + 0x800).compactMap(Unicode.Scalar.init)))
            let text = bytes { $0.string(value) }
            #expect(try JSON.validate(text.span).string(in: text.span) == value)
        }
    }

    @Test(arguments: JSONGrammarTests.notUTF8) func bytesThatAreNotUTF8AreReplaced(_ value: [UInt8]) throws {
        let text = bytes { $0.string(utf8: value.span) }
        let read = try JSON.validate(text.span).string(in: text.span)
        #expect(read?.contains("\u{fffd}") == true)
    }

    @Test(arguments: [
        (0.0, "0"), (-0.0, "-0"), (1, "1"), (-3, "-3"), (12.5, "12.5"), (0.1, "0.1"), (1e15, "1000000000000000"),
        (9_007_199_254_740_991, "9007199254740991"), (1e16, "1e+16"), (1e300, "1e+300"),
        (.leastNonzeroMagnitude, "5e-324"),
        (0.30000000000000004, "0.30000000000000004"), (1e-5, "1e-05"), (9_007_199_254_740_994, "9.007199254740994e+15"),
    ])
    func doublesAreWrittenShort(_ value: Double, _ text: String) {
        #expect(written { $0.double(value) } == text)
    }

    @Test(arguments: [UInt64(1), 2]) func doublesComeBackBitForBit(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let text = bytes { $0.double(value) }
            let read = try JSON.validate(text.span).double(in: text.span)
            if read?.bitPattern != value.bitPattern { Issue.record("\(value)") }
        }
    }

    @Test(arguments: [0, 1, -1, 9, 10, -10, 12_345, .max, .min]) func integersComeBack(_ value: Int) throws {
        let text = bytes { $0.int(value) }
        #expect(String(decoding: text, as: UTF8.self) == String(value))
        #expect(try JSON.validate(text.span).int(in: text.span) == value)
    }

    /// Random values, written and read again.
    @Test(arguments: [UInt64(7), 8, 9]) func whatIsWrittenIsValid(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let text = bytes { writeRandom(&$0, depth: 0, &random) }
            try JSON.validate(text.span)
            #expect(ReferenceValidator.accepts(text))
        }
    }

    @Test func infiniteNumbersStopTheProgram() async {
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = []
            JSONWriter.write(into: &bytes) { $0.double(.infinity) }
        }
    }

    @Test func aMemberWithoutAKeyStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = []
            JSONWriter.write(into: &bytes) {
                $0.beginObject()
                $0.int(1)
                $0.endObject()
            }
        }
    }

    @Test func anOpenBracketStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = []
            JSONWriter.write(into: &bytes) { $0.beginArray() }
        }
    }

    private func writeRandom(_ json: inout JSONWriter, depth: Int, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<(depth < 5 ? 8 : 5), using: &random) {
        case 0: json.null()
        case 1: json.bool(.random(using: &random))
        case 2: json.int(.random(in: .min ... .max, using: &random))
        case 3: json.double(.random(in: -1e9...1e9, using: &random))
        case 4: json.string(randomString(&random))
        case 5, 6:
            json.beginObject()
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                json.key(randomString(&random))
                writeRandom(&json, depth: depth + 1, &random)
            }
            json.endObject()
        default:
            json.beginArray()
            for _ in 0..<Int.random(in: 0...4, using: &random) { writeRandom(&json, depth: depth + 1, &random) }
            json.endArray()
        }
    }

    private func randomString(_ random: inout SeededGenerator) -> String {
        let length = Int.random(in: 0...20, using: &random)
        let scalars = (0..<length).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0x7f : 0x10ffff), using: &random))
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private func bytes(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes, body)
        return bytes
    }

    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        String(decoding: bytes(body), as: UTF8.self)
    }
}
