import Testing

@testable import Store

/// What every store promises of the library.
@Suite("The library", .timeLimit(.minutes(2)))
struct LibraryContractTests {
    static let (ann, bob) = (LibraryActor(id: "ann", name: "Ann"), LibraryActor(id: "bob", name: "Bob B."))

    @discardableResult
    static func change(
        _ store: any ServerStore, _ change: LibraryChange, by actor: LibraryActor = ann, as key: IdempotencyKey? = nil
    ) async throws -> LibraryDone {
        let result: Result<LibraryDone, LibraryRefusal> = try await told {
            store.changeLibrary(change, by: actor, as: key, then: $0)
        }
        return try result.get()
    }

    static func story(_ title: String, isPublished: Bool = true) -> LibraryChange {
        var fields = LibraryFields()
        fields[text: .title] = title
        fields[text: .text] = "About \(title)"
        var new = NewLibraryItem(.story, fields)
        new.isPublished = isPublished
        return .add(new)
    }

    static func whisper(_ text: String, about story: String? = nil, to parent: String? = nil) -> LibraryChange {
        var fields = LibraryFields()
        fields[text: .text] = text
        var new = NewLibraryItem(.whisper, fields)
        (new.story, new.parent) = (story, parent)
        return .add(new)
    }

    static func chapter(_ title: String, of story: String, isPublished: Bool = true) -> LibraryChange {
        var fields = LibraryFields()
        fields[text: .title] = title
        fields[text: .text] = "Once upon a time"
        var new = NewLibraryItem(.chapter, fields)
        (new.story, new.isPublished) = (story, isPublished)
        return .add(new)
    }

    static func edit(_ kind: LibraryItem.Kind, _ id: String, _ text: String, version: Int64? = nil) -> LibraryChange {
        var fields = LibraryFields()
        fields[text: .text] = text
        return .edit(kind, id, fields, version: version)
    }

    static func withPeople(
        _ backend: Backend, _ limits: StoreLimits = .quick, _ body: (any ServerStore) async throws -> Void
    ) async throws {
        try await withStore(backend, limits: limits) { store in
            for name in ["ann", "bob"] {
                let person = NewPerson(id: name, name: name, email: "", passwordHash: nil, at: 10)
                let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
            }
            try await body(store)
        }
    }

    static func changes(
        _ store: any ServerStore, _ kind: LibraryItem.Kind, after mark: LibraryMark? = nil, for person: String = "bob",
        limit: Int = 100
    ) async throws -> LibraryChanges {
        try await told { store.libraryChanges(of: kind, after: mark, for: person, limit: limit, then: $0) }
    }

