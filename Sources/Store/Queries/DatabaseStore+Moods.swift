extension DatabaseStore {
    package func addMood(
        _ mood: Mood, comparesTime: Bool, by session: String?,
        then answer: @escaping Answer<(mood: Mood, isNew: Bool)>
    ) {
        write(byteCount: 256 + (mood.note?.utf8.count ?? 0), then: answer) {
            [limits, ownDevices = ownDevices(by: session)] (database) throws(StoreError) in
            _ = try PersonTable(database).known(mood.person)
            let isFull = try database.first(
                "SELECT 1 FROM moods WHERE person = $1 LIMIT 1 OFFSET $2", .text(mood.person), .int(limits.moodsMax - 1)
            ) { _ in true }
            if isFull == nil {
                let count = try database.run(
                    """
                    INSERT INTO moods (person, id, scale, note, felt_at, created_at, updated_at)
                    VALUES ($1, $2, $3, $4, $5, $6, $6) ON CONFLICT (person, id) DO NOTHING
                    """, .text(mood.person), .text(mood.id), .int(mood.scale), .optional(mood.note), .int(mood.feltAt),
                    .int(mood.createdAt))
                if count > 0 {
                    try ownDevices.tell(.moodChanged, of: mood.person, in: database)
                    return (mood, true)
                }
            }
            guard let known = try Self.mood(mood.id, of: mood.person, in: database) else {
                throw .conflict("A person has at most \(limits.moodsMax) moods.")
            }
            guard known.scale == mood.scale, known.note == mood.note, !comparesTime || known.feltAt == mood.feltAt
            else {
                throw .conflict("Another mood has this id.")
            }
            return (known, false)
        }
    }

    package func mood(_ id: String, of person: String, then answer: @escaping Answer<Mood?>) {
        read(then: answer) { (database) throws(StoreError) in try Self.mood(id, of: person, in: database) }
    }

    package func moods(
        of person: String, in period: ClosedRange<Int64>, _ page: PageRequest, then answer: @escaping Answer<Page<Mood>>
    ) {
        let limit = pageLimit(page)
        read(then: answer) { (database) throws(StoreError) in
            let after = try Cursor.Moment(page.cursor)
            let found = try database.rows(
                """
                SELECT id, person, scale, note, felt_at, created_at, updated_at FROM moods
                WHERE person = $1 AND felt_at >= $2 AND felt_at <= $3 AND (felt_at, id) < ($4, $5)
                ORDER BY felt_at DESC, id DESC LIMIT $6
                """, .text(person), .int(period.lowerBound), .int(period.upperBound), .int(after.at), .text(after.id),
                .int(limit + 1)
            ) { Self.mood($0) }
            let last = found.count > limit ? found[limit - 1] : nil
            return Page(
                items: Array(found.prefix(limit)), next: last.map { Cursor.Moment(at: $0.feltAt, id: $0.id).text })
        }
    }

    package func changeMood(
        _ id: String, of person: String, _ change: MoodChange, by session: String?, at now: Int64,
        then answer: @escaping Answer<Mood?>
    ) {
        write(byteCount: 256 + (change.note?.utf8.count ?? 0), then: answer) {
            [ownDevices = ownDevices(by: session)] (database) throws(StoreError) in
            let count = try database.run(
                """
                UPDATE moods SET scale = coalesce($3, scale), note = nullif(coalesce($4, note), ''),
                    felt_at = coalesce($5, felt_at), updated_at = $6
                WHERE person = $1 AND id = $2
                """, .text(person), .text(id), .optional(change.scale.map(Int64.init)), .optional(change.note),
                .optional(change.feltAt), .int(now))
            if count > 0 { try ownDevices.tell(.moodChanged, of: person, in: database) }
            return try Self.mood(id, of: person, in: database)
        }
    }

    package func removeMood(
        _ id: String, of person: String, by session: String?, then answer: @escaping Answer<Bool>
    ) {
        write(then: answer) { [ownDevices = ownDevices(by: session)] (database) throws(StoreError) in
            let count = try database.run(
                "DELETE FROM moods WHERE person = $1 AND id = $2", .text(person), .text(id))
            if count > 0 { try ownDevices.tell(.moodChanged, of: person, in: database) }
            return count > 0
        }
    }

    private static func mood(
        _ id: String, of person: String, in database: any SQLConnection
    ) throws(StoreError) -> Mood? {
        try database.first(
            """
            SELECT id, person, scale, note, felt_at, created_at, updated_at FROM moods WHERE person = $1 AND id = $2
            """, .text(person), .text(id)
        ) { mood($0) }
    }

    private static func mood(_ row: any SQLRow) -> Mood {
        Mood(
            id: row.text(0), person: row.text(1), scale: Int(row.int(2)), note: row.optionalText(3),
            feltAt: row.int(4), createdAt: row.int(5), updatedAt: row.int(6))
    }
}
