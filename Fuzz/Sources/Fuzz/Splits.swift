/// Cuts an input into pieces, in a way that depends on the input alone: a finding can be repeated.
struct Splits {
    private var state: UInt64

    init(seed: Span<UInt8>) {
        // FNV-1a; the generator must not start at zero.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in seed.indices { hash = (hash ^ UInt64(seed[index])) &* 0x0000_0100_0000_01b3 }
        state = hash | 1
    }

    /// Consecutive ranges that cover `0..<count`, most of them short, some of them empty.
    mutating func ranges(_ count: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        while start < count {
            let end = start + min(nextLength(), count - start)
            ranges.append(start..<end)
            start = end
        }
        return ranges
    }

    private mutating func nextLength() -> Int {
        // xorshift64
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state & 0x30 == 0 ? Int(state >> 32 & 127) : Int(state >> 32 & 7)
    }
}
