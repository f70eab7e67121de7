import Threads
import Transport

/// How fast one account, or one address, has sent of late, over all its connections.
final class SenderPaces: Sendable {
    let touches = SharedPace()
    let events = SharedPace()
    let joins = SharedPace()
    let sessions = SharedPace()
    let connects = SharedPace()
}

/// The paces of all accounts or addresses that are connected, and for a moment of those that have just gone: a sender that
/// comes back does not begin anew.
///
/// A connection fetches its sender's paces once and gives them back at its end; between the two they cost no lock.
final class SenderPaceTable<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        let paces = SenderPaces()
        var users = 0
        /// When the last user left it.
        var leftAt: Int64 = 0
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// Those that nobody used at a time, the earliest first from `swept` on.
        var left: [(key: Key, at: Int64)] = []
        var swept = 0
    }

    /// Past it: the paces of those that left the longest ago are forgotten early.
    private static var leftMax: Int { 100_000 }

    private let state = Locked(State())
    private let restMilliseconds: Int64

    /// - Parameter restMilliseconds: how long the slowest rate takes to work off what it allows at once.
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

    /// Forgets some that have been at rest for long enough: more than come with each call.
    private func sweep(_ state: inout State, _ now: Int64) {
        for _ in 0..<3 {
            guard state.swept < state.left.count else { break }
            let (key, at) = state.left[state.swept]
            guard at + restMilliseconds <= now || state.left.count - state.swept > Self.leftMax else { break }
            state.swept += 1
            // It may have been used and left again since.
            if let entry = state.entries[key], entry.users == 0, entry.leftAt == at { state.entries[key] = nil }
        }
        if state.swept > 64, state.swept > state.left.count / 2 {
            state.left.removeFirst(state.swept)
            state.swept = 0
        }
    }
}
