import Rooms
import Wire

/// The entries of one append to the log of a room.
struct RoomAppend: Sendable {
    let room: String
    let entries: [JournalEntry]
    /// The fence of the claim under which the room's home appends; nil on a server that is not part of a cluster.
    var fence: Int64?

    /// How the append changes the counts of its room.
    var change: Change {
        var change = Change()
        for entry in entries {
            change.bytes += entry.json.count
            switch entry.effect {
            case .created: change.elements += 1
            case .deleted:
                change.elements -= 1
                change.tombstones += 1
            case .updated: break
            case .none, .came, .left, .closed: continue
            }
            change.isActivity = true
        }
        return change
    }

    struct Change {
        var bytes = 0
        var elements = 0
        var tombstones = 0
        /// Whether an element was changed.
        var isActivity = false

        /// How many elements were made; some of them may be deleted already.
        var creations: Int { elements + tombstones }
    }
}

/// Appends entries to the logs of rooms, applies them to the elements, and keeps both within their bounds.
struct JournalWriting {
    let database: any SQLConnection
    let limits: StoreLimits
    /// Whether members who are not in the room are notified of new elements.
    let notifies: Bool

    init(_ database: any SQLConnection, _ limits: StoreLimits, notifies: Bool) {
        self.database = database
        self.limits = limits
        self.notifies = notifies
    }

    /// The counts of a room after an append.
    struct Counts {
        let key: Int64
        /// The room's era. That of its home may be less, because other nodes have started since, and is never greater.
        let era: Int64
        let entries: Int64
        let bytes: Int64
        let tombstones: Int64
    }

    // MARK: Appending

    /// - Returns: the number of the newest stored entry.
    func append(_ append: RoomAppend) throws(StoreError) -> UInt64 {
        let (entries, room) = (append.entries, append.room)
        guard let first = entries.first, let last = entries.last else { return try storedSeq(room) ?? 0 }
        precondition(
            zip(entries, entries.dropFirst()).allSatisfy { $0.seq + 1 == $1.seq } && first.seq > 0,
            "entries of one log are numbered without a gap")
        guard let counts = try advance(append, from: first.seq - 1, to: last) else { return try appendAgain(append) }
        try keep(entries, counts, room)
        return last.seq
    }

    /// Stores entries after the room's number was advanced.
    private func keep(_ entries: [JournalEntry], _ counts: Counts, _ room: String) throws(StoreError) {
        var pushes = EntryPushes()
        for entry in entries {
            try insert(entry, counts.key)
            try fold(entry, counts, room, &pushes)
        }
        try shorten(counts)
    }

    /// Keeps the journal and the tombstones of a room within their bounds.
    func shorten(_ counts: Counts) throws(StoreError) {
        if counts.entries > limits.journalEntriesMax || counts.bytes > limits.journalBytesMax {
            try Compaction(database, limits).shortenJournal(of: counts.key)
        }
        if counts.tombstones > limits.tombstonesMax {
            try Compaction(database, limits).forgetDeletions(of: counts.key, keeping: limits.tombstonesMax * 3 / 4)
        }
    }

    /// Advances the room's number, if these entries begin there. It makes an unknown room.
    private func advance(
        _ append: RoomAppend, from seq: UInt64, to last: JournalEntry
    ) throws(StoreError) -> Counts? {
        let (room, change) = (append.room, append.change)
        if seq == 0, append.fence == nil {
            try database.run(
                "INSERT INTO rooms (id, created_at, active_at) VALUES ($1, $2, $2) ON CONFLICT DO NOTHING", .text(room),
                .int(last.at))
        }
        return try database.first(
            """
            UPDATE rooms SET seq = $3, journal_count = journal_count + $4, journal_bytes = journal_bytes + $5,
                element_count = element_count + $6, tombstone_count = tombstone_count + $7,
                active_at = CASE WHEN $8 AND active_at < $9 THEN $9 ELSE active_at END,
                journal_oldest_at = CASE WHEN journal_count = 0 THEN $9 ELSE journal_oldest_at END
            WHERE id = $1 AND seq = $2 AND ($10 OR fence = $11)
            RETURNING key, journal_count, journal_bytes, tombstone_count, losses + (SELECT number FROM starts)
            """, .text(room), .seq(seq), .seq(last.seq), .int(append.entries.count), .int(change.bytes),
            .int(change.elements), .int(change.tombstones), .bool(change.isActivity), .int(last.at),
            .bool(append.fence == nil), .int(append.fence ?? 0)
        ) {
            Counts(key: $0.int(0), era: $0.int(4), entries: $0.int(1), bytes: $0.int(2), tombstones: $0.int(3))
        }
    }

