extension MovedTable {
    static let services = [
        MovedTable(
            name: "seats", columns: [.text, .text, .text, .int, .int], keyCount: 2,
            select: """
                SELECT pid, room, person, incarnation, lost_at FROM seats WHERE (pid, room) > ($1, $2)
                ORDER BY pid, room LIMIT $3
                """,
            last: "SELECT pid, room FROM seats ORDER BY pid DESC, room DESC LIMIT 1",
            insert: "INSERT INTO seats (pid, room, person, incarnation, lost_at) VALUES ($1, $2, $3, $4, $5)"),
        MovedTable(
            name: "answers", columns: [.text, .text, .text, .text, .int], keyCount: 2,
            select: """
                SELECT account, key, fingerprint, answer, at FROM answers WHERE (account, key) > ($1, $2)
                ORDER BY account, key LIMIT $3
                """,
            last: "SELECT account, key FROM answers ORDER BY account DESC, key DESC LIMIT 1",
            insert: "INSERT INTO answers (account, key, fingerprint, answer, at) VALUES ($1, $2, $3, $4, $5)"),
        MovedTable(
            name: "pushes",
            columns: [.int, .text, .text, .text, .int, .text, .int, .int, .int, .int, .text], keyCount: 1,
            select: """
                SELECT key, account, room, type, minute, json, due_at, attempts, leased_until, done_at, outcome
                FROM pushes WHERE key > $1 ORDER BY key LIMIT $2
                """,
            last: "SELECT key FROM pushes ORDER BY key DESC LIMIT 1",
            insert: """
                INSERT INTO pushes (key, account, room, type, minute, json, due_at, attempts, leased_until, done_at,
                    outcome)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                """),
        MovedTable(
            name: "deliveries", columns: [.int, .text, .int, .text], keyCount: 2,
            select: """
                SELECT push, device, badge, outcome FROM deliveries WHERE (push, device) > ($1, $2)
                ORDER BY push, device LIMIT $3
                """,
            last: "SELECT push, device FROM deliveries ORDER BY push DESC, device DESC LIMIT 1",
            insert: "INSERT INTO deliveries (push, device, badge, outcome) VALUES ($1, $2, $3, $4)"),
        MovedTable(
            name: "uploads",
            columns: [.text, .text, .text, .text, .int, .int, .int, .int, .text, .text, .text, .int], keyCount: 1,
            select: """
                SELECT id, account, filename, mime, bytes, chunk_bytes, created_at, ends_at, media, poster, failure,
                    attempts
                FROM uploads WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM uploads ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO uploads
                    (id, account, filename, mime, bytes, chunk_bytes, created_at, ends_at, media, poster, failure,
                    attempts)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
                """),
        MovedTable(
            name: "upload_chunks", columns: [.text, .int, .int], keyCount: 2,
            select: """
                SELECT upload, number, bytes FROM upload_chunks WHERE (upload, number) > ($1, $2)
                ORDER BY upload, number LIMIT $3
                """,
            last: "SELECT upload, number FROM upload_chunks ORDER BY upload DESC, number DESC LIMIT 1",
            insert: "INSERT INTO upload_chunks (upload, number, bytes) VALUES ($1, $2, $3)"),
        MovedTable(
            name: "media", columns: [.text, .text, .text, .text, .int, .int, .int, .real, .int], keyCount: 1,
            select: """
                SELECT key, owner, kind, mime, bytes, width, height, duration, created_at FROM media WHERE key > $1
                ORDER BY key LIMIT $2
                """,
            last: "SELECT key FROM media ORDER BY key DESC LIMIT 1",
            insert: """
                INSERT INTO media (key, owner, kind, mime, bytes, width, height, duration, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """),
        MovedTable(
            name: "media_uses", columns: [.text, .text], keyCount: 2,
            select:
                "SELECT media, holder FROM media_uses WHERE (media, holder) > ($1, $2) ORDER BY media, holder LIMIT $3",
            last: "SELECT media, holder FROM media_uses ORDER BY media DESC, holder DESC LIMIT 1",
            insert: "INSERT INTO media_uses (media, holder) VALUES ($1, $2)"),
    ]
}
