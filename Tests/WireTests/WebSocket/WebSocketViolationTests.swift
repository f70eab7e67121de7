import Testing
import Wire

@Suite struct WebSocketViolationTests {
    /// A masked frame from its first byte, with a key of zeros.
    private func raw(_ first: UInt8, _ payload: [UInt8] = []) -> [UInt8] {
        [first, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    @Test func everyReservedBitIsRefusedOnEveryFrame() {
        for bits in 1...7 as ClosedRange<UInt8> {
            for opcode in [0x1, 0x2, 0x8, 0x9, 0xA] as [UInt8] {
                let bad = raw(0x80 | bits << 4 | opcode)
                #expect(decodeEveryWay(bad) == [.failed(1002)])
                #expect(decodeEveryWay(clientFrame(.text, "ok") + bad) == [.text("ok"), .failed(1002)])
            }
            let continuation = clientFrame(.text, "a", fin: false) + raw(0x80 | bits << 4)
            #expect(decodeEveryWay(continuation) == [.failed(1002)])
        }
    }

    @Test func everyReservedOpcodeIsRefused() {
        for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8] {
            for fin in [0, 0x80] as [UInt8] {
                let stream = clientFrame(.text, "ok") + raw(fin | opcode, [1, 2]) + clientFrame(.ping, "never")
                #expect(decodeEveryWay(stream) == [.text("ok"), .failed(1002)])
            }
        }
    }

    @Test func aFaultShownByTheFirstTwoBytesFailsWithoutTheRest() {
        #expect(decode([0x83, 0x80]) == [.failed(1002)])
        #expect(decode([0xC1, 0x80]) == [.failed(1002)])
        #expect(decode([0x81, 0x05]) == [.failed(1002)])
        #expect(decode([0x81]) == [])
    }

    @Test func clientsMustMaskAndServersMustNot() {
        #expect(decodeEveryWay(serverFrame(.text, [0x61]), role: .server) == [.failed(1002)])
        #expect(decodeEveryWay(clientFrame(.text, [0x61]), role: .client) == [.failed(1002)])
        #expect(decodeEveryWay(serverFrame(.ping, []), role: .server) == [.failed(1002)])
        #expect(decodeEveryWay(clientFrame(.close, []), role: .client) == [.failed(1002)])
    }

    @Test func lengthsMustBeEncodedInTheFewestBytes() {
        for count in [0, 1, 125] {
            let payload = [UInt8](repeating: 0x61, count: count)
            #expect(decode([0x81, 126, 0, UInt8(count)] + payload, role: .client) == [.failed(1002)])
            let long: [UInt8] = [0x81, 127, 0, 0, 0, 0, 0, 0, 0, UInt8(count)]
            #expect(decode(long + payload, role: .client) == [.failed(1002)])
            #expect(decode((long + payload).map { [$0] }, role: .client) == [.failed(1002)])
        }
        #expect(decode([0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], role: .client) == [.failed(1002)])
    }

    @Test func aLengthWithItsTopBitSetIsRefusedAndOneBelowItIsTooBig() {
        #expect(decodeEveryWay([0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], role: .client) == [.failed(1002)])
        let largest: [UInt8] = [0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(decodeEveryWay(largest, role: .client) == [.failed(1009)])
    }

    @Test func aFailedDecoderSkipsWhateverComes() {
        let stream = raw(0x83) + clientFrame(.text, "late")
        #expect(decodeEveryWay(stream) == [.failed(1002)])
    }

    @Test func framesAndMessagesAtTheLimitPassAndOneByteMoreDoesNot() {
        let limits = WebSocketLimits(frameBytesMax: 200, messageBytesMax: 300, fragmentsMax: 8)
        let full = [UInt8](repeating: 0x61, count: 200)
        #expect(decodeEveryWay(clientFrame(.binary, full), limits: limits) == [.binary(full)])
        #expect(decodeEveryWay(clientFrame(.binary, full + [0]), limits: limits) == [.failed(1009)])

        let first = clientFrame(.text, full, fin: false)
        let rest = [UInt8](repeating: 0x62, count: 100)
        #expect(decode(first + clientFrame(.continuation, rest), limits: limits) == [.text(full + rest)])
        #expect(decode(first + clientFrame(.continuation, rest + [0x63]), limits: limits) == [.failed(1009)])
    }

    @Test func aFrameTooBigFailsAtItsHeaderNotAtItsPayload() {
        let limits = WebSocketLimits(frameBytesMax: 100, messageBytesMax: 100)
        let header = Array(clientFrame(.text, [UInt8](repeating: 0x61, count: 101)).prefix(6))
        #expect(decode(header, limits: limits) == [.failed(1009)])
    }

    @Test func controlFramesDoNotCountAgainstTheMessageLimit() {
        let limits = WebSocketLimits(frameBytesMax: 4, messageBytesMax: 4)
        let ping = [UInt8](repeating: 7, count: 125)
        let stream =
            clientFrame(.text, "ab", fin: false) + clientFrame(.ping, ping) + clientFrame(.continuation, "cd")
        #expect(decodeEveryWay(stream, limits: limits) == [.ping(ping), .text("abcd")])
    }

    @Test func endlessEmptyFragmentsAreRefused() {
        let limits = WebSocketLimits(fragmentsMax: 4)
        let some = clientFrame(.text, "", fin: false) + clientFrame(.continuation, "", fin: false)
        let last = clientFrame(.continuation, "x")
        let one = clientFrame(.continuation, "", fin: false)
        #expect(decodeEveryWay(some + one + last, limits: limits) == [.text("x")])
        #expect(decodeEveryWay(some + one + one + last, limits: limits) == [.failed(1008)])
    }
}
