/// Keccak-256 as Ethereum uses it: SHA-3 with the padding that it had before it became a standard.
enum Keccak256 {
    static let bytesCount = 32
    /// Bytes that go into the state between two permutations.
    private static let blockBytesCount = 136

    static func of(_ bytes: [UInt8]) -> [UInt8] {
        var padded = bytes
        padded.append(0x01)
        padded += Array(repeating: 0, count: (blockBytesCount - padded.count % blockBytesCount) % blockBytesCount)
        padded[padded.count - 1] |= 0x80
        var state = Array(repeating: UInt64(0), count: 25)
        for start in stride(from: 0, to: padded.count, by: blockBytesCount) {
            for index in 0..<blockBytesCount {
                state[index / 8] ^= UInt64(padded[start + index]) << UInt64(index % 8 * 8)
            }
            permute(&state)
        }
        return (0..<bytesCount).map { UInt8(truncatingIfNeeded: state[$0 / 8] >> UInt64($0 % 8 * 8)) }
    }

    // MARK: The permutation

    private static func permute(_ state: inout [UInt64]) {
        var columns = Array(repeating: UInt64(0), count: 5)
        for constant in roundConstants {
            for x in 0..<5 { columns[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20] }
            for x in 0..<5 {
                let parity = columns[(x + 4) % 5] ^ rotated(columns[(x + 1) % 5], 1)
                for y in 0..<5 { state[x + 5 * y] ^= parity }
            }
            // Each lane moves to the place of the next, around all but the first.
            var moved = state[1]
            for (place, offset) in zip(places, offsets) {
                (state[place], moved) = (rotated(moved, offset), state[place])
            }
            for row in stride(from: 0, to: 25, by: 5) {
                for x in 0..<5 { columns[x] = state[row + x] }
                for x in 0..<5 { state[row + x] = columns[x] ^ (~columns[(x + 1) % 5] & columns[(x + 2) % 5]) }
            }
            state[0] ^= constant
        }
    }

    private static func rotated(_ lane: UInt64, _ count: UInt64) -> UInt64 { lane << count | lane >> (64 - count) }

    /// The order in which lanes move, from lane 1 on.
    private static let places: [Int] = {
        var places: [Int] = []
        var (x, y) = (1, 0)
        for _ in 0..<24 {
            (x, y) = (y, (2 * x + 3 * y) % 5)
            places.append(x + 5 * y)
        }
        return places
    }()

    /// How far each of these lanes is rotated: the triangular numbers.
    private static let offsets: [UInt64] = (1...24).map { (step: UInt64) -> UInt64 in step * (step + 1) / 2 % 64 }

    /// The constants of the rounds, from the register of eight bits that the standard describes.
    private static let roundConstants: [UInt64] = {
        var constants: [UInt64] = []
        var register: UInt8 = 1
        for _ in 0..<24 {
            var constant: UInt64 = 0
            for power: UInt64 in 0..<7 {
                let bit: UInt64 = (1 << power) - 1
                if register & 1 == 1 { constant |= 1 << bit }
                let carry: UInt8 = register >> 7
                register = (register << 1) ^ (carry * 0x71)
            }
            constants.append(constant)
        }
        return constants
    }()
}
