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

/// The meters of all connected accounts or addresses. A meter stays after the last connection until its rates are at
/// rest, so that reconnecting does not reset it.
///
/// A connection fetches its meter once and gives it back at its end. Between the two it needs no lock.
final class SenderPaceTable<Key: Hashable & Sendable>: Meters {
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

        /// Moves what is left of a crowd into containers of its size, because neither a dictionary nor an array gives
        /// back its room when items are removed. Returns the old ones.
        mutating func shrink() -> State? {
            let (room, count) = (max(entries.capacity, left.capacity), max(entries.count, left.count))
            guard room > 8_000, count <= room / 8 else { return nil }
            let old = self
            entries = Dictionary(minimumCapacity: old.entries.count)
            for (key, entry) in old.entries { entries[key] = entry }
            // An array that is made of a whole slice shares its storage, and so its room.
            (left, swept) = ([], 0)
            left.append(contentsOf: old.left[old.swept...])
            return old
        }
    }

    /// Past it: the meters that have been unused for longest are removed early.
    private static var leftMax: Int { 100_000 }
    /// How many unused meters `fetch` and `giveBack` may remove: more than they can add.
    private static var sweptByEach: Int { 3 }
    /// How many `removeUnused` may remove. When nobody comes or goes, it alone removes them.
    private static var sweptAtOnce: Int { 1_000 }

    private let state = Locked(State())
    private let restMilliseconds: Int64

    /// - Parameter restMilliseconds: how long the slowest rate takes to be back at zero.
    init(restMilliseconds: Int64 = 1_000) {
        self.restMilliseconds = restMilliseconds
    }

    var count: Int { state.withLock { $0.entries.count } }
    /// How many meters there is room for; for tests, as `count` is.
    var capacity: Int { state.withLock { max($0.entries.capacity, $0.left.capacity) } }

    func fetch(_ key: Key, now: Int64) -> SenderPaces {
        state.withLock { state in
            sweep(&state, now, atMost: Self.sweptByEach)
            state.entries[key, default: Entry()].users += 1
            return state.entries[key]?.paces ?? SenderPaces()
        }
    }

    func giveBack(_ key: Key, now: Int64) {
        state.withLock { state in
            sweep(&state, now, atMost: Self.sweptByEach)
            guard var entry = state.entries[key] else { return }
            entry.users -= 1
            if entry.users == 0 {
                entry.leftAt = now
                state.left.append((key, now))
            }
            state.entries[key] = entry
        }
    }

    func removeUnused(now: Int64) -> Bool {
        guard state.withLock({ sweep(&$0, now, atMost: Self.sweptAtOnce) }) < Self.sweptAtOnce else { return true }
        // Released after the lock, because it may be large.
        _ = state.withLock { $0.shrink() }
        return false
    }

    /// Removes unused meters that are at rest, the earliest first. Returns how many places it has looked at.
    @discardableResult
    private func sweep(_ state: inout State, _ now: Int64, atMost countMax: Int) -> Int {
        var count = 0
        while count < countMax, state.swept < state.left.count {
            let (key, at) = state.left[state.swept]
            guard at + restMilliseconds <= now || state.left.count - state.swept > Self.leftMax else { break }
            state.swept += 1
            count += 1
            // It may have been used and given back again since.
            if let entry = state.entries[key], entry.users == 0, entry.leftAt == at { state.entries[key] = nil }
        }
        if state.swept > 64, state.swept > state.left.count / 2 {
            state.left.removeFirst(state.swept)
            state.swept = 0
        }
        return count
    }
}
