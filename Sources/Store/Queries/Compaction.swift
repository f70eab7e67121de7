/// Deletes the oldest entries of journals, and the oldest tombstones.
struct Compaction {
    let database: any SQLConnection
    let limits: StoreLimits

    init(_ database: any SQLConnection, _ limits: StoreLimits) {
        self.database = database
        self.limits = limits
    }

    /// Shortens a room's journal to three quarters of its bounds, so that not every entry shortens it, and to entries
    /// that are not too old and come after the `last` one that has to go. It locks the room first, as its home does to append: what is
    /// counted here stays so.
    func shortenJournal(
        of room: Int64, notBefore time: Int64 = .min, through last: Int64 = .min
    ) throws(StoreError) {
        try lock(room)
        var kept: (count: Int, bytes: Int, first: Int64?, oldest: Int64?) = (0, 0, nil, nil)
        var isFull = false
        try database.each(
            "SELECT seq, json, at FROM journal WHERE room = $1 ORDER BY seq DESC", [.int(room)]
        ) { row throws(StoreError) in
            let bytes = kept.bytes + row.byteCount(1)
            isFull =
                isFull || kept.count >= limits.journalEntriesMax * 3 / 4 || bytes > limits.journalBytesMax * 3 / 4
                || row.int(2) < time
            isFull = isFull || row.int(0) <= last
            if !isFull { kept = (kept.count + 1, bytes, row.int(0), row.int(2)) }
        }
        try database.run("DELETE FROM journal WHERE room = $1 AND seq < $2", .int(room), .int(kept.first ?? .max))
        try database.run(
            "UPDATE rooms SET journal_count = $2, journal_bytes = $3, journal_oldest_at = $4 WHERE key = $1",
            .int(room), .int(kept.count), .int(kept.bytes), .optional(kept.oldest))
    }

    /// Shortens a room's journal by what it tells of a person who has come: its profile, as others saw it. A client that has not heard of
    /// all that goes with it gets the whole room.
    func forgetJoins(of person: String, in room: Int64) throws(StoreError) {
        try lock(room)
        let last = try database.first(
            """
            SELECT max(seq) FROM journal
            WHERE room = $1 AND kind IN ('user:joined', 'participant:added') AND json LIKE '%' || $2 || '%'
            """, .int(room), .text(person)
        ) { $0.optionalInt(0) }
        if let last, let last { try shortenJournal(of: room, through: last) }
    }

    private func lock(_ room: Int64) throws(StoreError) {
        try database.run("UPDATE rooms SET journal_count = journal_count WHERE key = $1", .int(room))
    }

    /// Deletes all but the newest tombstones of a room. A client that asks for older changes gets all elements.
    func forgetDeletions(of room: Int64, keeping count: Int) throws(StoreError) {
        let last = try database.first(
            "SELECT seq FROM elements WHERE room = $1 AND deleted_at IS NOT NULL ORDER BY seq DESC LIMIT 1 OFFSET $2",
            .int(room), .int(count)
        ) { $0.int(0) }
        guard let last else { return }
        try forgetDeletions(of: room, through: last)
    }

    /// Deletes tombstones of a room that are older than a time.
    func forgetDeletions(of room: Int64, before time: Int64) throws(StoreError) {
        let last = try database.first(
            "SELECT max(seq) FROM elements WHERE room = $1 AND deleted_at IS NOT NULL AND deleted_at < $2", .int(room),
            .int(time)
        ) { $0.optionalInt(0) }
        guard let last, let last else { return }
        // Also all before the newest one that is too old: only a beginning can be deleted.
        try forgetDeletions(of: room, through: last)
    }

    private func forgetDeletions(of room: Int64, through seq: Int64) throws(StoreError) {
        let count = try database.run(
            "DELETE FROM elements WHERE room = $1 AND deleted_at IS NOT NULL AND seq <= $2", .int(room), .int(seq))
        try database.run(
            """
            UPDATE rooms SET tombstone_count = tombstone_count - $2,
                forgotten_seq = CASE WHEN forgotten_seq < $3 THEN $3 ELSE forgotten_seq END
            WHERE key = $1
            """, .int(room), .int(count), .int(seq))
    }
}
