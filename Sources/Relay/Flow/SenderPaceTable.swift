import Threads
import Transport

/// The counts of one account or one address, over all its connections.
final class SenderPaces: Sendable {
    let touches = SharedPace()
    let events = SharedPace()
    let joins = SharedPace()
    let sessions = SharedPace()
    let connects = SharedPace()
}

/// The meters of all connected accounts or addresses. A meter stays for a moment after the last connection, so that
/// reconnecting does not reset it.
///
/// A connection fetches its meter once and gives it back at its end. Between the two it needs no lock.
final class SenderPaceTable<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        let paces = SenderPaces()
        var users = 0
        /// When the last connection gave it back.
        var leftAt: Int64 = 0
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// Unused meters, from `swept` on, the earliest first.
        var left: [(key: Key, at: Int64)] = []
        var swept = 0
    }

    /// Past it: the meters that have been unused for longest are removed early.
    private static var leftMax: Int { 100_000 }

    private let state = Locked(State())
    private let restMilliseconds: Int64

    /// - Parameter restMilliseconds: how long the slowest rate takes to be back at zero.
    init(restMilliseconds: Int64 = 1_000) {
        self.restMilliseconds = restMilliseconds
    }

    var count: Int { state.withLock { $0.entries.count } }

    func fetch(_ key: Key, now: Int64) -> SenderPaces {
        state.withLock { state in
            sweep(&state, now)
            state.entries[key, default: Entry()].users += 1
            return state.entries[key]?.paces ?? SenderPaces()
        }
    }

    func giveBack(_ key: Key, now: Int64) {
        state.withLock { state in
            sweep(&state, now)
            guard var entry = state.entries[key] else { return }
            entry.users -= 1
            if entry.users == 0 {
                entry.leftAt = now
                state.left.append((key, now))
            }
            state.entries[key] = entry
        }
    }

    /// Removes some unused meters: more than one call can add.
    private func sweep(_ state: inout State, _ now: Int64) {
        for _ in 0..<3 {
            guard state.swept < state.left.count else { break }
            let (key, at) = state.left[state.swept]
            guard at + restMilliseconds <= now || state.left.count - state.swept > Self.leftMax else { break }
            state.swept += 1
            // It may have been used and given back again since.
            if let entry = state.entries[key], entry.users == 0, entry.leftAt == at { state.entries[key] = nil }
        }
        if state.swept > 64, state.swept > state.left.count / 2 {
            state.left.removeFirst(state.swept)
            state.swept = 0
        }
    }
}
