import Testing
import Wire

@Suite struct WebSocketDeflateTests {
    private static let noTakeover: PerMessageDeflate = {
        var parameters = PerMessageDeflate()
        parameters.serverNoContextTakeover = true
        parameters.clientNoContextTakeover = true
        return parameters
    }()
    private static let takeover = PerMessageDeflate()

    private func compressedFrame(_ payload: [UInt8], _ opcode: WebSocketOpcode = .text) -> [UInt8] {
        clientFrame(opcode, payload, compressed: true)
    }

    // MARK: The examples of the standard

    private let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    @Test(arguments: [noTakeover, takeover]) func aCompressedMessageIsInflated(deflate: PerMessageDeflate) {
        #expect(decodeEveryWay(compressedFrame(hello), deflate: deflate) == [.text("Hello")])
    }

    @Test func aFragmentedCompressedMessageIsInflated() {
        let stream =
            clientFrame(.text, [0xF2, 0x48, 0xCD], fin: false, compressed: true)
            + clientFrame(.continuation, [0xC9, 0xC9, 0x07, 0x00])
        #expect(decodeEveryWay(stream, deflate: Self.noTakeover) == [.text("Hello")])
    }

    @Test func aSecondMessageMayReferToTheFirstOnlyWithContextTakeover() {
        let stream = compressedFrame(hello) + compressedFrame([0xF2, 0x00, 0x11, 0x00, 0x00])
        #expect(decodeEveryWay(stream, deflate: Self.takeover) == [.text("Hello"), .text("Hello")])
        #expect(decodeEveryWay(stream, deflate: Self.noTakeover) == [.text("Hello"), .failed(1007)])
    }

    @Test func aStoredBlockIsInflated() {
        let stored: [UInt8] = [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]
        #expect(decodeEveryWay(compressedFrame(stored), deflate: Self.noTakeover) == [.text("Hello")])
    }

    @Test func aFinalBlockDoesNotEndTheConversation() {
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        let withoutTheEmptyBlock = Array(final.dropLast())
        for payload in [final, withoutTheEmptyBlock] {
            let stream = compressedFrame(payload) + compressedFrame([0xF2, 0x00, 0x11, 0x00, 0x00])
            #expect(decodeEveryWay(stream, deflate: Self.takeover) == [.text("Hello"), .text("Hello")])
            let twice = compressedFrame(payload) + compressedFrame(payload)
            #expect(decodeEveryWay(twice, deflate: Self.noTakeover) == [.text("Hello"), .text("Hello")])
        }
    }

    @Test func twoBlocksInOneMessageAreInflated() {
        let two: [UInt8] = [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]
        #expect(decodeEveryWay(compressedFrame(two), deflate: Self.noTakeover) == [.text("Hello")])
    }

    @Test func anEmptyMessageIsOneZeroByteOrNoneAtAll() {
        for payload in [[0x00], []] as [[UInt8]] {
            let stream = compressedFrame(payload) + compressedFrame(hello)
            for deflate in [Self.noTakeover, Self.takeover] {
                #expect(decodeEveryWay(stream, deflate: deflate) == [.text(""), .text("Hello")])
            }
        }
    }

    // MARK: What others compressed

    /// Among them messages of 16 compressed bytes: one such aborted the process of a library that many servers use.
    @Test(arguments: DeflateVector.all) func messagesThatZlibMadeAreInflated(vector: DeflateVector) {
        for deflate in [Self.noTakeover, Self.takeover] {
            #expect(decodeEveryWay(compressedFrame(vector.compressed), deflate: deflate) == [.text(vector.text)])
        }
    }

    @Test func thereAreVectorsOfSixteenBytes() {
        #expect(DeflateVector.all.filter { $0.compressed.count == 16 }.count == 4)
    }

    // MARK: Rules of RSV1

    @Test func theCompressedBitIsRefusedWithoutNegotiation() {
        #expect(decodeEveryWay(compressedFrame(hello)) == [.failed(1002)])
    }

    @Test func theCompressedBitBelongsToTheFirstFrameOnly() {
        let stream =
            clientFrame(.text, [0xF2, 0x48, 0xCD], fin: false, compressed: true)
            + clientFrame(.continuation, [0xC9, 0xC9, 0x07, 0x00], compressed: true)
        #expect(decodeEveryWay(stream, deflate: Self.noTakeover) == [.failed(1002)])
    }

    @Test func controlFramesAreNeverCompressed() {
        for opcode in [WebSocketOpcode.ping, .pong, .close] {
            #expect(decodeEveryWay(compressedFrame([], opcode), deflate: Self.noTakeover) == [.failed(1002)])
        }
    }

    @Test func uncompressedMessagesPassBetweenCompressedOnes() {
        let stream = compressedFrame(hello) + clientFrame(.text, "plain") + compressedFrame(hello)
        #expect(decodeEveryWay(stream, deflate: Self.noTakeover) == [.text("Hello"), .text("plain"), .text("Hello")])
    }

    @Test func pingsPassBetweenCompressedFragments() {
        let stream =
            clientFrame(.binary, [0xF2, 0x48, 0xCD], fin: false, compressed: true) + clientFrame(.ping, "p")
            + clientFrame(.continuation, [0xC9, 0xC9, 0x07, 0x00])
        #expect(decodeEveryWay(stream, deflate: Self.noTakeover) == [.ping("p"), .binary(Array("Hello".utf8))])
    }

    // MARK: Faults

