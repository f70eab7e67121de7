/// Lists of the library, as a person may see them.
struct LibraryLists {
    private let database: any SQLConnection
    private let person: String

    init(_ database: any SQLConnection, _ person: String) {
        self.database = database
        self.person = person
    }

    func page(_ list: LibraryList, after cursor: String?, limit: Int) throws(StoreError) -> Page<LibraryItem> {
        let found = try rows(list, after: cursor, limit + 1)
        let last = found.count > limit ? found[limit - 1] : nil
        return Page(
            items: Array(found.prefix(limit)).filter { $0.isVisible(to: person) },
            next: last.map { Cursor.Moment(at: list.time(of: $0), id: $0.id).text })
    }

    private func rows(_ list: LibraryList, after cursor: String?, _ count: Int) throws(StoreError) -> [LibraryItem] {
        // A list that begins with the oldest begins before all.
        let after = cursor == nil && list.isAscending ? Cursor.Moment(at: .min, id: "") : try Cursor.Moment(cursor)
        let (at, id, most) = (SQLValue.int(after.at), SQLValue.text(after.id), SQLValue.int(count))
        switch list {
        case .stories:
            return try database.rows(
                """
                SELECT * FROM library_items WHERE kind = 'story' AND published_at IS NOT NULL AND deleted_at IS NULL
                    AND handle IS NOT NULL AND (published_at, id) < ($1, $2)
                ORDER BY published_at DESC, id DESC LIMIT $3
                """, at, id, most
            ) { LibraryRows.item($0) }
        case .whispers:
            return try database.rows(
                """
                SELECT * FROM library_items WHERE kind = 'whisper' AND published_at IS NOT NULL AND deleted_at IS NULL
                    AND handle IS NOT NULL AND (published_at, id) < ($1, $2)
                ORDER BY published_at DESC, id DESC LIMIT $3
                """, at, id, most
            ) { LibraryRows.item($0) }
        case .ownStories: return try owned(by: person, .story, at, id, most)
        case .progress: return try owned(by: person, .progress, at, id, most)
        case .storiesOf(let author): return try owned(by: author, .story, at, id, most)
        case .chapters(let story):
            return try database.rows(
                """
                SELECT * FROM library_items WHERE story = $1 AND kind = 'chapter' AND deleted_at IS NULL
                    AND (place, id) > ($2, $3) ORDER BY place, id LIMIT $4
                """, .text(story), at, id, most
            ) { LibraryRows.item($0) }
        case .whispersAbout(let story):
            return try database.rows(
                """
                SELECT * FROM library_items WHERE story = $1 AND kind = 'whisper' AND deleted_at IS NULL
                    AND handle IS NOT NULL AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4
                """, .text(story), at, id, most
            ) { LibraryRows.item($0) }
        case .replies(let whisper):
            return try database.rows(
                """
                SELECT * FROM library_items WHERE parent = $1 AND deleted_at IS NULL AND handle IS NOT NULL
                    AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4
                """, .text(whisper), at, id, most
            ) { LibraryRows.item($0) }
        }
    }

    private func owned(
        by owner: String, _ kind: LibraryItem.Kind, _ at: SQLValue, _ id: SQLValue, _ most: SQLValue
    ) throws(StoreError) -> [LibraryItem] {
        try database.rows(
            """
            SELECT * FROM library_items WHERE owner = $1 AND kind = $2 AND deleted_at IS NULL
                AND (created_at, id) < ($3, $4) ORDER BY created_at DESC, id DESC LIMIT $5
            """, .text(owner), .text(kind.rawValue), at, id, most
        ) { LibraryRows.item($0) }
    }
}

extension LibraryList {
    fileprivate var isAscending: Bool {
        switch self {
        case .chapters, .replies: true
        default: false
        }
    }

    /// What the list is ordered by.
    fileprivate func time(of item: LibraryItem) -> Int64 {
        switch self {
        case .stories, .whispers: item.publishedAt ?? 0
        case .chapters: item.place ?? 0
        default: item.createdAt
        }
    }
}
