import Rooms
import Wire

/// Appends to the logs of many rooms with few statements: what costs in PostgreSQL is the statement, not the row.
///
/// The rooms of a group are advanced and their entries inserted by one statement. A room that does not stand where its
/// entries begin is left out by it, and does not disturb the others. Then the effects on elements and participants are
/// stored, one statement for each kind. What the statements cannot do together goes one append at a time, as in SQLite: a
/// repeated append, and one that may notify members.
struct PostgresAppend {
    private let database: PostgresConnection
    private let writing: JournalWriting

    init(_ database: PostgresConnection, _ writing: JournalWriting) {
        self.database = database
        self.writing = writing
    }

    func append(_ appends: [RoomAppend]) throws(StoreError) -> [Result<UInt64, StoreError>] {
        var results = [Result<UInt64, StoreError>?](repeating: nil, count: appends.count)
        for round in Self.rounds(appends) {
            let stored = try storeTogether(round.filter { isForAll(appends[$0], round) }, appends)
            for number in round {
                if stored.contains(number), let last = appends[number].entries.last {
                    results[number] = .success(last.seq)
                } else {
                    results[number] = try alone(appends[number])
                }
            }
        }
        return results.compactMap(\.self)
    }

    /// The numbers of the appends: first the first of each room, then the second of each, and so on.
    private static func rounds(_ appends: [RoomAppend]) -> [[Int]] {
        var rounds: [[Int]] = []
        var seen: [ExactText: Int] = [:]
        for (number, append) in appends.enumerated() {
            let round = seen[ExactText(append.room), default: 0]
            seen[ExactText(append.room)] = round + 1
            if round == rounds.count { rounds.append([]) }
            rounds[round].append(number)
        }
        return rounds
    }

    /// Whether an append goes with the others of its round. One that may notify members asks who is there at its place
    /// of the log.
    private func isForAll(_ append: RoomAppend, _ round: [Int]) -> Bool {
        guard round.count > 1, !append.entries.isEmpty else { return false }
        return !writing.notifies || append.change.creations == 0
    }

    /// - Returns: those that were stored. The others do not follow what is stored.
    private func storeTogether(_ numbers: [Int], _ appends: [RoomAppend]) throws(StoreError) -> Set<Int> {
        let counts = try advance(numbers.map { (number: $0, append: appends[$0]) })
        var effects = PostgresEffects()
        for (number, counts) in counts {
            for entry in appends[number].entries { try effects.add(entry, counts, appends[number].room) }
        }
        try effects.store(in: database)
        for counts in counts.values { try writing.shorten(counts) }
        return Set(counts.keys)
    }

    private func alone(_ append: RoomAppend) throws(StoreError) -> Result<UInt64, StoreError> {
        do throws(StoreError) {
            return .success(try writing.append(append))
        } catch {
            // It is refused before it has written anything.
            switch error {
            case .outOfOrder, .notHome: return .failure(error)
            default: throw error
            }
        }
    }

    // MARK: The log

    /// Advances rooms that stand where their entries begin, and inserts the entries.
    ///
    /// - Returns: the counts of those rooms, by the numbers of their appends.
    private func advance(
        _ appends: [(number: Int, append: RoomAppend)]
    ) throws(StoreError) -> [Int: JournalWriting.Counts] {
        var rooms: [[SQLValue]] = []
        var entries: [[SQLValue]] = []
        for (number, append) in appends {
            guard let first = append.entries.first, let last = append.entries.last else { continue }
            let change = append.change
            rooms.append([
                .int(number), .text(append.room), .seq(first.seq - 1), .seq(last.seq), .int(append.entries.count),
                .int(change.bytes), .int(change.elements), .int(change.tombstones), .bool(change.isActivity),
                .int(last.at), append.fence.map { .int($0) } ?? .null,
            ])
            for entry in append.entries {
                entries.append([
                    .int(number), .seq(entry.seq), .text(entry.kind), .int(entry.at), .json(entry.json),
                    .optional(entry.except), .seq(entry.incarnation),
                ])
            }
        }
        _ = try database.execute(
            "INSERT INTO rooms (id, created_at, active_at) SELECT id, at, at FROM unnest($1, $2) AS v (id, at) ON CONFLICT DO NOTHING",
            [.text, .int], rooms.filter { $0[2] == .int(0) && $0[10] == .null }.map { [$0[1], $0[9]] })
        return try insert(entries, advancing: rooms)
    }

    private func insert(
        _ entries: [[SQLValue]], advancing rooms: [[SQLValue]]
    ) throws(StoreError) -> [Int: JournalWriting.Counts] {
        var counts: [Int: JournalWriting.Counts] = [:]
        var keys: [[SQLValue]] = []
        _ = try database.execute(
            """
            UPDATE rooms SET seq = v.last, journal_count = journal_count + v.entries,
                journal_bytes = journal_bytes + v.bytes, element_count = element_count + v.elements,
                tombstone_count = tombstone_count + v.tombstones,
                active_at = CASE WHEN v.is_activity AND active_at < v.at THEN v.at ELSE active_at END,
                journal_oldest_at = CASE WHEN journal_count = 0 THEN v.at ELSE journal_oldest_at END
            FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                AS v (number, id, before, last, entries, bytes, elements, tombstones, is_activity, at, fence)
            WHERE rooms.id = v.id AND rooms.seq = v.before AND (v.fence IS NULL OR rooms.fence = v.fence)
            RETURNING v.number, key, journal_count, journal_bytes, tombstone_count,
                losses + (SELECT starts.number FROM starts)
            """, [.int, .text, .int, .int, .int, .int, .int, .int, .bool, .int, .int], rooms
        ) { row in
            counts[Int(row.int(0))] = JournalWriting.Counts(
                key: row.int(1), era: row.int(5), entries: row.int(2), bytes: row.int(3), tombstones: row.int(4))
        }
        for entry in entries {
            guard case .int(let number) = entry[0], let room = counts[Int(number)] else { continue }
            keys.append([.int(room.key)] + entry.dropFirst())
        }
        _ = try database.execute(
            """
            INSERT INTO journal (room, seq, kind, at, json, except_for, incarnation)
            SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7)
            """, [.int, .int, .text, .int, .text, .text, .int], keys)
        return counts
    }
}
