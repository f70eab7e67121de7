extension MovedTable {
    static let operators = [
        MovedTable(
            name: "bans", columns: [.text, .text, .text, .int, .int], keyCount: 2,
            select: """
                SELECT kind, subject, reason, made_at, ends_at FROM bans WHERE (kind, subject) > ($1, $2)
                ORDER BY kind, subject LIMIT $3
                """,
            last: "SELECT kind, subject FROM bans ORDER BY kind DESC, subject DESC LIMIT 1",
            insert: "INSERT INTO bans (kind, subject, reason, made_at, ends_at) VALUES ($1, $2, $3, $4, $5)"),
        MovedTable(
            name: "audit", columns: [.int, .text, .int, .text, .text, .text, .text], keyCount: 2,
            select: """
                SELECT at, id, server, operator, action, subject, outcome FROM audit WHERE (at, id) > ($1, $2)
                ORDER BY at, id LIMIT $3
                """,
            last: "SELECT at, id FROM audit ORDER BY at DESC, id DESC LIMIT 1",
            insert: """
                INSERT INTO audit (at, id, server, operator, action, subject, outcome)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """),
    ]
}
