import Testing
import Wire

@Suite struct WebSocketTextTests {
    @Test func validTextPassesWhateverItsCharacters() {
        let texts = [
            "", "Hello-µ@ßöäüàá-UTF-8!!", "κόσμε", "\u{0}\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}", "\u{D7FF}\u{E000}",
            "\u{FFFE}\u{FFFF}", "\u{1FFFE}\u{10FFFF}", "👩‍🚀",
        ]
        for text in texts {
            #expect(decodeEveryWay(clientFrame(.text, text)) == [.text(text)])
        }
    }

    @Test func everyFragmentationOfTextPasses() {
        let text = Array("Hello-µ@ßöäüàá-κόσμε-👩‍🚀".utf8)
        for cut in 0...text.count {
            let stream =
                clientFrame(.text, Array(text[..<cut]), fin: false)
                + clientFrame(.continuation, Array(text[cut...]))
            #expect(decode(stream) == [.text(text)])
        }
        var bytewise: [UInt8] = []
        for (index, byte) in text.enumerated() {
            bytewise += clientFrame(index == 0 ? .text : .continuation, [byte], fin: index == text.count - 1)
        }
        #expect(decode(bytewise) == [.text(text)])
    }

    @Test(
        arguments: [
            [0xCE, 0xBA, 0xED, 0xA0, 0x80, 0x61], [0x80], [0xBF], [0xC0, 0xAF], [0xE0, 0x80, 0xAF],
            [0xF0, 0x80, 0x80, 0xAF],
            [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xAD, 0xBF], [0xED, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
            [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3, 0x28], [0xE2, 0x28, 0xA1], [0xF0, 0x28, 0x8C, 0xBC],
        ] as [[UInt8]])
    func brokenTextIsRefusedAlsoBehindGoodText(broken: [UInt8]) {
        #expect(decodeEveryWay(clientFrame(.text, broken)) == [.failed(1007)])
        #expect(decodeEveryWay(clientFrame(.text, Array("good text before it ".utf8) + broken)) == [.failed(1007)])
        let fragmented = clientFrame(.text, "good", fin: false) + clientFrame(.continuation, broken)
        #expect(decodeEveryWay(fragmented) == [.failed(1007)])
        #expect(decodeEveryWay(clientFrame(.binary, broken)) == [.binary(broken)])
    }

    /// A message with a bad byte near its beginning must not be read to its end.
    @Test func brokenTextFailsBeforeItsMessageEnds() {
        let valid: [UInt8] = [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5]
        let impossible: [UInt8] = [0xF4, 0x90]
        let first = clientFrame(.text, valid, fin: false)
        let second = clientFrame(.continuation, impossible + [0x80, 0x80], fin: false)
        #expect(decode([first, second]) == [.failed(1007)])

        let oneFrame = clientFrame(.text, valid + impossible + [UInt8](repeating: 0x61, count: 100))
        var harness = DecoderHarness()
        harness.feed(oneFrame[..<(6 + valid.count + 1)])
        #expect(harness.seen == [])
        harness.feed(oneFrame[(6 + valid.count + 1)..<(6 + valid.count + 2)])
        #expect(harness.seen == [.failed(1007)])
    }

    @Test func aCharacterCutByAPingIsStillOne() {
        let stream =
            clientFrame(.text, [0xE2, 0x82], fin: false) + clientFrame(.ping, [0xFF])
            + clientFrame(.continuation, [0xAC])
        #expect(decodeEveryWay(stream) == [.ping([0xFF]), .text("€")])
    }

    @Test func aMessageStartsWithCleanTextState() {
        let stream = clientFrame(.binary, [0xE2, 0x82], fin: true) + clientFrame(.text, "fine")
        #expect(decodeEveryWay(stream) == [.binary([0xE2, 0x82]), .text("fine")])
    }
}