    @Test func corruptedDataIsRefused() {
        let corrupted: [[UInt8]] = [
            [0xFF, 0xFF, 0xFF, 0xFF], [0x07], [0x00, 0x05, 0x00, 0x00, 0x00], [0xF2, 0x48, 0xCD, 0xC9],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48], Array(DeflateVector.aJSONEvent.compressed.dropLast(9)),
        ]
        for payload in corrupted {
            #expect(decodeEveryWay(compressedFrame(payload), deflate: Self.noTakeover) == [.failed(1007)], "\(payload)")
        }
    }

    @Test func oneFlippedBitNeverDoesMoreThanFail() {
        for vector in DeflateVector.all {
            for bit in 0..<vector.compressed.count * 8 {
                var payload = vector.compressed
                payload[bit / 8] ^= 1 << UInt8(bit % 8)
                let seen = decode(compressedFrame(payload, .binary), deflate: Self.noTakeover)
                #expect(seen.count == 1)
            }
        }
    }

    @Test func inflatedTextMustBeUTF8() {
        let context = DeflateContext()
        var payload: [UInt8] = []
        let broken: [UInt8] = [0x61, 0x62, 0xED, 0xA0, 0x80]
        context.compress(broken.span, into: &payload)
        #expect(decodeEveryWay(compressedFrame(payload), deflate: Self.noTakeover) == [.failed(1007)])
        #expect(decodeEveryWay(compressedFrame(payload, .binary), deflate: Self.noTakeover) == [.binary(broken)])
    }

    @Test func aMessageThatInflatesPastTheLimitIsRefused() {
        let context = DeflateContext()
        let limits = WebSocketLimits(frameBytesMax: 50_000, messageBytesMax: 50_000)
        for (count, passes) in [(49_999, true), (50_000, true), (50_001, false), (40_000_000, false)] {
            let zeros = [UInt8](repeating: 0, count: count)
            var payload: [UInt8] = []
            context.compress(zeros.span, into: &payload)
            let seen = decode(compressedFrame(payload, .binary), limits: limits, deflate: Self.noTakeover)
            #expect(seen == (passes ? [.binary(zeros)] : [.failed(1009)]), "\(count)")
        }
    }

    // MARK: Round trips

    private func words(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let choice = ["touch:moved", "element", "κόσμε", "{\"x\":12.5}", "房间", " ", "0123456789"]
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += Array((choice.randomElement(using: &generator) ?? "").utf8) }
        return bytes
    }

    @Test(arguments: [false, true], [9, 12, 15])
    func whatOneSideCompressesTheOtherInflates(keepsContext: Bool, windowBits: Int) {
        var deflate = keepsContext ? Self.takeover : Self.noTakeover
        deflate.serverMaxWindowBits = windowBits
        deflate.clientMaxWindowBits = windowBits
        var generator = SeededGenerator(seed: UInt64(windowBits))
        for sender in [WebSocketDecoder.Role.client, .server] {
            var compressor = WebSocketCompressor(
                role: sender, deflate: deflate, context: DeflateContext(level: 1), messageBytesMin: 1)
            var harness = DecoderHarness(role: sender == .client ? .server : .client, deflate: deflate)
            var expected: [Seen] = []
            for count in [1, 10, 100, 1000, 20_000, 70_000, 300_000, 5] {
                let message = words(count, &generator)
                var payload: [UInt8] = []
                let isCompressed = compressor.compress(message.span, into: &payload)
                let body = isCompressed ? payload : message
                harness.feed(
                    sender == .client
                        ? clientFrame(.text, body, compressed: isCompressed)
                        : serverFrame(.text, body, compressed: isCompressed))
                expected.append(.text(message))
            }
            #expect(harness.seen == expected)
        }
    }

    @Test func aCompressorLeavesSmallAndIncompressibleMessagesAlone() {
        var compressor = WebSocketCompressor(
            role: .server, deflate: Self.noTakeover, context: DeflateContext(), messageBytesMin: 100)
        var output: [UInt8] = [1, 2, 3]
        let small = [UInt8](repeating: 0x61, count: 99)
        let isSmallCompressed = compressor.compress(small.span, into: &output)
        var generator = SeededGenerator(seed: 1)
        let noise = (0..<500).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let isNoiseCompressed = compressor.compress(noise.span, into: &output)
        #expect(!isSmallCompressed && !isNoiseCompressed)
        #expect(output == [1, 2, 3])
    }

    @Test func anEmptyMessageCompressesToOneZeroByteAlsoTheSecondTime() {
        for deflate in [Self.noTakeover, Self.takeover] {
            var compressor = WebSocketCompressor(
                role: .server, deflate: deflate, context: DeflateContext(), messageBytesMin: 0)
            let empty: [UInt8] = []
            for _ in 0..<3 {
                var output: [UInt8] = []
                let isCompressed = compressor.compress(empty.span, into: &output)
                // By itself it would not become smaller; with takeover it goes out all the same.
                #expect(isCompressed == (deflate == Self.takeover))
                #expect(output == (isCompressed ? [0x00] : []))
            }
        }
    }

    @Test func connectionsThatShareAContextDoNotSeeEachOthersMessages() {
        let context = DeflateContext()
        var first = WebSocketDecoder(
            role: .server, limits: WebSocketLimits(), deflate: Self.noTakeover, context: context)
        var second = WebSocketDecoder(
            role: .server, limits: WebSocketLimits(), deflate: Self.noTakeover, context: context)
        var buffer = compressedFrame(hello)
        var offset = 0
        var span = buffer.mutableSpan
        let event = try? first.next(&span, offset: &offset)
        #expect(event == .text(.assembled))

        var reference = compressedFrame([0xF2, 0x00, 0x11, 0x00, 0x00])
        offset = 0
        var referenceSpan = reference.mutableSpan
        #expect(throws: WebSocketError(closeCode: 1007, reason: "compressed message is corrupted")) {
            try second.next(&referenceSpan, offset: &offset)
        }
    }
}
