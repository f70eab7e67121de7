/// What a room has logged and the store has not stored yet, and who waits for it: a value without I/O, owned by the room's
/// home.
///
/// One append of a room is under way at a time, so that what failed can be appended again before anything that follows.
/// Those who wait for an entry are told that it is stored, or that it could not be; in the latter case the entry is kept
/// and tried again, since the room's members have seen it.
package struct JournalBacklog<Waiting: Sendable>: Sendable {
    package struct Outcome: Sendable {
        /// Their entries are stored.
        package var stored: [Waiting] = []
        /// Their entries could not be stored now.
        package var refused: [Waiting] = []
        /// What the store has of this room does not fit: it has to be loaded anew.
        package var isLost = false
    }

    private var entries: [JournalEntry] = []
    /// Entries at the beginning that are under way.
    private var underWay = 0
    private var waiting: [(seq: UInt64, waiting: Waiting)] = []
    package private(set) var byteCount = 0
    private let entriesMax: Int
    private let bytesMax: Int
    package private(set) var storedSeq: UInt64

    /// - Parameter storedSeq: the room's newest entry when it was loaded.
    package init(storedSeq: UInt64, entriesMax: Int = 4_096, bytesMax: Int = 4 << 20) {
        self.storedSeq = storedSeq
        self.entriesMax = entriesMax
        self.bytesMax = bytesMax
    }

    /// Whether the room should take no more changes until some are stored. What was done before and is asked for again
    /// waits without adding an entry.
    package var isFull: Bool {
        entries.count >= entriesMax || waiting.count >= entriesMax || byteCount >= bytesMax
    }
    package var isEmpty: Bool { entries.isEmpty }
    package var count: Int { entries.count }

    /// The keys of the files that its elements show.
    package var media: Set<String> {
        var keys: Set<String> = []
        for entry in entries {
            keys.formUnion(entry.media)
        }
        return keys
    }

    package mutating func add(_ entry: JournalEntry) {
        precondition(entry.seq == (entries.last?.seq ?? storedSeq) + 1, "the backlog has a gap")
        entries.append(entry)
        byteCount += entry.json.count
    }

    /// Has somebody wait for an entry.
    ///
    /// - Returns: whether it is stored already; then nobody waits.
    package mutating func wait(_ someone: Waiting, for seq: UInt64) -> Bool {
        guard seq > storedSeq else { return true }
        waiting.append((seq, someone))
        return false
    }

    /// What is to be appended now; nothing while an append is under way.
    package mutating func take() -> [JournalEntry] {
        guard underWay == 0 else { return [] }
        underWay = entries.count
        return entries
    }

    /// What came of the append that was under way.
    package mutating func finish(_ result: Result<UInt64, StoreError>) -> Outcome {
        precondition(underWay > 0, "nothing is under way")
        var outcome = Outcome()
        switch result {
        case .success:
            storedSeq = entries[underWay - 1].seq
            byteCount -= entries[..<underWay].reduce(0) { $0 + $1.json.count }
            entries.removeFirst(underWay)
            outcome.stored = waiting.filter { $0.seq <= storedSeq }.map(\.waiting)
            waiting.removeAll { $0.seq <= storedSeq }
        case .failure(let error):
            // Who waits for what came later is refused too: it waits behind what failed.
            outcome.refused = waiting.map(\.waiting)
            waiting = []
            if case .outOfOrder = error { outcome.isLost = true }
        }
        underWay = 0
        return outcome
    }
}
