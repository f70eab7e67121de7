import Testing
import Wire

@testable import Sessions

@Suite struct OutboxTests {
    /// Against a plain array, with every number of packets that makes a difference to what is kept.
    @Test func packetsComeOutInOrderAndAreCountedWhateverTheirNumber() {
        for size in [0, 1, 2, 15, 16, 17, 63, 64, 65, 66, 129, 200] {
            var outbox = Outbox()
            var model: [Int] = []
            var next = 0
            for round in 0..<4 {
                while model.count < size {
                    outbox.append(Outbox.Packet(type: .message, isBinary: false, bytes: bytes(next)))
                    model.append(next)
                    next += 1
                }
                for _ in 0..<(round == 3 ? size : size * 2 / 3) {
                    #expect(outbox.next?.bytes == model.first.map(bytes))
                    outbox.removeFirst()
                    model.removeFirst()
                    #expect(outbox.count == model.count)
                    #expect(outbox.byteCount == model.reduce(0) { $0 + bytes($1).count })
                    #expect(outbox.isEmpty == model.isEmpty)
                }
            }
        }
    }

    @Test func nothingIsTakenFromAnEmptyOne() {
        var outbox = Outbox()
        outbox.removeFirst()
        #expect(outbox.next == nil && outbox.isEmpty && outbox.byteCount == 0)
    }

    @Test func whatWasTakenIsNotLookedAtAgain() {
        var outbox = Outbox()
        outbox.append(Outbox.Packet(type: .message, isBinary: true, bytes: [1]))
        outbox.append(Outbox.Packet(type: .message, isBinary: false, bytes: [2]))
        outbox.removeFirst()
        #expect(!outbox.contains { $0.isBinary })
        outbox.removeAll()
        #expect(outbox.isEmpty && outbox.byteCount == 0)
    }

    private func bytes(_ number: Int) -> [UInt8] {
        Array("\(number)".utf8)
    }
}
