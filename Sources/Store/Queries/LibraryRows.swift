/// Reads rows of the library.
struct LibraryRows {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    func item(_ id: String) throws(StoreError) -> LibraryItem? {
        try database.first("SELECT * FROM library_items WHERE id = $1", .text(id)) { Self.item($0) }
    }

    /// The same with the text of a chapter.
    func whole(_ id: String) throws(StoreError) -> LibraryItem? {
        var item = try item(id)
        if item?.kind == .chapter { item?.text = try chapterText(id) }
        return item
    }

    /// By id or, if there is none, by slug.
    func item(_ kind: LibraryItem.Kind, _ name: String) throws(StoreError) -> LibraryItem? {
        if let item = try item(name), item.kind == kind { return item }
        return try database.first(
            "SELECT * FROM library_items WHERE kind = $1 AND slug = $2", .text(kind.rawValue), .text(name)
        ) { Self.item($0) }
    }

    func progress(of person: String, in chapter: String) throws(StoreError) -> LibraryItem? {
        try database.first(
            "SELECT * FROM library_items WHERE kind = 'progress' AND owner = $1 AND chapter = $2", .text(person),
            .text(chapter)
        ) { Self.item($0) }
    }

    func chapterText(_ id: String) throws(StoreError) -> String? {
        try database.first("SELECT body FROM library WHERE id = $1", .text(id)) { $0.optionalText(0) } ?? nil
    }

    static func item(_ row: any SQLRow) -> LibraryItem {
        LibraryItem(
            id: row.text(0), kind: LibraryItem.Kind(rawValue: row.text(1)) ?? .whisper, owner: row.text(2),
            handle: row.optionalText(3) ?? "", story: row.optionalText(4), chapter: row.optionalText(5),
            parent: row.optionalText(6), slug: row.optionalText(7), title: row.optionalText(8),
            text: row.optionalText(9), coverURL: row.optionalText(10), place: row.optionalInt(11),
            percent: row.optionalInt(12), publishedAt: row.optionalInt(13), shownAt: row.optionalInt(14),
            createdAt: row.int(15), updatedAt: row.int(16), deletedAt: row.optionalInt(17),
            mark: LibraryMark(at: row.int(18), number: row.int(19)))
    }

    // MARK: Authors

    func author(_ name: String) throws(StoreError) -> LibraryAuthor? {
        let found = try database.first(
            """
            SELECT person, handle, people.name FROM authors JOIN people ON people.id = authors.person
            WHERE person = $1 OR handle = $1
            """, .text(name)
        ) { (person: $0.text(0), handle: $0.text(1), name: $0.text(2)) }
        guard let found else { return nil }
        let counts = try database.first(
            """
            SELECT (SELECT count(*) FROM follows WHERE followed = $1), (SELECT count(*) FROM follows WHERE follower = $1),
                (SELECT count(*) FROM library WHERE owner = $1 AND kind = 'story' AND published_at IS NOT NULL
                    AND deleted_at IS NULL)
            """, .text(found.person)
        ) { row in (0..<3).map { Int(row.int($0)) } }
        return LibraryAuthor(
            person: found.person, handle: found.handle, name: found.name, followers: counts?[0] ?? 0,
            following: counts?[1] ?? 0, stories: counts?[2] ?? 0)
    }
}
