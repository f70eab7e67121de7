import Wire

/// Changes the library, in one transaction with the notifications about it.
struct LibraryWriting {
    let database: any SQLConnection
    let limits: StoreLimits
    let rows: LibraryRows
    let clock: LibraryClock
    let names: LibraryNames
    let notices: NotificationWriting?

    init(_ database: any SQLConnection, _ limits: StoreLimits, notifies: Bool, now: Int64) {
        self.database = database
        self.limits = limits
        rows = LibraryRows(database)
        clock = LibraryClock(database, now: now)
        names = LibraryNames(database)
        notices = notifies ? NotificationWriting(database, now: now) : nil
    }

    /// Makes a change once for its key. The caller has locked the clock.
    func change(
        _ change: LibraryChange, by actor: LibraryActor, as key: IdempotencyKey?
    ) throws(StoreError) -> Result<LibraryDone, LibraryRefusal> {
        let answers = AnswerTable(database, limits)
        if let key, let id = try answers.answer(to: key, of: actor.id, at: clock.now) {
            let item = try rows.whole(id)
            return .success(
                LibraryDone(id: id, item: item.flatMap { $0.isVisible(to: actor.id) ? $0 : nil }, isNew: false))
        }
        try names.introduce(actor, at: clock.now)
        let result = try perform(change, by: actor)
        if let key, case .success(let done) = result {
            try answers.keep(done.id, as: key, of: actor.id, at: clock.now)
        }
        return result
    }

    private func perform(
        _ change: LibraryChange, by actor: LibraryActor
    ) throws(StoreError) -> Result<LibraryDone, LibraryRefusal> {
        switch change {
        case .add(let new): try add(new, by: actor)
        case .edit(let kind, let id, let fields, let version):
            try edit(try rows.item(kind, id), kind, fields, version, by: actor)
        case .remove(let kind, let id, let version): try remove(kind, id, version, by: actor)
        case .publish(let kind, let id, let isOn): try publish(kind, id, isOn, by: actor)
        case .read(let chapter, let percent, let version): try read(chapter, percent, version, by: actor)
        case .like(let kind, let id, let isOn): try like(kind, id, isOn, by: actor)
        case .follow(let person, let isOn): try follow(person, isOn, by: actor)
        }
    }

    // MARK: Adding

    private func add(
        _ new: NewLibraryItem, by actor: LibraryActor
    ) throws(StoreError) -> Result<LibraryDone, LibraryRefusal> {
        let context: Place
        switch try place(of: new, for: actor) {
        case .success(let found): context = found
        case .failure(let refusal): return .failure(refusal)
        }
        let most = new.kind == .story ? limits.storiesMax : limits.whispersMax
        let isFull: Bool? =
            new.kind == .chapter
            ? try database.first(
                "SELECT 1 FROM library WHERE story = $1 AND kind = 'chapter' AND deleted_at IS NULL LIMIT 1 OFFSET $2",
                .optional(context.story), .int(limits.chaptersMax - 1)
            ) { _ in true }
            : try database.first(
                "SELECT 1 FROM library WHERE owner = $1 AND kind = $2 AND deleted_at IS NULL LIMIT 1 OFFSET $3",
                .text(actor.id), .text(new.kind.rawValue), .int(most - 1)
            ) { _ in true }
        guard isFull == nil else { return .failure(.conflict("There are as many as there may be.")) }
        let id = try insert(new, at: context, by: actor)
        if let parent = context.parent, !parent.owner.utf8.elementsEqual(actor.id.utf8) {
            try notices?.notify(
                .whisperReply(for: parent.owner, by: actor.name, whisper: parent.id, reply: id), about: id)
        }
        if new.kind == .chapter, new.isPublished { try tellFollowers(of: id, by: actor) }
        return .success(LibraryDone(id: id, item: try rows.whole(id), isNew: true))
    }

    /// What a new item belongs to.
    private struct Place {
        var story: String?
        var chapter: String?
        var parent: LibraryItem?
        var place: Int64?
    }