    @Test("shows drafts to their owner alone, and finds by id and by slug", arguments: Backend.allCases)
    func drafts(backend: Backend) async throws {
        try await Self.withPeople(backend) { store in
            let draft = try await Self.change(store, Self.story("The Midnight Garden!", isPublished: false))
            #expect(draft.isNew && draft.item?.slug == "the-midnight-garden" && draft.item?.handle == "ann")
            for name in [draft.id, "the-midnight-garden"] {
                let own: LibraryItem? = try await told { store.libraryItem(.story, name, for: "ann", then: $0) }
                #expect(own == draft.item && own?.text == "About The Midnight Garden!")
                let others: LibraryItem? = try await told { store.libraryItem(.story, name, for: "bob", then: $0) }
                #expect(others == nil)
            }
            await #expect(throws: LibraryRefusal.conflict("Publish the story first.")) {
                try await Self.change(store, Self.chapter("One", of: draft.id))
            }
            #expect(try await Self.change(store, .publish(.story, draft.id, true)).isNew)
            let others: LibraryItem? = try await told { store.libraryItem(.story, draft.id, for: "bob", then: $0) }
            #expect(others?.publishedAt != nil)
            await #expect(throws: LibraryRefusal.notOwner) {
                try await Self.change(store, Self.edit(.story, draft.id, "x"), by: Self.bob)
            }
            let second = try await Self.change(store, Self.story("The midnight garden"))
            #expect(second.item?.slug == "the-midnight-garden-2")
        }
    }

    @Test("names the fields that others have changed since a client's version", arguments: Backend.allCases)
    func clashes(backend: Backend) async throws {
        try await Self.withPeople(backend) { store in
            let made = try await Self.change(store, Self.whisper("one"))
            let first = try #require(made.item?.updatedAt)
            let second = try await Self.change(store, Self.edit(.whisper, made.id, "two", version: first))
            let version = try #require(second.item?.updatedAt)
            #expect(version > first)
            let current = try #require(second.item)
            await #expect(throws: LibraryRefusal.clash(current, version: first, [.text])) {
                try await Self.change(store, Self.edit(.whisper, made.id, "three", version: first))
            }
            // The same value is no clash, and no change.
            let same = try await Self.change(store, Self.edit(.whisper, made.id, "two", version: first))
            #expect(same.item == current)
            await #expect(throws: LibraryRefusal.clash(current, version: first, [.text])) {
                try await Self.change(store, .remove(.whisper, made.id, version: first))
            }
            // Another field does not clash.
            let story = try await Self.change(store, Self.story("S"))
            let before = try #require(story.item?.updatedAt)
            try await Self.change(store, Self.edit(.story, story.id, "new summary"))
            var title = LibraryFields()
            title[text: .title] = "T"
            let merged = try await Self.change(store, .edit(.story, story.id, title, version: before))
            #expect(merged.item?.title == "T" && merged.item?.text == "new summary")
        }
    }

    @Test("a change is made once for its key", arguments: Backend.allCases)
    func keys(backend: Backend) async throws {
        try await Self.withPeople(backend) { store in
            let key = IdempotencyKey(key: "op-1", fingerprint: "f")
            let one = try await Self.change(store, Self.whisper("hello"), as: key)
            let two = try await Self.change(store, Self.whisper("hello"), as: key)
            #expect(one.isNew && !two.isNew && one.id == two.id && two.item == one.item)
            await #expect(throws: StoreError.self) {
                try await Self.change(
                    store, Self.whisper("other"), as: IdempotencyKey(key: "op-1", fingerprint: "g"))
            }
            #expect(try await Self.changes(store, .whisper).items.map(\.id) == [one.id])
        }
    }

    @Test("tells what has changed, what is gone, and where that ends", arguments: Backend.allCases)
    func sync(backend: Backend) async throws {
        try await Self.withPeople(backend) { store in
            let one = try await Self.change(store, Self.story("One"))
            let two = try await Self.change(store, Self.story("Two"))
            try await Self.change(store, Self.story("Hidden", isPublished: false))
            let whole = try await Self.changes(store, .story)
            #expect(whole.items.map(\.id) == [one.id, two.id] && !whole.forgets && whole.next == nil)
            #expect(try await Self.changes(store, .story, for: "ann").items.count == 3)
            let none = try await Self.changes(store, .story, after: whole.end)
            #expect(none.items.isEmpty && none.removed.isEmpty && !none.forgets)
            let chapter = try await Self.change(store, Self.chapter("C", of: one.id))
            try await Self.change(store, Self.edit(.story, two.id, "changed"))
            try await Self.change(store, .remove(.story, one.id, version: nil))
            let later = try await Self.changes(store, .story, after: whole.end)
            #expect(later.items.map(\.text) == ["changed"] && later.removed.map(\.id) == [one.id])
            #expect(try await Self.changes(store, .chapter, after: whole.end).removed.map(\.id) == [chapter.id])
            // A draft again is gone for others.
            try await Self.change(store, .publish(.story, two.id, false))
            #expect(try await Self.changes(store, .story, after: later.end).removed.map(\.id) == [two.id])
            #expect(try await Self.changes(store, .story, after: later.end, for: "ann").items.map(\.id) == [two.id])
            // Page by page.
            let page = try await Self.changes(store, .story, after: whole.end, for: "ann", limit: 1)
            let next = try #require(page.next)
            let rest = try await Self.changes(store, .story, after: next, for: "ann", limit: 1)
            #expect(page.removed.map(\.id) == [one.id] && rest.items.map(\.id) == [two.id] && rest.next == nil)
        }
    }

    @Test("progress is a person's own, and follows the last word", arguments: Backend.allCases)
    func progress(backend: Backend) async throws {
        try await Self.withPeople(backend) { store in
            let story = try await Self.change(store, Self.story("One"))
            let chapter = try await Self.change(store, Self.chapter("C", of: story.id))
            let one = try await Self.change(
                store, .read(chapter: chapter.id, percent: 40, version: nil), by: Self.bob)
            let two = try await Self.change(
                store, .read(chapter: chapter.id, percent: 75, version: nil), by: Self.bob)
            #expect(one.id == two.id && two.item?.percent == 75 && two.item?.story == story.id)
            #expect(try await Self.changes(store, .progress).items.map(\.percent) == [75])
            #expect(try await Self.changes(store, .progress, for: "ann").items.isEmpty)
        }
    }

    @Test("what a person leaves is out of sight at once, and gone later", arguments: Backend.allCases)
    func leaving(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 10
        try await Self.withPeople(backend, limits) { store in
            let story = try await Self.change(store, Self.story("One"))
            let whisper = try await Self.change(store, Self.whisper("w", about: story.id), by: Self.bob)
            try await Self.change(store, .like(.whisper, whisper.id, true))
            try await Self.change(store, .follow("bob", true))
            let before = try await Self.changes(store, .story)
            let _: EndedPerson = try await told { store.removePerson("ann", at: 100, then: $0) }
            let gone: LibraryItem? = try await told { store.libraryItem(.story, story.id, for: "bob", then: $0) }
            #expect(gone == nil)
            while try await Self.changes(store, .story, after: before.end).removed.map(\.id) != [story.id] {
                try await Task.sleep(for: .milliseconds(5))
            }
            while true {
                let likes: (count: Int, isLiked: Bool) = try await told {
                    store.likes(of: whisper.id, by: "bob", then: $0)
                }
                if likes.count == 0 { break }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }
}
