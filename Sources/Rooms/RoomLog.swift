/// The newest entries of a room's log, within a bound. A position in it is a sequence number.
struct RoomLog {
    private let bytesMax: Int
    private var entries: [LogEntry] = []
    /// The places before this one are empty.
    private var first = 0
    /// The length of the kept entries' frames, at most `bytesMax`.
    private(set) var byteCount = 0
    /// The number of the newest entry, even if that entry is not kept.
    private(set) var lastSeq: UInt64

    init(after seq: UInt64, bytesMax: Int) {
        lastSeq = seq
        self.bytesMax = bytesMax
    }

    var count: Int { entries.count - first }
    private var firstSeq: UInt64 { lastSeq + 1 - UInt64(count) }

    mutating func append(_ entry: LogEntry) {
        precondition(entry.seq == lastSeq + 1, "the log has a gap")
        lastSeq = entry.seq
        entries.append(entry)
        byteCount += entry.byteCount
        while byteCount > bytesMax { forgetFirst() }
        if first > 64, first > entries.count / 2 {
            entries.removeFirst(first)
            first = 0
        }
    }

    private mutating func forgetFirst() {
        byteCount -= entries[first].byteCount
        // The place is removed later, together with others. Its bytes are released now.
        entries[first] = LogEntry(seq: entries[first].seq, frames: [])
        first += 1
    }

    /// Whether all entries after `seq` are kept.
    func reaches(_ seq: UInt64) -> Bool {
        seq <= lastSeq && seq + 1 >= firstSeq
    }

    /// The entries after `seq`. `reaches(seq)` must hold.
    func entries(after seq: UInt64) -> ArraySlice<LogEntry> {
        precondition(reaches(seq), "the log does not reach back so far")
        return entries[(entries.count - Int(lastSeq - seq))...]
    }

    /// Adds older entries in front, from another copy of the same log.
    mutating func extendBack(_ older: [LogEntry]) {
        let missing = older.filter { $0.seq < firstSeq }
        guard let last = missing.last, last.seq + 1 == firstSeq else { return }
        let bytes = missing.reduce(0) { $0 + $1.byteCount }
        guard byteCount + bytes <= bytesMax else { return }
        entries.replaceSubrange(..<first, with: missing)
        first = 0
        byteCount += bytes
    }
}
