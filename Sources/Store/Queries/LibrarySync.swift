/// The changes that a person's copy of the library lacks.
struct LibrarySync {
    private let database: any SQLConnection
    private let person: String
    private let clock: LibraryClock

    init(_ database: any SQLConnection, _ person: String, now: Int64) {
        self.database = database
        self.person = person
        clock = LibraryClock(database, now: now)
    }

    /// The rows and the end are of one moment: no change after it has an earlier mark.
    func changes(
        of kind: LibraryItem.Kind, after mark: LibraryMark?, limit: Int
    ) throws(StoreError) -> LibraryChanges {
        let after = mark ?? LibraryMark(at: -1, number: 0)
        let forgets = mark == nil ? false : try clock.forgottenAt() > after.at
        let end = try clock.end() ?? LibraryMark(at: 0, number: 0)
        let found = kind == .progress ? try own(after, limit + 1) : try all(kind, after, limit + 1)
        var (items, removed): ([LibraryItem], [LibraryChanges.Removed]) = ([], [])
        for item in found.prefix(limit) {
            if item.isVisible(to: person) {
                items.append(item)
            } else if mark != nil, item.shownAt != nil || item.owner.utf8.elementsEqual(person.utf8) {
                // An item that the person never saw is not in the copy.
                removed.append(.init(id: item.id, at: item.deletedAt ?? item.updatedAt, number: item.mark.number))
            }
        }
        return LibraryChanges(
            items: items, removed: removed, next: found.count > limit ? found[limit - 1].mark : nil, end: end,
            forgets: forgets)
    }

    private func all(
        _ kind: LibraryItem.Kind, _ mark: LibraryMark, _ count: Int
    ) throws(StoreError) -> [LibraryItem] {
        try database.rows(
            """
            SELECT * FROM library_items WHERE kind = $1 AND (changed_at, number) > ($2, $3)
            ORDER BY changed_at, number LIMIT $4
            """, .text(kind.rawValue), .int(mark.at), .int(mark.number), .int(count)
        ) { LibraryRows.item($0) }
    }

    private func own(_ mark: LibraryMark, _ count: Int) throws(StoreError) -> [LibraryItem] {
        try database.rows(
            """
            SELECT * FROM library_items WHERE owner = $1 AND kind = 'progress' AND (changed_at, number) > ($2, $3)
            ORDER BY changed_at, number LIMIT $4
            """, .text(person), .int(mark.at), .int(mark.number), .int(count)
        ) { LibraryRows.item($0) }
    }
}
