extension MovedTable {
    static let library = [
        MovedTable(
            name: "library_clock", columns: [.text, .int, .int, .int, .int], keyCount: 1,
            select: """
                SELECT id, number, at, used, forgotten_at FROM library_clock WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM library_clock ORDER BY id DESC LIMIT 1",
            insert: "INSERT INTO library_clock (id, number, at, used, forgotten_at) VALUES ($1, $2, $3, $4, $5)"),
        MovedTable(
            name: "authors", columns: [.text, .text, .int], keyCount: 1,
            select: "SELECT person, handle, created_at FROM authors WHERE person > $1 ORDER BY person LIMIT $2",
            last: "SELECT person FROM authors ORDER BY person DESC LIMIT 1",
            insert: "INSERT INTO authors (person, handle, created_at) VALUES ($1, $2, $3)"),
        MovedTable(
            name: "library",
            columns: [MovedTable.Kind](repeating: .text, count: 10) + [MovedTable.Kind](repeating: .int, count: 7)
                + [.text, .int, .int], keyCount: 1,
            select: """
                SELECT id, kind, owner, story, chapter, parent, slug, title, body, cover_url, place, percent, published_at,
                    shown_at, created_at, updated_at, deleted_at, edits, changed_at, number
                FROM library WHERE id > $1 ORDER BY id LIMIT $2
                """,
            last: "SELECT id FROM library ORDER BY id DESC LIMIT 1",
            insert: """
                INSERT INTO library (id, kind, owner, story, chapter, parent, slug, title, body, cover_url, place, percent,
                    published_at, shown_at, created_at, updated_at, deleted_at, edits, changed_at, number)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
                """),
        MovedTable(
            name: "follows", columns: [.text, .text, .int], keyCount: 2,
            select: """
                SELECT follower, followed, created_at FROM follows WHERE (follower, followed) > ($1, $2)
                ORDER BY follower, followed LIMIT $3
                """,
            last: "SELECT follower, followed FROM follows ORDER BY follower DESC, followed DESC LIMIT 1",
            insert: "INSERT INTO follows (follower, followed, created_at) VALUES ($1, $2, $3)"),
        MovedTable(
            name: "likes", columns: [.text, .text, .int], keyCount: 2,
            select: """
                SELECT person, item, created_at FROM likes WHERE (person, item) > ($1, $2) ORDER BY person, item LIMIT $3
                """,
            last: "SELECT person, item FROM likes ORDER BY person DESC, item DESC LIMIT 1",
            insert: "INSERT INTO likes (person, item, created_at) VALUES ($1, $2, $3)"),
    ]
}
