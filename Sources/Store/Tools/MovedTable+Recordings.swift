extension MovedTable {
    static let recordings = [
        MovedTable(
            name: "recordings",
            columns: [.text, .text, .text, .text, .int, .int, .int, .int, .text, .int, .int, .int, .int], keyCount: 1,
            select: """
                SELECT id, room, starter, previous, writer, writer_boot, started_at, ended_at, reason, bytes, duration, settled,
                    doomed
                FROM recordings WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM recordings ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO recordings (id, room, starter, previous, writer, writer_boot, started_at, ended_at, reason, bytes,
                    duration, settled, doomed)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
                """)
    ]
}
