import Testing
import Wire

/// Random streams, right and wrong, must mean the same however the network cuts them.
@Suite struct WebSocketDifferentialTests {
    private let limits = WebSocketLimits(frameBytesMax: 4000, messageBytesMax: 6000, fragmentsMax: 12)

    @Test(arguments: 0..<40 as Range<UInt64>) func anyCutOfAnyStreamGivesTheSameEvents(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var deflate = PerMessageDeflate()
        deflate.clientNoContextTakeover = Bool.random(using: &generator)
        for round in 0..<25 {
            let stream = randomStream(&generator)
            let negotiated = round % 2 == 0 ? deflate : nil
            let whole = decode(stream, limits: limits, deflate: negotiated)
            for _ in 0..<4 {
                let pieces = randomPieces(stream, &generator)
                let cut = decode(pieces, limits: limits, deflate: negotiated)
                #expect(cut == whole, "seed \(seed), round \(round)")
            }
        }
    }

    private func randomStream(_ generator: inout SeededGenerator) -> [UInt8] {
        let context = DeflateContext(level: 1)
        var stream: [UInt8] = []
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            stream += randomMessage(context, &generator)
        }
        // Half of the streams are damaged somewhere.
        if Bool.random(using: &generator) {
            let position = Int.random(in: 0..<stream.count, using: &generator)
            stream[position] ^= UInt8.random(in: 1...255, using: &generator)
        }
        return stream
    }

    private func randomMessage(_ context: DeflateContext, _ generator: inout SeededGenerator) -> [UInt8] {
        let key = UInt32.random(in: 0...UInt32.max, using: &generator)
        if Int.random(in: 0..<4, using: &generator) == 0 {
            let opcode = [WebSocketOpcode.ping, .pong].randomElement(using: &generator) ?? .ping
            let payload = randomText(Int.random(in: 0...60, using: &generator), &generator)
            return clientFrame(opcode, payload, key: key)
        }
        let sizes = [0...10, 100...140, 500...3000, 1...1].randomElement(using: &generator) ?? 0...0
        var payload = randomText(Int.random(in: sizes, using: &generator), &generator)
        let isCompressed = Int.random(in: 0..<3, using: &generator) == 0
        if isCompressed {
            var compressed: [UInt8] = []
            context.compress(payload.span, into: &compressed)
            payload = compressed
        }
        let cut = Bool.random(using: &generator) ? payload.count : Int.random(in: 0...payload.count, using: &generator)
        var frames = clientFrame(
            .text, Array(payload[..<cut]), fin: cut == payload.count, compressed: isCompressed, key: key)
        if cut < payload.count {
            if Bool.random(using: &generator) { frames += clientFrame(.ping, [1, 2, 3], key: key) }
            frames += clientFrame(.continuation, Array(payload[cut...]), key: ~key)
        }
        return frames
    }

    private func randomText(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var text: [UInt8] = []
        while text.count < count {
            text += Array((["a", "bc", "ß", "€", "😀", "longer ASCII run"].randomElement(using: &generator) ?? "").utf8)
        }
        return text
    }

    private func randomPieces(_ stream: [UInt8], _ generator: inout SeededGenerator) -> [[UInt8]] {
        let largest = [1, 3, 20, 500].randomElement(using: &generator) ?? 1
        var pieces: [[UInt8]] = []
        var start = 0
        while start < stream.count {
            let end = min(stream.count, start + Int.random(in: 1...largest, using: &generator))
            pieces.append(Array(stream[start..<end]))
            start = end
        }
        return pieces
    }
}
