/// SplitMix64: the same seed gives the same packets on every machine.
struct PacketRandom: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// Characters of one to four bytes in UTF-8, never the one that parts packets.
    mutating func text(upTo count: Int) -> String {
        let characters = ["a", "\"", "\\", ":", "b", "4", "{", "\u{7F}", "\n", "é", "€", "\u{FFFF}", "🎉", "\u{10FFFF}"]
        return (0..<Int.random(in: 0...count, using: &self)).map { _ in
            characters[Int.random(in: 0..<characters.count, using: &self)]
        }.joined()
    }
}

/// Every sequence of `alphabet` up to a length, for the exhaustive tests.
func forEachSequence<Element>(of alphabet: [Element], upTo length: Int, _ body: ([Element]) -> Void) {
    var sequences: [[Element]] = [[]]
    for _ in 0...length {
        sequences.forEach(body)
        if sequences[0].count == length { return }
        sequences = sequences.flatMap { sequence in alphabet.map { sequence + [$0] } }
    }
}
