extension DatabaseStore {
    package func changeLibrary(
        _ change: LibraryChange, by actor: LibraryActor, as key: IdempotencyKey?,
        then answer: @escaping Answer<Result<LibraryDone, LibraryRefusal>>
    ) {
        writeAlone(counts, byteCount: change.byteCount, then: answer) {
            [limits, notifies, now] (database) throws(StoreError) in
            let writing = LibraryWriting(database, limits, notifies: notifies, now: now())
            try writing.clock.lock()
            return try writing.change(change, by: actor, as: key)
        }
    }

    package func libraryItem(
        _ kind: LibraryItem.Kind, _ name: String, for person: String, then answer: @escaping Answer<LibraryItem?>
    ) {
        read(then: answer) { (database) throws(StoreError) in
            let rows = LibraryRows(database)
            guard var item = try rows.item(kind, name), item.isVisible(to: person) else { return nil }
            if kind == .chapter { item.text = try rows.chapterText(item.id) }
            return item
        }
    }

    package func libraryItems(
        _ list: LibraryList, for person: String, _ page: PageRequest, then answer: @escaping Answer<Page<LibraryItem>>
    ) {
        let limit = pageLimit(page)
        read(then: answer) { (database) throws(StoreError) in
            try LibraryLists(database, person).page(list, after: page.cursor, limit: limit)
        }
    }

    package func libraryChanges(
        of kind: LibraryItem.Kind, after mark: LibraryMark?, for person: String, limit: Int,
        then answer: @escaping Answer<LibraryChanges>
    ) {
        let read: @Sendable () -> Void = { [self] in
            self.read(then: answer) { [now] (database) throws(StoreError) in
                try LibrarySync(database, person, now: now()).changes(of: kind, after: mark, limit: limit)
            }
        }
        // The time of the newest change is over, so none is added to it, and the client is told a later one.
        self.read(then: { [self] (isOpen: Result<Bool, StoreError>) in
            switch isOpen {
            case .success(false): read()
            case .success(true):
                writeAlone(
                    counts,
                    then: { (closed: Result<Void, StoreError>) in
                        switch closed {
                        case .success: read()
                        case .failure(let error): answer(.failure(error))
                        }
                    }
                ) { [now] (database) throws(StoreError) in try LibraryClock(database, now: now()).close() }
            case .failure(let error): answer(.failure(error))
            }
        }) { [now] (database) throws(StoreError) in try LibraryClock(database, now: now()).isOpen() }
    }

    // MARK: People

    package func author(_ name: String, then answer: @escaping Answer<LibraryAuthor?>) {
        read(then: answer) { (database) throws(StoreError) in try LibraryRows(database).author(name) }
    }

    package func ownAuthor(_ actor: LibraryActor, then answer: @escaping Answer<LibraryAuthor>) {
        writeAlone(counts, then: answer) { [now] (database) throws(StoreError) in
            try LibraryClock(database, now: now()).lock()
            try LibraryNames(database).introduce(actor, at: now())
            guard let author = try LibraryRows(database).author(actor.id) else { throw .notFound("profile") }
            return author
        }
    }

    package func setHandle(
        _ handle: String, of actor: LibraryActor, then answer: @escaping Answer<LibraryAuthor>
    ) {
        writeAlone(counts, then: answer) { [now] (database) throws(StoreError) in
            try LibraryClock(database, now: now()).lock()
            try LibraryNames(database).introduce(actor, at: now())
            let rows = LibraryRows(database)
            let owner = try database.first("SELECT person FROM authors WHERE handle = $1", .text(handle)) {
                $0.text(0)
            }
            if owner.map({ !$0.utf8.elementsEqual(actor.id.utf8) }) ?? false { throw .taken("handle") }
            let isUsed = try database.first("SELECT 1 FROM library WHERE owner = $1 LIMIT 1", .text(actor.id)) { _ in
                true
            }
            // The phones of others know it from what the person has written.
            if owner == nil, isUsed != nil { throw .conflict("The handle stays: others know it.") }
            try database.run("UPDATE authors SET handle = $2 WHERE person = $1", .text(actor.id), .text(handle))
            guard let author = try rows.author(actor.id) else { throw .notFound("profile") }
            return author
        }
    }

    package func likes(
        of item: String, by person: String, then answer: @escaping Answer<(count: Int, isLiked: Bool)>
    ) {
        read(then: answer) { (database) throws(StoreError) in
            let found = try database.first(
                """
                SELECT count(*), (SELECT count(*) FROM likes WHERE item = $1 AND person = $2) FROM likes WHERE item = $1
                """, .text(item), .text(person)
            ) { (count: Int($0.int(0)), isLiked: $0.int(1) > 0) }
            return found ?? (0, false)
        }
    }

    package func isFollowing(_ person: String, _ other: String, then answer: @escaping Answer<Bool>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.first(
                "SELECT 1 FROM follows WHERE follower = $1 AND followed = $2", .text(person), .text(other)
            ) { _ in true } ?? false
        }
    }

    package func follows(
        of person: String, followers: Bool, _ page: PageRequest, then answer: @escaping Answer<Page<LibraryAuthor>>
    ) {
        let limit = pageLimit(page)
        read(then: answer) { (database) throws(StoreError) in
            let after = try Cursor.name(page.cursor)
            let statement: StaticString =
                followers
                ? """
                SELECT follower, handle, name FROM follows JOIN authors ON person = follower JOIN people ON id = follower
                WHERE followed = $1 AND follower > $2 ORDER BY follower LIMIT $3
                """
                : """
                SELECT followed, handle, name FROM follows JOIN authors ON person = followed JOIN people ON id = followed
                WHERE follower = $1 AND followed > $2 ORDER BY followed LIMIT $3
                """
            let found = try database.rows(statement, .text(person), .text(after), .int(limit + 1)) {
                LibraryAuthor(
                    person: $0.text(0), handle: $0.text(1), name: $0.text(2), followers: 0, following: 0, stories: 0)
            }
            return Page(items: Array(found.prefix(limit)), next: found.count > limit ? found[limit - 1].person : nil)
        }
    }
}

extension LibraryChange {
    fileprivate var byteCount: Int {
        switch self {
        case .add(let new): 512 + new.fields.byteCount
        case .edit(_, _, let fields, _): 512 + fields.byteCount
        default: 256
        }
    }
}
