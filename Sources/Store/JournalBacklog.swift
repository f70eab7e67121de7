/// The entries that a room has logged and the store has not stored yet, with the requests that wait for them: a value
/// without I/O, owned by the room's home.
///
/// Each room has at most one append under way, so that a failed append can be repeated before later entries. A waiting
/// request is told that its entry is stored, or that it could not be. In the second case the entry is kept and
/// repeated, because the room's members have it already.
package struct JournalBacklog<Waiting: Sendable>: Sendable {
    package struct Outcome: Sendable {
        /// Requests whose entries are stored.
        package var stored: [Waiting] = []
        /// The entries that are stored now.
        package var entries: [JournalEntry] = []
        /// Requests whose entries could not be stored now.
        package var refused: [Waiting] = []
        /// The stored room does not fit to this one: it has to be loaded again.
        package var isLost = false
        /// Another node is home to the room.
        package var hasMoved = false
    }

    private var entries: [JournalEntry] = []
    private var isUnderWay = false
    /// The number of entries at the beginning that are under way.
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

    /// Whether the room should accept no more changes until some are stored. The resend of an earlier request still
    /// waits, because it adds no entry.
    package var isFull: Bool {
        entries.count >= entriesMax || waiting.count >= entriesMax || byteCount >= bytesMax
    }
    package var isEmpty: Bool { entries.isEmpty }
    /// Whether no append is under way and no entry waits for one.
    package var isIdle: Bool { !isUnderWay && entries.isEmpty }
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

    /// Makes a request wait for an entry.
    ///
    /// - Returns: whether the entry is stored already; then the request does not wait.
    package mutating func wait(_ someone: Waiting, for seq: UInt64) -> Bool {
        guard seq > storedSeq else { return true }
        waiting.append((seq, someone))
        return false
    }

    /// The waiting requests. They are not answered here any more.
    package mutating func takeWaiting() -> [Waiting] {
        defer { waiting = [] }
        return waiting.map(\.waiting)
    }

    /// Nobody waits for the answers to some requests any more.
    package mutating func forgetWaiting(where isForgotten: (Waiting) -> Bool) {
        waiting.removeAll { isForgotten($0.waiting) }
    }

    /// The entries to append now; none while an append is under way.
    ///
    /// - Parameter proof: the newest stored entry. It is appended once more, so that a store which has lost it says so.
    package mutating func take(proof: JournalEntry? = nil) -> [JournalEntry] {
        guard !isUnderWay, proof != nil || !entries.isEmpty else { return [] }
        (isUnderWay, underWay) = (true, entries.count)
        return (proof.map { [$0] } ?? []) + entries
    }

    /// The store has answered that it has lost entries which it had confirmed: they are appended again.
    ///
    /// - Parameters:
    ///   - lost: the entries that follow the newest stored one.
    ///   - stored: the number of the newest stored one.
    /// - Returns: false when these are not all that is lost. Then the append has to be finished.
    package mutating func putBack(_ lost: [JournalEntry], after stored: UInt64) -> Bool {
        guard isUnderWay, lost.first?.seq == stored + 1, lost.last?.seq == storedSeq,
            zip(lost, lost.dropFirst()).allSatisfy({ $0.seq + 1 == $1.seq })
        else { return false }
        entries = lost + entries
        byteCount += lost.reduce(0) { $0 + $1.json.count }
        (storedSeq, isUnderWay, underWay) = (stored, false, 0)
        return true
    }

    /// The result of the append that was under way.
    package mutating func finish(_ result: Result<UInt64, StoreError>) -> Outcome {
        precondition(isUnderWay, "nothing is under way")
        var outcome = Outcome()
        switch result {
        case .success:
            outcome.entries = Array(entries.prefix(underWay))
            storedSeq = outcome.entries.last?.seq ?? storedSeq
            byteCount -= outcome.entries.reduce(0) { $0 + $1.json.count }
            entries.removeFirst(underWay)
            outcome.stored = waiting.filter { $0.seq <= storedSeq }.map(\.waiting)
            waiting.removeAll { $0.seq <= storedSeq }
        case .failure(let error):
            // Requests for later entries are refused too: they wait behind the failed ones.
            outcome.refused = waiting.map(\.waiting)
            waiting = []
            switch error {
            case .outOfOrder, .conflict, .notFound, .taken: outcome.isLost = true
            case .notHome: outcome.hasMoved = true
            default: break
            }
        }
        (isUnderWay, underWay) = (false, 0)
        return outcome
    }
}