    private func place(
        of new: NewLibraryItem, for actor: LibraryActor
    ) throws(StoreError) -> Result<Place, LibraryRefusal> {
        var found = Place()
        if let parent = new.parent {
            guard let whisper = try visible(.whisper, parent, to: actor) else { return .failure(.notFound("whisper")) }
            (found.parent, found.chapter, found.story) = (whisper, whisper.chapter, whisper.story)
        }
        if let id = new.chapter {
            guard let chapter = try visible(.chapter, id, to: actor) else { return .failure(.notFound("chapter")) }
            (found.chapter, found.story) = (chapter.id, chapter.story)
        }
        if let id = new.story {
            guard let story = try visible(.story, id, to: actor) else { return .failure(.notFound("story")) }
            guard found.story.map({ $0.utf8.elementsEqual(story.id.utf8) }) ?? true else {
                return .failure(.conflict("The chapter is part of another story."))
            }
            found.story = story.id
            if new.kind == .chapter {
                guard story.owner.utf8.elementsEqual(actor.id.utf8) else { return .failure(.notOwner) }
                guard !new.isPublished || story.publishedAt != nil else { return .failure(.draftStory) }
                let last = try database.first(
                    "SELECT max(place) FROM library WHERE story = $1 AND kind = 'chapter' AND deleted_at IS NULL",
                    .text(story.id)
                ) { $0.optionalInt(0) }
                found.place = new.fields[number: .place] ?? ((last ?? nil) ?? 0) + 1
            }
        }
        return .success(found)
    }

    func visible(
        _ kind: LibraryItem.Kind, _ name: String, to actor: LibraryActor
    ) throws(StoreError) -> LibraryItem? {
        try rows.item(kind, name).flatMap { $0.isVisible(to: actor.id) ? $0 : nil }
    }

    private func insert(
        _ new: NewLibraryItem, at place: Place, by actor: LibraryActor
    ) throws(StoreError) -> String {
        let mark = try clock.next()
        let id = LibraryNames.newID(mark.number)
        let slug = try names.slug(new.slug ?? new.fields[text: .title], of: new.kind)
        let shown: Int64? = new.isPublished || new.kind == .whisper ? mark.at : nil
        try database.run(
            """
            INSERT INTO library (id, kind, owner, story, chapter, parent, slug, title, body, cover_url, place, percent,
                published_at, shown_at, created_at, updated_at, edits, changed_at, number)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13, $14, $14, '{}', $15, $16)
            """, .text(id), .text(new.kind.rawValue), .text(actor.id), .optional(place.story),
            .optional(place.chapter), .optional(place.parent?.id), .optional(slug),
            .optional(new.fields[text: .title]), .optional(new.fields[text: .text]),
            .optional(new.fields[text: .coverURL]), .optional(place.place), .optional(new.fields[number: .percent]),
            .optional(shown), .int(mark.at), .int(mark.at), .int(mark.number))
        return id
    }

    // MARK: Changing

    private func edit(
        _ item: LibraryItem?, _ kind: LibraryItem.Kind, _ fields: LibraryFields, _ version: Int64?,
        by actor: LibraryActor
    ) throws(StoreError) -> Result<LibraryDone, LibraryRefusal> {
        guard let item, item.isVisible(to: actor.id) else { return .failure(.notFound(kind.rawValue)) }
        guard item.owner.utf8.elementsEqual(actor.id.utf8) else { return .failure(.notOwner) }
        let text = kind == .chapter ? try rows.chapterText(item.id) : item.text
        let changed = LibraryField.allCases.filter { fields.changes($0, of: item, text: text) }
        guard !changed.isEmpty else {
            return .success(LibraryDone(id: item.id, item: try rows.whole(item.id), isNew: false))
        }
        let edits = try edits(of: item.id)
        if let version {
            let clashing = changed.filter { edits.time(of: $0) ?? item.createdAt > version }
            guard clashing.isEmpty else { return .failure(.clash(item, version: version, clashing)) }
        }
        let mark = try clock.next()
        let at = max(mark.at, item.updatedAt + 1)
        try database.run(
            """
            UPDATE library SET title = coalesce($2, title), body = nullif(coalesce($3, body), ''),
                cover_url = nullif(coalesce($4, cover_url), ''), place = coalesce($5, place),
                percent = coalesce($6, percent), updated_at = $7, edits = $8, changed_at = $9, number = $10
            WHERE id = $1
            """, .text(item.id), .optional(fields[text: .title]), .optional(fields[text: .text]),
            .optional(fields[text: .coverURL]), .optional(fields[number: .place]),
            .optional(fields[number: .percent]), .int(at), .json(edits.adding(changed, at: at)), .int(mark.at),
            .int(mark.number))
        return .success(LibraryDone(id: item.id, item: try rows.whole(item.id), isNew: false))
    }

