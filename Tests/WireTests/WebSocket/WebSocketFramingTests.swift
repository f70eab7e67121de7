import Testing
import Wire

@Suite struct WebSocketFramingTests {
    private static let edges = Array(0...300) + Array(65_500...65_560)

    private func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) } }

    private func letters(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) } }

    @Test func theExamplesOfTheStandardAreReadAndWritten() {
        let hello = Array("Hello".utf8)
        let unmasked: [UInt8] = [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
        #expect(decode(unmasked, role: .client) == [.text("Hello")])
        #expect(serverFrame(.text, hello) == unmasked)

        let masked: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(decode(masked) == [.text("Hello")])
        #expect(clientFrame(.text, hello) == masked)

        let fragmented: [UInt8] = [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]
        #expect(decode(fragmented, role: .client) == [.text("Hello")])
        #expect(decode([0x89, 0x05] + hello, role: .client) == [.ping("Hello")])
        #expect(decode([0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) == [.pong("Hello")])

        #expect(Array(serverFrame(.binary, pattern(256)).prefix(4)) == [0x82, 0x7E, 0x01, 0x00])
        let long: [UInt8] = [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0]
        #expect(Array(serverFrame(.binary, pattern(65_536)).prefix(10)) == long)
    }

    @Test(arguments: [WebSocketDecoder.Role.server, .client])
    func everyLengthAroundEveryEncodingComesBackWhole(role: WebSocketDecoder.Role) {
        for count in Self.edges {
            let frame = role == .server ? clientFrame(.binary, pattern(count)) : serverFrame(.binary, pattern(count))
            #expect(decode(frame, role: role) == [.binary(pattern(count))], "\(count) bytes")
        }
    }

    @Test func shortMessagesCutAtEveryPositionComeBackWhole() {
        for count in 0...130 {
            let text = letters(count)
            #expect(decodeEveryWay(clientFrame(.text, text)) == [.text(text)], "\(count) bytes")
        }
        #expect(decodeEveryWay(serverFrame(.binary, pattern(20)), role: .client) == [.binary(pattern(20))])
    }

    @Test(arguments: [125, 126, 127, 128, 300, 65_535, 65_536])
    func messagesComeBackWholeByteByByteAndInPieces(count: Int) {
        let text = letters(count)
        let frame = clientFrame(.text, text)
        #expect(decode(frame.map { [$0] }) == [.text(text)])
        for size in [997, 2048] {
            let pieces = stride(from: 0, to: frame.count, by: size).map {
                Array(frame[$0..<min($0 + size, frame.count)])
            }
            #expect(decode(pieces) == [.text(text)])
        }
    }

    @Test func manyMessagesInOneBufferComeOutInOrderAndInPlace() {
        var stream: [UInt8] = []
        var expected: [Seen] = []
        for count in 0..<200 {
            stream += clientFrame(.text, letters(count), key: UInt32(count) &* 0x0101_1F3D)
            expected.append(.text(letters(count)))
        }
        var harness = DecoderHarness()
        harness.feed(stream)
        #expect(harness.seen == expected)
        #expect(harness.inPlace == 200)
    }

    @Test func aMessageWholeInTheSecondBufferIsInPlaceThoughItsHeaderWasNot() {
        let frame = clientFrame(.text, "Hello")
        for cut in 1...6 {
            var harness = DecoderHarness()
            harness.feed(frame[..<cut])
            let isMidMessage = harness.decoder.isMidMessage
            #expect(isMidMessage)
            harness.feed(frame[cut...])
            #expect(harness.seen == [.text("Hello")])
            #expect(harness.inPlace == 1)
        }
    }

    @Test func betweenMessagesNothingIsHeld() {
        var harness = DecoderHarness()
        let frame = clientFrame(.binary, pattern(5000))
        harness.feed(frame[..<3000])
        harness.feed(frame[3000...])
        #expect(harness.seen == [.binary(pattern(5000))])
        let held = harness.decoder.assembled.count
        let isMidMessage = harness.decoder.isMidMessage
        #expect(held == 0)
        #expect(!isMidMessage)
    }

    @Test func anyOffsetOfTheBufferMayBeTheStart() throws {
        var buffer = [0xFF, 0xFF, 0xFF] + clientFrame(.text, "Hello")
        var offset = 3
        var decoder = WebSocketDecoder(role: .server, limits: WebSocketLimits())
        var span = buffer.mutableSpan
        let event = try decoder.next(&span, offset: &offset)
        #expect(event == .text(.input(9..<14)))
        #expect(offset == 14)
    }

    @Test func maskingMeetsEveryAlignmentAndLength() {
        for start in 0..<9 {
            for count in 0..<40 {
                var bytes = pattern(64)
                var expected = bytes
                for index in 0..<count { expected[start + index] ^= [0x37, 0xFA, 0x21, 0x3D][index % 4] }
                var span = bytes.mutableSpan
                WebSocketMask.apply(0x3D21_FA37, to: &span, in: start..<start + count)
                #expect(bytes == expected)
            }
        }
    }

    @Test func aHeaderWrittenIntoABufferIsTheOneAppended() {
        for count in Self.edges + [1 << 20, 1 << 33] {
            var appended: [UInt8] = []
            WebSocketFrame.appendHeader(opcode: .text, payloadLength: count, into: &appended)
            var written = [UInt8](repeating: 0, count: 5 + WebSocketFrame.headerBytesMax)
            let end = written.withUnsafeMutableBytes {
                WebSocketFrame.writeHeader(to: $0, at: 5, opcode: .text, payloadLength: count)
            }
            #expect(end == 5 + WebSocketFrame.headerLength(for: count))
            #expect(Array(written[5..<end]) == appended)
        }
    }
}
