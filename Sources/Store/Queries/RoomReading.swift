import Rooms

/// Reads rooms for the relay.
struct RoomReading {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    func position(of room: String) throws(StoreError) -> (key: Int64, seq: UInt64)? {
        try database.first("SELECT key, seq FROM rooms WHERE id = $1", .text(room)) { ($0.int(0), $0.seq(1)) }
    }

    /// - Parameter start: the number of the server's start; nil for that of the newest start of a node.
    func room(_ id: String, _ limits: StoreLimits, start: Int64?) throws(StoreError) -> StoredRoom? {
        guard let position = try position(of: id) else { return nil }
        let (key, seq) = position
        let elements = try elements(key)
        let creations = try rememberedCreations(key, limits)
        let entries = try newestEntries(key, through: seq, limits)
        let present = try database.rows(
            "SELECT person, slot, joined_at, profile FROM present WHERE room = $1", .int(key)
        ) { row in
            Presence(
                row.text(0), slot: row.optionalInt(1).map { Int($0) }, joinedAt: row.optionalInt(2) ?? 0,
                profile: row.isNull(3) ? [] : row.bytes(3))
        }
        return try database.first(
            """
            SELECT name, created_by, created_at, closed_at, losses, coalesce($2, (SELECT number FROM starts), 0)
            FROM rooms WHERE key = $1
            """, .int(key), .optional(start)
        ) { row in
            StoredRoom(
                id: id, name: row.optionalText(0), createdBy: row.optionalText(1), createdAt: row.int(2),
                isActive: row.isNull(3), seq: seq, elements: elements, rememberedCreations: creations,
                entries: entries, present: present, era: RoomEra.bounded(row.int(4)) + RoomEra.bounded(row.int(5)))
        }
    }

    private func elements(_ key: Int64) throws(StoreError) -> [StoredElement] {
        try database.rows(
            """
            SELECT id, seq, kind, created_by, created_at, version, updated_at, updated_by, creation,
                position_x, position_y, width, height, content, image_url, audio_url, duration, z, color, era
            FROM elements WHERE room = $1 AND deleted_at IS NULL ORDER BY created_seq
            """, .int(key)
        ) { ElementColumns.stored($0, from: 0, era: 19) }
    }

    private func rememberedCreations(_ key: Int64, _ limits: StoreLimits) throws(StoreError) -> [String] {
        try database.rows(
            """
            SELECT creation FROM elements WHERE room = $1 AND deleted_at IS NOT NULL AND creation IS NOT NULL
            ORDER BY seq DESC LIMIT $2
            """, .int(key), .int(limits.rememberedCreationsMax)
        ) { $0.text(0) }.reversed()
    }

    private func newestEntries(
        _ key: Int64, through seq: UInt64, _ limits: StoreLimits
    ) throws(StoreError) -> [JournalEntry] {
        let first = try database.first("SELECT min(seq) FROM journal WHERE room = $1", .int(key)) { $0.optionalInt(0) }
        guard let first, let first else { return [] }
        let entries = try entries(key, after: UInt64(clamping: first - 1), limits)
        // A journal that does not end where the room does is of no use to a client that comes back.
        return entries.last?.seq == seq ? entries : []
    }

    func entries(_ key: Int64, after seq: UInt64, _ limits: StoreLimits) throws(StoreError) -> [JournalEntry] {
        try database.rows(
            """
            SELECT seq, kind, json, except_for, at, incarnation FROM journal WHERE room = $1 AND seq > $2
            ORDER BY seq LIMIT $3
            """, .int(key), .seq(seq), .int(limits.journalEntriesMax + 1)
        ) { row in
            JournalEntry(
                seq: row.seq(0), kind: row.text(1), json: row.bytes(2), except: row.optionalText(3), at: row.int(4),
                incarnation: row.seq(5))
        }
    }

    func changes(
        of room: String, since position: ChangesPosition, limit: Int, bytesMax: Int
    ) throws(StoreError) -> ElementChanges {
        let found = try database.first(
            "SELECT key, seq, forgotten_seq FROM rooms WHERE id = $1", .text(room)
        ) { (key: $0.int(0), seq: $0.seq(1), forgotten: $0.seq(2)) }
        guard let found else { throw .notFound("room") }
        // At the beginning there can be no deletions. A number that the room has not reached is from another life of
        // it.
        let since = position.seq
        let isReset = (since > 0 && position.begin < found.forgotten) || since > found.seq
        var elements: [StoredElement] = []
        var tombstones: [Tombstone] = []
        var (last, bytes) = (UInt64(0), 0)
        try database.each(
            """
            SELECT id, seq, kind, created_by, created_at, version, updated_at, updated_by, creation,
                position_x, position_y, width, height, content, image_url, audio_url, duration, z, color,
                deleted_at
            FROM elements WHERE room = $1 AND seq > $2 ORDER BY seq LIMIT $3
            """, [.int(found.key), .seq(isReset ? 0 : since), .int(limit + 1)]
        ) { row throws(StoreError) in
            guard elements.count + tombstones.count < limit, bytes < bytesMax else { return last = .max }
            let seq = row.seq(1)
            if let deletedAt = row.optionalInt(19) {
                tombstones.append(ElementColumns.tombstone(row, from: 0, deletedAt: deletedAt))
            } else {
                let stored = ElementColumns.stored(row, from: 0)
                for value in stored.element.values { bytes += value.count }
                elements.append(stored)
            }
            last = seq
        }
        let hasMore = last == .max
        let newest = max(elements.last?.seq ?? 0, tombstones.last?.seq ?? 0)
        return ElementChanges(
            through: hasMore ? newest : found.seq, hasMore: hasMore, isReset: isReset, seq: found.seq,
            begin: since == 0 || isReset ? found.seq : position.begin, elements: elements, tombstones: tombstones)
    }
}
