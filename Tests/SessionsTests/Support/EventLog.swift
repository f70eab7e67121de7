import Foundation
import Threads
import Transport

/// What the handlers of a server under test have seen, in order, for the tests to wait for.
final class EventLog: Sendable {
    private let lines = Locked<[String]>([])

    func append(_ line: String) {
        lines.withLock { $0.append(line) }
    }

    var all: [String] { lines.withLock { $0 } }

    func count(_ line: String) -> Int { all.count { $0 == line } }

    /// Whether the line has been written `times` times, now or before patience ends.
    func has(_ line: String, times: Int = 1) -> Bool {
        eventually { self.count(line) >= times }
    }
}

/// Whether something comes true before patience ends.
func eventually(_ condition: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: Double(TestConnection.patienceMilliseconds) / 1_000)
    while !condition() {
        if Date() > deadline { return false }
        usleep(500)
    }
    return true
}

/// A random source that can be made to repeat itself (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
