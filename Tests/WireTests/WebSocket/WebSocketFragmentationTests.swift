import Testing
import Wire

@Suite struct WebSocketFragmentationTests {
    private func fragments(_ opcode: WebSocketOpcode, _ parts: [String], between: [UInt8] = []) -> [UInt8] {
        var stream: [UInt8] = []
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            stream += clientFrame(index == 0 ? opcode : .continuation, part, fin: isLast)
            if !isLast { stream += between }
        }
        return stream
    }

    @Test func fragmentsAreJoinedWhateverTheirSizes() {
        let shapes: [[String]] = [["one", "two"], ["", "two"], ["one", ""], ["", ""], ["a", "", "b", "", "c"]]
        for parts in shapes {
            let whole = parts.joined()
            #expect(decodeEveryWay(fragments(.text, parts)) == [.text(whole)])
            #expect(decodeEveryWay(fragments(.binary, parts)) == [.binary(Array(whole.utf8))])
        }
    }

    @Test func pingsBetweenFragmentsComeOutBeforeTheMessage() {
        let stream = fragments(.text, ["1", "2", "3"], between: clientFrame(.ping, "p"))
        #expect(decodeEveryWay(stream) == [.ping("p"), .ping("p"), .text("123")])
    }

    @Test func fragmentedMessagesFollowOneAnother() {
        let stream = fragments(.text, ["ab", "cd"]) + fragments(.binary, ["ef", "gh"]) + clientFrame(.text, "ij")
        let expected: [Seen] = [.text("abcd"), .binary(Array("efgh".utf8)), .text("ij")]
        #expect(decodeEveryWay(stream) == expected)
    }

    @Test func aContinuationOfNothingIsRefused() {
        for fin in [true, false] {
            #expect(decodeEveryWay(clientFrame(.continuation, "x", fin: fin)) == [.failed(1002)])
            let behind = clientFrame(.text, "whole") + clientFrame(.continuation, "x", fin: fin)
            #expect(decodeEveryWay(behind) == [.text("whole"), .failed(1002)])
        }
        let behindFragmented = fragments(.text, ["a", "b"]) + clientFrame(.continuation, "c")
        #expect(decodeEveryWay(behindFragmented) == [.text("ab"), .failed(1002)])
    }

    @Test func aNewMessageInsideAFragmentedOneIsRefused() {
        for opcode in [WebSocketOpcode.text, .binary] {
            for fin in [true, false] {
                let stream = clientFrame(.text, "a", fin: false) + clientFrame(opcode, "b", fin: fin)
                #expect(decodeEveryWay(stream) == [.failed(1002)])
            }
        }
    }

    @Test func aLongMessageInSmallFragmentsIsJoined() {
        let part = String(repeating: "κόσμε ", count: 16)
        let stream = fragments(.text, Array(repeating: part, count: 500))
        #expect(decode(stream) == [.text(String(repeating: part, count: 500))])
        #expect(decode(stream.map { [$0] }) == [.text(String(repeating: part, count: 500))])
    }
}
