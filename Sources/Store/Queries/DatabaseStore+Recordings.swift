extension DatabaseStore {
    /// Rows that one call reads or dooms.
    private static let rowsPerCall = 256

    package func beginRecording(_ recording: Recording, fence: Int64?, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            if let fence {
                // A change of the row: the next home waits for this, or this finds its fence.
                let held = try database.run(
                    "UPDATE rooms SET fence = fence WHERE id = $1 AND fence = $2", .text(recording.room), .int(fence))
                guard held == 1 else { throw .notHome }
            }
            try database.run(
                "UPDATE recordings SET ended_at = $2, reason = $3 WHERE room = $1 AND ended_at IS NULL",
                .text(recording.room), .int(recording.startedAt), .text(RecordingEnd.interrupted.rawValue))
            if let previous = recording.previous {
                // A change of the row: an end that is under way waits for this, or this finds it.
                let interrupted = try database.run(
                    "UPDATE recordings SET reason = $2 WHERE id = $1 AND reason = $2", .text(previous),
                    .text(RecordingEnd.interrupted.rawValue))
                guard interrupted == 1 else { throw .conflict("The recording has been ended.") }
            }
            try database.run(
                """
                INSERT INTO recordings (id, room, starter, previous, writer, writer_boot, started_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """, .text(recording.id), .text(recording.room), .optional(recording.starter),
                .optional(recording.previous), .int(recording.writer.id), .int(recording.writer.boot),
                .int(recording.startedAt))
        }
    }

    package func noteRecording(_ id: String, _ extent: RecordingExtent, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                "UPDATE recordings SET bytes = $2, duration = $3 WHERE id = $1 AND settled = 0", .text(id),
                .int(extent.bytes), .int(extent.milliseconds))
        }
    }

    package func endRecording(
        _ id: String, _ extent: RecordingExtent, reason: RecordingEnd, at milliseconds: Int64, settles: Bool,
        then answer: @escaping Answer<Bool>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                """
                UPDATE recordings SET ended_at = coalesce(ended_at, $3),
                    reason = CASE WHEN reason IS NULL OR reason = 'interrupted' THEN $2 ELSE reason END
                WHERE id = $1
                """, .text(id), .text(reason.rawValue), .int(milliseconds))
            try database.run(
                "UPDATE recordings SET bytes = $2, duration = $3, settled = $4 WHERE id = $1 AND settled <= $4",
                .text(id),
                .int(extent.bytes), .int(extent.milliseconds), .int(settles ? 1 : 0))
            return try database.first("SELECT id FROM recordings WHERE id = $1 AND doomed = 0", .text(id)) { _ in true }
                ?? false
        }
    }

    package func stopRecording(_ id: String, at milliseconds: Int64, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                """
                UPDATE recordings SET ended_at = coalesce(ended_at, $3), reason = $2
                WHERE id = $1 AND (reason IS NULL OR reason = 'interrupted')
                """, .text(id), .text(RecordingEnd.stopped.rawValue), .int(milliseconds))
        }
    }

    package func settleRecording(
        _ id: String, _ extent: RecordingExtent, at milliseconds: Int64, then answer: @escaping Answer<Void>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                """
                UPDATE recordings SET bytes = $2, duration = $3, settled = 1, ended_at = coalesce(ended_at, $5),
                    reason = coalesce(reason, $4)
                WHERE id = $1 AND settled = 0
                """, .text(id), .int(extent.bytes), .int(extent.milliseconds),
                .text(RecordingEnd.interrupted.rawValue), .int(milliseconds))
        }
    }

    package func unsettleRecording(_ id: String, then answer: @escaping Answer<Bool>) {
        write(then: answer) { (database) throws(StoreError) in
            let count = try database.run(
                "UPDATE recordings SET settled = 0, bytes = 0 WHERE id = $1 AND settled = 1 AND doomed = 0", .text(id))
            return count == 1
        }
    }

    // MARK: Reading

    package func recording(_ id: String, then answer: @escaping Answer<Recording?>) {
        readAfterWrites(then: answer) { (database) throws(StoreError) in
            try database.first(
                """
                SELECT id, room, starter, previous, writer, writer_boot, started_at, ended_at, reason, bytes, duration,
                    settled
                FROM recordings WHERE id = $1 AND doomed = 0
                """, .text(id)
            ) { Self.recording($0) }
        }
    }

    package func recording(after id: String, then answer: @escaping Answer<Recording?>) {
        readAfterWrites(then: answer) { (database) throws(StoreError) in
            try database.first(
                """
                SELECT id, room, starter, previous, writer, writer_boot, started_at, ended_at, reason, bytes, duration,
                    settled
                FROM recordings WHERE previous = $1
                """, .text(id)
            ) { Self.recording($0) }
        }
    }

    package func recordings(of room: String, _ page: PageRequest, then answer: @escaping Answer<Page<Recording>>) {
        let limit = pageLimit(page)
        readAfterWrites(then: answer) { (database) throws(StoreError) in
            let after = try Cursor.Moment(page.cursor)
            let found = try database.rows(
                """
                SELECT id, room, starter, previous, writer, writer_boot, started_at, ended_at, reason, bytes, duration,
                    settled
                FROM recordings WHERE room = $1 AND (started_at, id) < ($2, $3) AND doomed = 0
                ORDER BY started_at DESC, id DESC LIMIT $4
                """, .text(room), .int(after.at), .text(after.id), .int(limit + 1)
            ) { Self.recording($0) }
            let last = found.count > limit ? found[limit - 1] : nil
            return Page(
                items: Array(found.prefix(limit)),
                next: last.map { Cursor.Moment(at: $0.startedAt, id: $0.id).text })
        }
    }

    package func interruptedRecording(
        of room: String, since milliseconds: Int64, then answer: @escaping Answer<Recording?>
    ) {
        readAfterWrites(then: answer) { (database) throws(StoreError) in
            let newest = try database.first(
                """
                SELECT id, room, starter, previous, writer, writer_boot, started_at, ended_at, reason, bytes, duration,
                    settled
                FROM recordings WHERE room = $1 AND NOT EXISTS (
                    SELECT 1 FROM recordings AS next WHERE next.previous = recordings.id)
                ORDER BY started_at DESC, id DESC LIMIT 1
                """, .text(room)
            ) { Self.recording($0) }
            guard let newest else { return nil }
            let isLost = newest.reason == .interrupted || (newest.reason == .stopped && !newest.isSettled)
            let isRecent = (newest.endedAt ?? 0) >= milliseconds
            return newest.isRunning || (isLost && isRecent) ? newest : nil
        }
    }

    package func strayRecordings(of writer: ClusterNode, then answer: @escaping Answer<[Recording]>) {
        readAfterWrites(then: answer) { (database) throws(StoreError) in
            // A node lives with one boot; a server that is not part of a cluster has no row there.
            let now = try HomeTable(database).newestEndOfLease(at: database.milliseconds())
            return try database.rows(
                """
                SELECT id, room, starter, previous, writer, writer_boot, started_at, ended_at, reason, bytes, duration,
                    settled
                FROM recordings WHERE settled = 0 AND NOT (writer = $1 AND writer_boot = $2) AND NOT EXISTS (
                    SELECT 1 FROM nodes WHERE nodes.id = writer AND nodes.boot = writer_boot AND lease_until > $3
                        AND nodes.ended_at IS NULL)
                ORDER BY started_at, id LIMIT $4
                """, .int(writer.id), .int(writer.boot), .int(now), .int(Self.rowsPerCall)
            ) { Self.recording($0) }
        }
    }

    package func knownRecordings(_ ids: [String], then answer: @escaping Answer<[String]>) {
        readAfterWrites(then: answer) { (database) throws(StoreError) in
            var known: [String] = []
            for id in ids {
                let found = try database.first("SELECT id FROM recordings WHERE id = $1", .text(id)) { $0.text(0) }
                if let found { known.append(found) }
            }
            return known
        }
    }

    private static func recording(_ row: any SQLRow) -> Recording {
        Recording(
            id: row.text(0), room: row.text(1), starter: row.optionalText(2), previous: row.optionalText(3),
            writer: ClusterNode(id: Int(row.int(4)), boot: row.int(5)), startedAt: row.int(6),
            endedAt: row.optionalInt(7), reason: row.optionalText(8).flatMap(RecordingEnd.init),
            extent: RecordingExtent(bytes: row.int(9), milliseconds: row.int(10)), isSettled: row.int(11) == 1)
    }

    // MARK: Deleting

    package func doomRecording(_ id: String, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run("UPDATE recordings SET doomed = 1 WHERE id = $1", .text(id))
        }
    }

    package func doomedRecordings(
        _ bounds: RecordingBounds, at milliseconds: Int64, then answer: @escaping Answer<[String]>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            if bounds.secondsMax > 0 {
                try database.run(
                    "UPDATE recordings SET doomed = 1 WHERE ended_at < $1 AND doomed = 0",
                    .int(milliseconds - bounds.secondsMax * 1_000))
            }
            try Self.doomExcess(bounds, database)
            return try database.rows(
                "SELECT id FROM recordings WHERE doomed = 1 AND ended_at IS NOT NULL ORDER BY started_at, id LIMIT $1",
                .int(Self.rowsPerCall)
            ) { $0.text(0) }
        }
    }

    private static func doomExcess(_ bounds: RecordingBounds, _ database: any SQLConnection) throws(StoreError) {
        // Running recordings cannot go, so they must not push out others. Their writer bounds their number.
        let all = try database.first(
            "SELECT count(*), coalesce(sum(bytes), 0) FROM recordings WHERE doomed = 0 AND ended_at IS NOT NULL"
        ) { (count: $0.int(0), bytes: $0.int(1)) }
        guard var (count, bytes) = all else { return }
        for isOfSize in [true, false] {
            func isOver() -> Bool { isOfSize ? bytes > bounds.bytesMax : count > bounds.countMax }
            guard isOver() else { continue }
            for recording in try nextToGo(isOfSize, database) where isOver() {
                try database.run("UPDATE recordings SET doomed = 1 WHERE id = $1", .text(recording.id))
                count -= 1
                bytes -= recording.bytes
            }
        }
    }

    /// The recordings in the order in which they go: each time the oldest of whom has the most then, so that nobody's recordings
    /// displace those of others. What its keeper has when a recording is the oldest left is that one and all newer ones.
    private static func nextToGo(
        _ isOfSize: Bool, _ database: any SQLConnection
    ) throws(StoreError) -> [(id: String, bytes: Int64)] {
        try database.rows(
            """
            SELECT id, bytes FROM (
                SELECT id, bytes, started_at, row_number() OVER newest AS number, sum(bytes) OVER newest AS size
                FROM recordings WHERE doomed = 0 AND ended_at IS NOT NULL
                WINDOW newest AS (PARTITION BY coalesce(starter, room) ORDER BY started_at DESC, id DESC
                    ROWS UNBOUNDED PRECEDING)
            ) AS shares
            ORDER BY CASE WHEN CAST($2 AS bigint) = 1 THEN size ELSE number END DESC, started_at, id LIMIT $1
            """, .int(rowsPerCall), .int(isOfSize ? 1 : 0)
        ) { (id: $0.text(0), bytes: $0.int(1)) }
    }

    package func removeRecording(_ id: String, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run("DELETE FROM recordings WHERE id = $1 AND ended_at IS NOT NULL", .text(id))
        }
    }
}
