/// SplitMix64: the same numbers for the same seed, on every machine.
struct SimulationRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `bound - 1`; 0 for a bound of 0.
    mutating func below(_ bound: Int) -> Int {
        bound > 1 ? Int(next() >> 33) % bound : 0
    }

    mutating func percent(_ chance: Int) -> Bool { below(100) < chance }

    mutating func pick<Item>(_ items: [Item]) -> Item? {
        items.isEmpty ? nil : items[below(items.count)]
    }
}