    private func edits(of id: String) throws(StoreError) -> LibraryEdits {
        LibraryEdits(try database.first("SELECT edits FROM library WHERE id = $1", .text(id)) { $0.bytes(0) } ?? [])
    }

    private func remove(
        _ kind: LibraryItem.Kind, _ id: String, _ version: Int64?, by actor: LibraryActor
    ) throws(StoreError) -> Result<LibraryDone, LibraryRefusal> {
        guard let item = try visible(kind, id, to: actor) else { return .failure(.notFound(kind.rawValue)) }
        guard item.owner.utf8.elementsEqual(actor.id.utf8) || actor.isAdmin && kind != .progress else {
            return .failure(.notOwner)
        }
        if let version, item.updatedAt > version {
            let edits = try edits(of: item.id)
            let later = LibraryField.allCases.filter { edits.time(of: $0) ?? 0 > version }
            return .failure(.clash(item, version: version, later))
        }
        if kind == .story { for chapter in try chapters(of: item.id) { try bury(chapter) } }
        try bury(item.id)
        return .success(LibraryDone(id: item.id, item: nil, isNew: false))
    }

    private func chapters(of story: String) throws(StoreError) -> [String] {
        try database.rows(
            "SELECT id FROM library WHERE story = $1 AND kind = 'chapter' AND deleted_at IS NULL ORDER BY place, id",
            .text(story)
        ) { $0.text(0) }
    }

    /// Deletes an item's contents. The row stays, so that copies on phones learn of the deletion.
    func bury(_ id: String) throws(StoreError) {
        let mark = try clock.next()
        try database.run(
            """
            UPDATE library SET slug = NULL, title = NULL, body = NULL, cover_url = NULL, percent = NULL,
                chapter = CASE WHEN kind = 'progress' THEN NULL ELSE chapter END, parent = NULL, edits = '{}',
                deleted_at = $2, updated_at = CASE WHEN $2 > updated_at THEN $2 ELSE updated_at + 1 END, changed_at = $2,
                number = $3
            WHERE id = $1
            """, .text(id), .int(mark.at), .int(mark.number))
        try database.run("DELETE FROM likes WHERE item = $1", .text(id))
    }

    // MARK: Publishing

    private func publish(
        _ kind: LibraryItem.Kind, _ id: String, _ isOn: Bool, by actor: LibraryActor
    ) throws(StoreError) -> Result<LibraryDone, LibraryRefusal> {
        guard let item = try visible(kind, id, to: actor) else { return .failure(.notFound(kind.rawValue)) }
        guard item.owner.utf8.elementsEqual(actor.id.utf8) else { return .failure(.notOwner) }
        guard (item.publishedAt != nil) != isOn else {
            return .success(LibraryDone(id: item.id, item: try rows.whole(item.id), isNew: false))
        }
        if kind == .chapter, isOn {
            let story = try item.story.flatMap { story throws(StoreError) in try rows.item(story) }
            guard story?.publishedAt != nil else { return .failure(.draftStory) }
        }
        if kind == .story, !isOn { for chapter in try chapters(of: item.id) { try show(chapter, false) } }
        try show(item.id, isOn)
        if kind == .chapter, isOn, item.shownAt == nil { try tellFollowers(of: item.id, by: actor) }
        return .success(LibraryDone(id: item.id, item: try rows.whole(item.id), isNew: isOn && item.shownAt == nil))
    }

    private func show(_ id: String, _ isOn: Bool) throws(StoreError) {
        let mark = try clock.next()
        try database.run(
            """
            UPDATE library SET published_at = $2, shown_at = coalesce(shown_at, $2),
                updated_at = CASE WHEN $3 > updated_at THEN $3 ELSE updated_at + 1 END, changed_at = $3, number = $4
            WHERE id = $1
            """, .text(id), .optional(isOn ? mark.at : nil), .int(mark.at), .int(mark.number))
    }

