import Testing
import Wire

@Suite struct WebSocketControlTests {
    @Test(arguments: [0, 1, 124, 125]) func pingsAndPongsCarryUpTo125Bytes(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ 250) }
        let stream = clientFrame(.ping, payload) + clientFrame(.pong, payload)
        #expect(decodeEveryWay(stream) == [.ping(payload), .pong(payload)])
    }

    @Test func aControlFrameOf126BytesIsRefused() {
        for opcode in [WebSocketOpcode.ping, .pong, .close] {
            #expect(decodeEveryWay(clientFrame(opcode, [UInt8](repeating: 0x2A, count: 126))) == [.failed(1002)])
        }
    }

    @Test func tenPingsInOneBufferGiveTenEvents() {
        let stream = (0..<10).flatMap { clientFrame(.ping, "payload-\($0)") }
        #expect(decode(stream) == (0..<10).map { .ping("payload-\($0)") })
        #expect(decode(stream.map { [$0] }) == (0..<10).map { .ping("payload-\($0)") })
    }

    @Test func fragmentedControlFramesAreRefused() {
        for opcode in [WebSocketOpcode.ping, .pong, .close] {
            #expect(decodeEveryWay(clientFrame(opcode, "x", fin: false)) == [.failed(1002)])
        }
    }

    @Test func aControlFrameInPiecesDoesNotDisturbTheMessageAroundIt() {
        let stream =
            clientFrame(.text, "frag", fin: false) + clientFrame(.ping, "between") + clientFrame(.pong, "and")
            + clientFrame(.continuation, "ment")
        #expect(decodeEveryWay(stream) == [.ping("between"), .pong("and"), .text("fragment")])
    }

    @Test func everyCloseCodeIsJudgedByTheTable() {
        let ranges: [ClosedRange<UInt16>] = [1000...1003, 1007...1014, 3000...4999]
        let allowed = Set(ranges.joined())
        for code in 0...UInt16.max {
            let payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
            let seen = decode(clientFrame(.close, payload))
            #expect(seen == (allowed.contains(code) ? [.close(code, "")] : [.failed(1002)]), "\(code)")
        }
    }

    @Test func closeFramesComeWithoutCodeOrWithCodeAndReason() {
        #expect(decodeEveryWay(clientFrame(.close, [])) == [.close(nil, "")])
        let reason = String(repeating: "*", count: 123)
        var frame: [UInt8] = []
        WebSocketFrame.appendMasked(closeCode: 1000, reason: reason, key: 7, into: &frame)
        #expect(decodeEveryWay(frame) == [.close(1000, reason)])
    }

    @Test func aClosePayloadOfOneByteIsRefused() {
        #expect(decodeEveryWay(clientFrame(.close, [0x03])) == [.failed(1002)])
    }

    @Test func aCloseReasonMustBeText() {
        #expect(decodeEveryWay(clientFrame(.close, [0x03, 0xE8, 0xCE, 0xBA, 0xED, 0xA0, 0x80])) == [.failed(1007)])
        #expect(decodeEveryWay(clientFrame(.close, [0x03, 0xE8, 0xCE])) == [.failed(1007)])
    }

    @Test func nothingIsReadBehindAClose() {
        let close = clientFrame(.close, [0x03, 0xE8])
        let tails = [clientFrame(.text, "late"), clientFrame(.ping, ""), close, [0xFF, 0xFF, 0xFF]]
        for tail in tails {
            #expect(decodeEveryWay(close + tail) == [.close(1000, "")])
        }
    }

    @Test func aCloseInsideAFragmentedMessageEndsIt() {
        let stream =
            clientFrame(.text, "never", fin: false) + clientFrame(.close, [0x03, 0xE9])
            + clientFrame(.continuation, "ended")
        #expect(decodeEveryWay(stream) == [.close(1001, "")])
    }

    @Test func aLongCloseReasonIsCutBetweenCharacters() {
        var frame: [UInt8] = []
        WebSocketFrame.append(closeCode: 1008, reason: String(repeating: "漢", count: 60), into: &frame)
        #expect(decode(frame, role: .client) == [.close(1008, String(repeating: "漢", count: 41))])
        frame = []
        WebSocketFrame.append(closeCode: nil, into: &frame)
        #expect(frame == [0x88, 0x00])
    }

    @Test func pingAndPongAreWrittenAsTheyAreRead() {
        var frames: [UInt8] = []
        let payload = Array("beat".utf8)
        WebSocketFrame.append(ping: payload.span, into: &frames)
        WebSocketFrame.append(pong: payload.span, into: &frames)
        #expect(decode(frames, role: .client) == [.ping("beat"), .pong("beat")])
    }
}