    private func insert(_ entry: JournalEntry, _ key: Int64) throws(StoreError) {
        try database.run(
            """
            INSERT INTO journal (room, seq, kind, at, json, except_for, incarnation) VALUES ($1, $2, $3, $4, $5, $6, $7)
            """, .int(key), .seq(entry.seq), .text(entry.kind), .int(entry.at), .json(entry.json),
            .optional(entry.except), .seq(entry.incarnation))
    }

    private func storedSeq(_ room: String) throws(StoreError) -> UInt64? {
        try database.first("SELECT seq FROM rooms WHERE id = $1", .text(room)) { $0.seq(0) }
    }

    /// A home that does not know whether an append was stored repeats it. Entries that are stored already are skipped.
    ///
    /// Under the newest fence nobody else has appended: what the room counts is stored, also when the journal does not have it any
    /// more, because it was old by the clock of the home or of another node. Without a fence, and under an older one, the same bytes prove it.
    private func appendAgain(_ append: RoomAppend) throws(StoreError) -> UInt64 {
        let (entries, room) = (append.entries, append.room)
        let reading = RoomReading(database)
        guard let found = try reading.position(of: room) else { throw .outOfOrder(stored: 0) }
        let standing = try standing(of: append)
        let refusal: StoreError = standing == .replaced ? .notHome : .outOfOrder(stored: found.seq)
        guard let first = entries.first, first.seq <= found.seq else { throw refusal }
        let again = entries.prefix { $0.seq <= found.seq }
        if standing != .home {
            let known = try reading.entries(found.key, after: first.seq - 1, limits)
            guard known.count >= again.count, zip(again, known).allSatisfy({ $0.isSame(as: $1) }) else { throw refusal }
        }
        let rest = Array(entries.dropFirst(again.count))
        if rest.isEmpty { return entries.last?.seq ?? found.seq }
        guard standing != .replaced else { throw refusal }
        return try self.append(RoomAppend(room: room, entries: rest, fence: append.fence))
    }

    /// Whether the home of an append is the room's home still.
    private enum Standing { case home, replaced, unfenced }

    private func standing(of append: RoomAppend) throws(StoreError) -> Standing {
        guard let fence = append.fence else { return .unfenced }
        let newest = try database.first("SELECT fence FROM rooms WHERE id = $1", .text(append.room)) { $0.int(0) }
        return newest == fence ? .home : .replaced
    }

    /// Brings the tables up to date with what an entry does.
    private func fold(
        _ entry: JournalEntry, _ counts: Counts, _ room: String, _ pushes: inout EntryPushes
    ) throws(StoreError) {
        let key = counts.key
        switch entry.effect {
        case .none: return
        case .created(let element, let creation):
            try insert(element, creation, entry, counts)
            try show(entry.media, element, room)
            if notifies { try notify(of: element, entry, key, room, &pushes) }
            return
        case .updated(let element):
            try update(element, entry, counts)
            return try show(entry.media, element, room)
        case .deleted(let id, let version):
            try bury(id, version, entry, key)
            return try MediaUses(database).set([], shownBy: MediaUses.holder(element: id, room: room))
        case .came(let presence):
            try database.run(
                """
                INSERT INTO present (room, person, slot, joined_at, profile) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (room, person) DO UPDATE
                    SET slot = excluded.slot, joined_at = excluded.joined_at, profile = excluded.profile
                """, .int(key), .text(presence.id), .optional(presence.slot.map { Int64($0) }),
                .int(presence.joinedAt), .optional(json: presence.profile))
        case .left(let person):
            try database.run("DELETE FROM present WHERE room = $1 AND person = $2", .int(key), .text(person))
        case .closed: try database.run("DELETE FROM present WHERE room = $1", .int(key))
        }
        pushes.presenceChanged()
    }

