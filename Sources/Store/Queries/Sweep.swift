/// Removes old data, a little in each transaction, so that no job waits long for it.
struct Sweep {
    private static let roomsPerTransaction = 32
    private static let rowsPerTransaction = 512

    let database: any SQLConnection
    let limits: StoreLimits
    let now: Int64
    /// The rooms from whose journals a turn removes those whose accounts have ended.
    var journalsPerTurn = roomsPerTransaction

    /// - Parameter now: the time by the clock of this machine. If that is ahead of the database's, the database's counts: what
    ///   is not old yet for the other servers stays.
    init(_ database: any SQLConnection, _ limits: StoreLimits, now: Int64) throws(StoreError) {
        self.database = database
        self.limits = limits
        self.now = min(now, try database.milliseconds() / 1_000)
    }

    /// - Returns: whether there is nothing more to do for now.
    func run() throws(StoreError) -> Bool {
        // Each does its part, whatever the others have left to do.
        let areDone = [
            try LibrarySweep(database: database, limits: limits, now: now).run(), try removeOld(), try forgetJoins(),
        ]
        return areDone.allSatisfy { $0 }
    }

    private func removeOld() throws(StoreError) -> Bool {
        try database.transaction { () throws(StoreError) in
            let areDone = [
                try shortenJournals(), try forgetDeletions(), try removeAnswers(), try removePushes(),
                try dropWaitingPushes(), try removeSeats(), try removeEnded(),
                try removeLeftovers(), try retireKeys(),
            ]
            return areDone.allSatisfy { $0 }
        }
    }

    private func shortenJournals() throws(StoreError) -> Bool {
        let time = now - limits.journalSecondsMax
        let rooms = try database.rows(
            "SELECT key FROM rooms WHERE journal_count > 0 AND journal_oldest_at < $1 LIMIT $2", .int(time),
            .int(Self.roomsPerTransaction)
        ) { $0.int(0) }
        for room in rooms { try Compaction(database, limits).shortenJournal(of: room, notBefore: time) }
        return rooms.count < Self.roomsPerTransaction
    }

    private func forgetDeletions() throws(StoreError) -> Bool {
        let time = now - limits.tombstoneSecondsMax
        let rooms = try database.rows(
            "SELECT DISTINCT room FROM elements WHERE deleted_at IS NOT NULL AND deleted_at < $1 LIMIT $2", .int(time),
            .int(Self.roomsPerTransaction)
        ) { $0.int(0) }
        for room in rooms { try Compaction(database, limits).forgetDeletions(of: room, before: time) }
        return rooms.count < Self.roomsPerTransaction
    }

    private func removeAnswers() throws(StoreError) -> Bool {
        let count = try database.run(
            """
            DELETE FROM answers WHERE (account, key) IN (SELECT account, key FROM answers WHERE at < $1 LIMIT $2)
            """, .int(now - limits.answerSecondsMax), .int(Self.rowsPerTransaction))
        return count < Self.rowsPerTransaction
    }

    private func removePushes() throws(StoreError) -> Bool {
        let count = try database.run(
            """
            DELETE FROM pushes WHERE key IN
                (SELECT key FROM pushes WHERE done_at IS NOT NULL AND done_at < $1 LIMIT $2)
            """, .int(now - limits.sentPushSecondsMax), .int(Self.rowsPerTransaction))
        return count < Self.rowsPerTransaction
    }

    private func removeSeats() throws(StoreError) -> Bool {
        let count = try database.run(
            "DELETE FROM seats WHERE (pid, room) IN (SELECT pid, room FROM seats WHERE lost_at < $1 LIMIT $2)",
            .int(now - limits.lostSeatSecondsMax), .int(Self.rowsPerTransaction))
        return count < Self.rowsPerTransaction
    }

    private func removeEnded() throws(StoreError) -> Bool {
        // What was renewed meanwhile stays: the time is compared again. A limit in use is not among those of an hour ago,
        // so that no node waits for rows here which it holds in part.
        let statements: [(StaticString, Int64)] = [
            (
                """
                DELETE FROM sessions WHERE ends_at <= $1
                    AND id IN (SELECT id FROM sessions WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)
                """, now
            ),
            (
                """
                DELETE FROM codes WHERE ends_at <= $1
                    AND recipient IN (SELECT recipient FROM codes WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)
                """, now
            ),
            (
                """
                DELETE FROM allowances WHERE ends_at <= $1
                    AND name IN (SELECT name FROM allowances WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)
                """, now - limits.endedAllowanceSecondsMax
            ),
            (
                """
                DELETE FROM bans WHERE ends_at <= $1 AND (kind, subject) IN
                    (SELECT kind, subject FROM bans WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)
                """, now
            ),
            (
                """
                DELETE FROM audit WHERE (at, id) IN (SELECT at, id FROM audit WHERE at <= $1 ORDER BY at, id LIMIT $2)
                """, (now - limits.auditSecondsMax) * 1_000
            ),
            (
                """
                DELETE FROM invitations WHERE ends_at <= $1
                    AND id IN (SELECT id FROM invitations WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)
                """, now
            ),
        ]
        var isDone = true
        for (statement, time) in statements {
            let count = try database.run(statement, .int(time), .int(Self.rowsPerTransaction))
            if count == Self.rowsPerTransaction { isDone = false }
        }
        if try !shortenAudit() { isDone = false }
        return isDone
    }

