extension MovedTable {
    static let rooms = [
        MovedTable(
            name: "rooms",
            columns: [.int, .text, .text, .text] + [MovedTable.Kind](repeating: .int, count: 11),
            keyCount: 1,
            select: """
                SELECT key, id, name, created_by, created_at, active_at, closed_at, seq, element_count, tombstone_count,
                    forgotten_seq, journal_count, journal_bytes, journal_oldest_at, losses
                FROM rooms WHERE key > $1 ORDER BY key LIMIT $2
                """,
            last: "SELECT key FROM rooms ORDER BY key DESC LIMIT 1",
            insert: """
                INSERT INTO rooms (key, id, name, created_by, created_at, active_at, closed_at, seq, element_count,
                    tombstone_count, forgotten_seq, journal_count, journal_bytes, journal_oldest_at, losses)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
                """),
        MovedTable(
            name: "members", columns: [.text, .int, .int, .int, .int], keyCount: 2,
            select: """
                SELECT account, room, place, joined_at, left_at FROM members WHERE (account, room) > ($1, $2)
                ORDER BY account, room LIMIT $3
                """,
            last: "SELECT account, room FROM members ORDER BY account DESC, room DESC LIMIT 1",
            insert: "INSERT INTO members (account, room, place, joined_at, left_at) VALUES ($1, $2, $3, $4, $5)"),
        MovedTable(
            name: "journal", columns: [.int, .int, .text, .int, .text, .text, .int], keyCount: 2,
            select: """
                SELECT room, seq, kind, at, json, except_for, incarnation FROM journal WHERE (room, seq) > ($1, $2)
                ORDER BY room, seq LIMIT $3
                """,
            last: "SELECT room, seq FROM journal ORDER BY room DESC, seq DESC LIMIT 1",
            insert: """
                INSERT INTO journal (room, seq, kind, at, json, except_for, incarnation)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """),
        MovedTable(
            name: "elements",
            columns: [.int, .text, .int, .int, .text, .text, .int, .int, .int]
                + [MovedTable.Kind](repeating: .text, count: 2)
                + [.int] + [MovedTable.Kind](repeating: .text, count: 10) + [.int],
            keyCount: 2,
            select: """
                SELECT room, id, created_seq, seq, kind, created_by, created_at, version, updated_at, updated_by, creation,
                    deleted_at, position_x, position_y, width, height, content, image_url, audio_url, duration,
                    z, color, era
                FROM elements WHERE (room, id) > ($1, $2) ORDER BY room, id LIMIT $3
                """,
            last: "SELECT room, id FROM elements ORDER BY room DESC, id DESC LIMIT 1",
            insert: """
                INSERT INTO elements (room, id, created_seq, seq, kind, created_by, created_at, version, updated_at,
                    updated_by, creation, deleted_at, position_x, position_y, width, height, content, image_url,
                    audio_url, duration, z, color, era)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                    $22, $23)
                """),
        MovedTable(
            name: "present", columns: [.int, .text, .int, .int, .text], keyCount: 2,
            select: """
                SELECT room, person, slot, joined_at, profile FROM present WHERE (room, person) > ($1, $2)
                ORDER BY room, person LIMIT $3
                """,
            last: "SELECT room, person FROM present ORDER BY room DESC, person DESC LIMIT 1",
            insert: "INSERT INTO present (room, person, slot, joined_at, profile) VALUES ($1, $2, $3, $4, $5)"),
    ]

    static let invitations = [
        MovedTable(
            name: "invitations", columns: [.text, .text, .int, .text, .int, .int, .int, .int], keyCount: 1,
            select: """
                SELECT id, hash, room, maker, created_at, ends_at, uses_max, uses FROM invitations WHERE id > $1
                ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM invitations ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO invitations (id, hash, room, maker, created_at, ends_at, uses_max, uses)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """)
    ]
}
