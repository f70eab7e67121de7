import Store
import Wire

extension AppRequest<MueJam> {
    /// The sender, as the library knows it.
    func actor() throws(APIError) -> LibraryActor {
        let person = try person()
        return LibraryActor(id: person.id, name: person.name, isAdmin: person.role == .admin)
    }

    /// The part of a list that it asks for.
    func page() throws(APIError) -> PageRequest {
        PageRequest(
            limit: Int(query.integer("limit") ?? 20), cursor: try OpaqueCursor.parse(query.text("cursor")))
    }

    static var paging: [Field] {
        [
            Field("limit", .integer(1...100), "How many items a page has at most; by default 20."),
            Field("cursor", .cursor, "`next_cursor` of the page before."),
        ]
    }

    static var version: Field {
        Field(
            "client_version", .time, "`updated_at` as the client knows it: later changes of others are not overwritten."
        )
    }
}

extension AppContext<MueJam> {
    /// Makes a change of the library; once for each key.
    func change(
        _ change: LibraryChange, by actor: LibraryActor, as key: IdempotencyKey? = nil
    ) async throws(APIError) -> LibraryDone {
        let result: Result<LibraryDone, LibraryRefusal> = try await ask {
            $0.changeLibrary(change, by: actor, as: key, then: $1)
        }
        switch result {
        case .success(let done): return done
        case .failure(let refusal): throw APIError(refusal)
        }
    }

    /// What the person may see.
    func item(_ kind: LibraryItem.Kind, _ name: String, for person: String) async throws(APIError) -> LibraryItem {
        guard let item = try await ask({ $0.libraryItem(kind, name, for: person, then: $1) }) else {
            throw .notFound(kind.rawValue)
        }
        return item
    }
}

extension APIError {
    init(_ refusal: LibraryRefusal) {
        switch refusal {
        case .notFound(let kind): self = .notFound(kind)
        case .notOwner: self = .forbidden("Only whoever has written it may do this.")
        case .conflict(let sentence): self = .conflict(sentence)
        case .clash(let item, let version, let fields):
            self = .mueJam(
                409, "SYNC_CONFLICT", "The data you're trying to update has been modified by another client",
                guidance: "Fetch the latest version and reapply your changes"
            ) { json in
                json.member("resource_type", item.kind.rawValue)
                json.member("resource_id", item.id)
                json.member("client_version", UTCTime.text(version))
                json.member("server_version", UTCTime.text(item.updatedAt))
                json.texts("conflicting_fields", fields.map { $0.name(in: item.kind) })
            }
        }
    }
}

extension LibraryField {
    /// The member that has it.
    func name(in kind: LibraryItem.Kind) -> String {
        switch self {
        case .title: "title"
        case .text: kind == .story ? "summary" : "content"
        case .coverURL: "cover_url"
        case .place: "position"
        case .percent: "progress_percent"
        }
    }
}

extension LibraryFields {
    /// The fields of a kind in a body. `null` removes a summary or a cover.
    init(_ body: FieldValues, of kind: LibraryItem.Kind) {
        self.init()
        for field in [LibraryField.title, .text, .coverURL] {
            let name = field.name(in: kind)
            self[text: field] = body.isNull(name) && field != .title ? "" : body.text(name)
        }
        for field in [LibraryField.place, .percent] { self[number: field] = body.integer(field.name(in: kind)) }
    }
}

/// The fields of bodies that make or change something.
enum MueJamFields {
    static let charactersMax = (whisper: 2_000, chapter: 200_000, summary: 2_000)

    static func of(_ kind: LibraryItem.Kind, isNew: Bool) -> [Field] {
        switch kind {
        case .story:
            [
                Field("title", .text(1...200), required: isNew),
                Field("summary", .prose(charactersMax: charactersMax.summary)), Field("cover_url", .url),
            ]
        case .chapter:
            [
                Field("title", .text(1...200), required: isNew),
                Field("content", .prose(charactersMax: charactersMax.chapter), required: isNew),
                Field("position", .integer(0...1_000_000), "Its place in the story; by default the last."),
            ]
        case .whisper: [Field("content", .prose(charactersMax: charactersMax.whisper), required: isNew)]
        case .progress: [Field("progress_percent", .integer(0...100), required: true)]
        }
    }

    static let published = Field("published", .flag, "Whether others see it at once; by default it is a draft.")
    static let slug = Field("slug", .text(1...80), "The end of its address; by default it is made of the title.")
    static let about = [
        Field("story_id", .id, "The story that it is about."),
        Field("chapter_id", .id, "The chapter that it is about."),
        Field("parent_id", .id, "The whisper that it replies to."),
    ]

    static func new(_ kind: LibraryItem.Kind, _ body: FieldValues, story: String? = nil) -> NewLibraryItem {
        var new = NewLibraryItem(kind, LibraryFields(body, of: kind))
        (new.story, new.chapter) = (story ?? body.text("story_id"), body.text("chapter_id"))
        (new.parent, new.slug) = (body.text("parent_id"), body.text("slug"))
        new.isPublished = body.flag("published") ?? false
        return new
    }
}