    private func tellFollowers(of chapter: String, by actor: LibraryActor) throws(StoreError) {
        guard let notices, let chapter = try rows.item(chapter),
            let story = try chapter.story.flatMap({ story throws(StoreError) in try rows.item(story) })
        else { return }
        try notices.notifyFollowers(
            of: actor.id,
            .storyUpdate(
                for: "", by: actor.name, of: story.title ?? "", story: story.id, chapter: chapter.id),
            about: chapter.id)
    }

    // MARK: What readers do

    private func read(
        _ chapter: String, _ percent: Int64, _ version: Int64?, by actor: LibraryActor
    ) throws(StoreError) -> Result<LibraryDone, LibraryRefusal> {
        guard let chapter = try visible(.chapter, chapter, to: actor) else { return .failure(.notFound("chapter")) }
        var fields = LibraryFields()
        fields[number: .percent] = percent
        if let known = try rows.progress(of: actor.id, in: chapter.id) {
            return try edit(known, .progress, fields, version, by: actor)
        }
        var new = NewLibraryItem(.progress, fields)
        new.chapter = chapter.id
        return try add(new, by: actor)
    }

    private func like(
        _ kind: LibraryItem.Kind, _ id: String, _ isOn: Bool, by actor: LibraryActor
    ) throws(StoreError) -> Result<LibraryDone, LibraryRefusal> {
        guard let item = try visible(kind, id, to: actor) else { return .failure(.notFound(kind.rawValue)) }
        if !isOn {
            try database.run("DELETE FROM likes WHERE person = $1 AND item = $2", .text(actor.id), .text(item.id))
            return .success(LibraryDone(id: item.id, item: nil, isNew: false))
        }
        let isFull = try database.first(
            "SELECT 1 FROM likes WHERE person = $1 LIMIT 1 OFFSET $2", .text(actor.id), .int(limits.likesMax - 1)
        ) { _ in true }
        guard isFull == nil else { return .failure(.conflict("A person has at most \(limits.likesMax) likes.")) }
        let count = try database.run(
            "INSERT INTO likes (person, item, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            .text(actor.id), .text(item.id), .int(clock.now))
        if count > 0, kind == .whisper, !item.owner.utf8.elementsEqual(actor.id.utf8) {
            try notices?.notify(
                .whisperLike(for: item.owner, by: actor.name, whisper: item.id, user: actor.id),
                about: "\(item.id) \(actor.id)")
        }
        return .success(LibraryDone(id: item.id, item: nil, isNew: count > 0))
    }

    private func follow(
        _ name: String, _ isOn: Bool, by actor: LibraryActor
    ) throws(StoreError) -> Result<LibraryDone, LibraryRefusal> {
        guard let other = try rows.author(name)?.person else { return .failure(.notFound("profile")) }
        guard !other.utf8.elementsEqual(actor.id.utf8) else {
            return .failure(.conflict("Nobody follows oneself."))
        }
        if !isOn {
            try database.run(
                "DELETE FROM follows WHERE follower = $1 AND followed = $2", .text(actor.id), .text(other))
            return .success(LibraryDone(id: other, item: nil, isNew: false))
        }
        let isFull = try database.first(
            "SELECT 1 FROM follows WHERE follower = $1 LIMIT 1 OFFSET $2", .text(actor.id), .int(limits.followsMax - 1)
        ) { _ in true }
        guard isFull == nil else {
            return .failure(.conflict("A person follows at most \(limits.followsMax) others."))
        }
        let count = try database.run(
            "INSERT INTO follows (follower, followed, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            .text(actor.id), .text(other), .int(clock.now))
        if count > 0 {
            try notices?.notify(.newFollower(for: other, by: actor.name, user: actor.id), about: actor.id)
        }
        return .success(LibraryDone(id: other, item: nil, isNew: count > 0))
    }
}

extension LibraryRefusal {
    fileprivate static let draftStory = LibraryRefusal.conflict("Publish the story first.")
}