    private func shortenAudit() throws(StoreError) -> Bool {
        let excess = try database.first("SELECT count(*) FROM audit") { $0.int(0) }.map {
            min($0 - Int64(limits.auditEntriesMax), Int64(Self.rowsPerTransaction))
        }
        guard let excess, excess > 0 else { return true }
        try database.run(
            "DELETE FROM audit WHERE (at, id) IN (SELECT at, id FROM audit ORDER BY at, id LIMIT $1)", .int(excess))
        return excess < Self.rowsPerTransaction
    }

    /// The last token of a key has ended some time after the next key began to sign.
    private func retireKeys() throws(StoreError) -> Bool {
        try database.run(
            """
            DELETE FROM signing_keys WHERE created_at <
                (SELECT max(created_at) FROM signing_keys WHERE created_at <= $1)
            """, .int(now - limits.replacedKeySecondsMax))
        return true
    }

    /// Rows of people whose accounts have ended.
    private func removeLeftovers() throws(StoreError) -> Bool {
        guard let person = try database.first("SELECT person FROM leftovers LIMIT 1", read: { $0.text(0) }) else {
            return true
        }
        let statements: [StaticString] = [
            "DELETE FROM moods WHERE person = $1 AND id IN (SELECT id FROM moods WHERE person = $1 LIMIT $2)",
            "DELETE FROM messages WHERE id IN (SELECT id FROM messages WHERE person = $1 LIMIT $2)",
        ]
        var isDone = true
        for statement in statements {
            let count = try database.run(statement, .text(person), .int(Self.rowsPerTransaction))
            if count == Self.rowsPerTransaction { isDone = false }
        }
        if try LibrarySweep.hasAnything(of: person, database) { isDone = false }
        if isDone { try database.run("DELETE FROM leftovers WHERE person = $1 AND journals IS NULL", .text(person)) }
        // There may be more people.
        return false
    }

    /// Shortens the journals of rooms in which somebody was whose account has ended, each in a transaction of its own: the rooms
    /// are served meanwhile, perhaps by other nodes.
    private func forgetJoins() throws(StoreError) -> Bool {
        for _ in 0..<journalsPerTurn where try forgetNextJoin() { return true }
        return false
    }

    /// Shortens the journal of one room. Answers whether none is left.
    private func forgetNextJoin() throws(StoreError) -> Bool {
        try database.transaction { () throws(StoreError) in
            // The row stays locked, so that a person who has still come into a room is not overlooked.
            let next = try database.first(
                """
                UPDATE leftovers SET journals = (SELECT min(room) FROM members WHERE account = person AND room > journals)
                WHERE person IN (SELECT person FROM leftovers WHERE journals IS NOT NULL ORDER BY person LIMIT 1)
                RETURNING person, journals
                """
            ) { (person: $0.text(0), room: $0.optionalInt(1)) }
            guard let next else { return true }
            if let room = next.room { try Compaction(database, limits).forgetJoins(of: next.person, in: room) }
            return false
        }
    }

    /// A provider that fails for days must not fill the disk.
    private func dropWaitingPushes() throws(StoreError) -> Bool {
        let waiting = try database.first("SELECT count(*) FROM pushes WHERE done_at IS NULL") { $0.int(0) } ?? 0
        let excess = min(waiting - Int64(limits.waitingPushesMax), Int64(Self.rowsPerTransaction))
        guard excess > 0 else { return true }
        try database.run(
            """
            DELETE FROM deliveries WHERE push IN
                (SELECT key FROM pushes WHERE done_at IS NULL ORDER BY key LIMIT $1)
            """, .int(excess))
        try database.run(
            """
            DELETE FROM pushes WHERE key IN (SELECT key FROM pushes WHERE done_at IS NULL ORDER BY key LIMIT $1)
            """, .int(excess))
        return excess < Self.rowsPerTransaction
    }
}
