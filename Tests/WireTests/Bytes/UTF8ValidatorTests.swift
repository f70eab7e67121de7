import Testing
import Wire

@Suite struct UTF8ValidatorTests {
    private func isValid(_ bytes: [UInt8]) -> Bool { UTF8Validator.isValid(bytes.span) }

    private func standardLibraryAccepts(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    @Test func everySequenceOfTwoBytesIsJudgedAsTheStandardLibraryJudgesIt() {
        for first in 0...255 as ClosedRange<UInt8> {
            for second in 0...255 as ClosedRange<UInt8> {
                let bytes = [first, second]
                #expect(isValid(bytes) == standardLibraryAccepts(bytes), "\(bytes)")
            }
        }
    }

    @Test func longerSequencesAtEveryEdgeAreJudgedAsTheStandardLibraryJudgesThem() {
        let leads: [UInt8] = [0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF]
        let follows: [UInt8] = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        for lead in leads {
            for second in follows {
                for third in follows {
                    #expect(isValid([lead, second, third]) == standardLibraryAccepts([lead, second, third]))
                    for fourth in follows {
                        let bytes = [lead, second, third, fourth]
                        #expect(isValid(bytes) == standardLibraryAccepts(bytes), "\(bytes)")
                    }
                }
            }
        }
    }

    @Test func theFirstImpossibleByteFailsWithoutWaitingForTheRest() {
        let broken: [[UInt8]] = [
            [0x80], [0xC0], [0xC1], [0xE0, 0x9F], [0xED, 0xA0], [0xF0, 0x8F], [0xF4, 0x90], [0xF5],
        ]
        for bytes in broken {
            var validator = UTF8Validator()
            for byte in bytes.dropLast() {
                let accepted = validator.consume([byte].span)
                #expect(accepted)
            }
            let accepted = validator.consume([bytes[bytes.count - 1]].span)
            #expect(!accepted, "\(bytes)")
        }
    }

    @Test func anySplitOfValidTextIsValidAndEndsComplete() {
        let text = Array("plain ASCII over eight, then κόσμε, 漢字 and 👩‍🚀 in between; \u{10FFFF}\u{D7FF}\u{E000} end".utf8)
        for split in 0...text.count {
            var validator = UTF8Validator()
            let head = validator.consume(text.span.extracting(0..<split))
            let tail = validator.consume(text.span.extracting(split..<text.count))
            #expect(head && tail && validator.isComplete)
        }
    }

    @Test func oneBadByteIsFoundAtEveryPositionOfLongASCII() {
        for length in 1...40 {
            var bytes = [UInt8](repeating: 0x61, count: length)
            #expect(isValid(bytes))
            for position in 0..<length {
                bytes[position] = 0xFF
                #expect(!isValid(bytes))
                bytes[position] = 0x61
            }
        }
    }

    @Test func textCutInsideACharacterIsNotComplete() {
        #expect(!isValid([0xE2, 0x82]))
        #expect(isValid([]))
    }
}