    private func notify(
        of element: Element, _ entry: JournalEntry, _ key: Int64, _ room: String, _ pushes: inout EntryPushes
    ) throws(StoreError) {
        guard let actor = try? JSONReader(element.createdBy).string, pushes.begins(by: actor, at: entry.at) else {
            return
        }
        try PushWriting(database).tellMembers(
            of: room, key, .elementAdded, by: actor, at: entry.at, sparesPresent: true)
    }

    // MARK: Elements

    private func insert(
        _ element: Element, _ creation: String?, _ entry: JournalEntry, _ counts: Counts
    ) throws(StoreError) {
        let values = element.values
        try database.run(
            """
            INSERT INTO elements (room, id, created_seq, seq, kind, created_by, created_at, version, updated_at,
                updated_by, creation, position_x, position_y, width, height, content, image_url, audio_url, duration,
                z, color, era)
            VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
            """, .int(counts.key), .text(element.id), .seq(entry.seq), .text(element.kind.rawValue),
            .json(element.createdBy), .int(element.createdAt), .int(element.version), .optional(element.updatedAt),
            .optional(json: element.updatedBy), .optional(creation), .optional(json: values[0]),
            .optional(json: values[1]), .optional(json: values[2]), .optional(json: values[3]),
            .optional(json: values[4]), .optional(json: values[5]), .optional(json: values[6]),
            .optional(json: values[7]), .optional(json: values[8]), .optional(json: values[9]), .int(counts.era))
    }

    private func update(_ element: Element, _ entry: JournalEntry, _ counts: Counts) throws(StoreError) {
        let values = element.values
        let count = try database.run(
            """
            UPDATE elements SET seq = $3, version = $4, updated_at = $5, updated_by = $6, position_x = $7,
                position_y = $8, width = $9, height = $10, content = $11, image_url = $12, audio_url = $13,
                duration = $14, z = $15, color = $16, era = $17
            WHERE room = $1 AND id = $2 AND deleted_at IS NULL
            """, .int(counts.key), .text(element.id), .seq(entry.seq), .int(element.version),
            .optional(element.updatedAt), .optional(json: element.updatedBy), .optional(json: values[0]),
            .optional(json: values[1]), .optional(json: values[2]), .optional(json: values[3]),
            .optional(json: values[4]), .optional(json: values[5]), .optional(json: values[6]),
            .optional(json: values[7]), .optional(json: values[8]), .optional(json: values[9]), .int(counts.era))
        guard count == 1 else { throw .notFound("element") }
    }

    private func bury(_ id: String, _ version: Int, _ entry: JournalEntry, _ key: Int64) throws(StoreError) {
        let count = try database.run(
            """
            UPDATE elements SET seq = $3, version = $4, deleted_at = $5, updated_at = NULL, updated_by = NULL,
                position_x = NULL, position_y = NULL, width = NULL, height = NULL, content = NULL, image_url = NULL,
                audio_url = NULL, duration = NULL, z = NULL, color = NULL
            WHERE room = $1 AND id = $2 AND deleted_at IS NULL
            """, .int(key), .text(id), .seq(entry.seq), .int(version), .int(entry.at))
        guard count == 1 else { throw .notFound("element") }
    }

    /// Notes show no files, so there is nothing to look for.
    private func show(_ media: [String], _ element: Element, _ room: String) throws(StoreError) {
        guard element.kind != .note || !media.isEmpty else { return }
        try MediaUses(database).set(media, shownBy: MediaUses.holder(element: element.id, room: room))
    }
}

extension JournalEntry {
    /// Whether this is the stored entry, and not another with its number.
    fileprivate func isSame(as stored: JournalEntry) -> Bool {
        seq == stored.seq && kind == stored.kind && json == stored.json && incarnation == stored.incarnation
    }
}
