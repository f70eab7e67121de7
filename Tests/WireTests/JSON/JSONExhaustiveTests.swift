import Testing
import Wire

/// The scanner and a plainly written validator give the same verdict.
@Suite struct JSONExhaustiveTests {
    static let alphabet = Array("{}[],:\"0-1.eE tn\\".utf8)

    @Test func allTextsOfUpToFourBytes() {
        var verdicts = (same: 0, accepted: 0)
        for length in 0...4 {
            var text = [UInt8](repeating: 0, count: length)
            visit(&text, at: 0) { text in
                let accepted = Self.accepts(text)
                if accepted { verdicts.accepted += 1 }
                if accepted == ReferenceValidator.accepts(text) {
                    verdicts.same += 1
                } else {
                    Issue.record("different verdict on \(String(decoding: text, as: UTF8.self))")
                }
            }
        }
        #expect(verdicts.same == 1 + 17 + 289 + 4913 + 83521)
        #expect(verdicts.accepted == 483)
    }

    @Test func allSingleBytesInsideAStringAndOutside() {
        for byte in UInt8.min...UInt8.max {
            for text in [[byte], [0x22, byte, 0x22], [0x5b, byte, 0x5d], [0x22, 0x5c, byte, 0x22], [0x31, byte]] {
                #expect(Self.accepts(text) == ReferenceValidator.accepts(text), "\(text)")
            }
        }
    }

    @Test func allPairsOfBytesInsideAString() {
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max where first >= 0x80 || second >= 0x80 || first < 0x20 {
                let text = [0x22, first, second, 0x61, 0x61, 0x22]
                if Self.accepts(text) != ReferenceValidator.accepts(text) { Issue.record("\(text)") }
            }
        }
    }

    /// Valid texts with one to three bytes changed, removed or doubled: what lies near the border of the grammar.
    @Test(arguments: [UInt64(1), 2, 3, 4]) func damagedTexts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var accepted = 0
        for _ in 0..<5_000 {
            var text = Array(samples[Int.random(in: 0..<samples.count, using: &random)].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: 0..<text.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[index] = Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &random)]
                case 1: text[index] = UInt8.random(in: .min ... .max, using: &random)
                case 2: text.insert(text[index], at: index)
                default: text.remove(at: index)
                }
            }
            let verdict = Self.accepts(text)
            if verdict { accepted += 1 }
            if verdict != ReferenceValidator.accepts(text) { Issue.record("seed \(seed): \(text)") }
        }
        #expect(accepted > 700)
    }

    /// Where a word of eight bytes begins and ends must make no difference.
    @Test func everyPositionOfASpecialByteInStringsOfEveryLength() {
        for length in 0..<40 {
            for position in 0..<length {
                for byte in [0x22, 0x5c, 0x1f, 0x20, 0x7f, 0x80, 0xa2, 0xdc, 0xff] as [UInt8] {
                    var text = [0x22] + [UInt8](repeating: 0x61, count: length) + [0x22]
                    text[position + 1] = byte
                    if Self.accepts(text) != ReferenceValidator.accepts(text) { Issue.record("\(text)") }
                }
            }
        }
    }

    private let samples = [
        #"{"roomId":"r1","x":12.5,"y":3,"elementId":"e"}"#,
        #"["element:create",{"roomId":"0b5ff3de","positionX":-12.5e-3,"content":"a\n\"b\" \u00e9\ud83d\ude00 é日本😀"}]"#,
        #"[null,true,false,0,-0.0,1E+2,[[],{}],{"a":{"b":[1,2,3]},"":""}]"#,
    ]

    private static func accepts(_ text: [UInt8]) -> Bool {
        (try? JSON.validate(text.span)) != nil
    }

    private func visit(_ text: inout [UInt8], at index: Int, _ body: ([UInt8]) -> Void) {
        guard index < text.count else { return body(text) }
        for byte in Self.alphabet {
            text[index] = byte
            visit(&text, at: index + 1, body)
        }
    }
}
