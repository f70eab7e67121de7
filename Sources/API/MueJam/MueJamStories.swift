import Identity
import Store
import Wire

/// Stories: reading, and what their authors do.
enum MueJamStories {
    static let all: [MueJamRoute] = [
        MueJamRoute(
            .get, "/muejam/v1/stories", "Published stories, the newest first.",
            query: MueJamRequest.paging + ItemForm.query + [
                Field("author", .id, "Only those of this person, by id or handle; `me` for one's own, also drafts.")
            ], answer: .bare("Stories"), failures: [404], list),
        MueJamRoute(
            .post, "/muejam/v1/stories", "Makes a story, a draft unless it is to be published at once.",
            body: .fields(MueJamFields.of(.story, isNew: true) + [MueJamFields.slug, MueJamFields.published]),
            answer: .bare("Story"), status: 201, failures: [404, 409], takesIdempotencyKey: true, add),
        MueJamRoute(
            .get, "/muejam/v1/stories/{story}", "A story, by id or slug.", query: ItemForm.query,
            answer: .bare("Story"), failures: [404], one),
        MueJamRoute(
            .patch, "/muejam/v1/stories/{story}", "Changes a story of the sender.",
            body: .fields(MueJamFields.of(.story, isNew: false) + [MueJamRequest.version]), answer: .bare("Story"),
            failures: [404, 409], change),
        MueJamRoute(
            .delete, "/muejam/v1/stories/{story}", "Removes a story of the sender, with its chapters.", answer: nil,
            status: 204, failures: [404], remove(.story, "story")),
        MueJamRoute(
            .post, "/muejam/v1/stories/{story}/publish", "Shows a story of the sender to others.",
            answer: .bare("Story"), failures: [404], publish(.story, "story", true)),
        MueJamRoute(
            .post, "/muejam/v1/stories/{story}/unpublish", "Makes a story a draft again, with its chapters.",
            answer: .bare("Story"), failures: [404], publish(.story, "story", false)),
    ]

    @Sendable private static func list(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let (form, page) = (try ItemForm(request, context, .story), try request.page())
        let list: LibraryList
        switch request.query.text("author") {
        case nil: list = .stories
        case "me": list = .ownStories
        case let name?:
            guard let author = try await context.ask({ $0.author(name, then: $1) }) else { throw .notFound("profile") }
            list = .storiesOf(author: author.person)
        }
        return .items(try await context.ask { $0.libraryItems(list, for: person, page, then: $1) }, form)
    }

    @Sendable private static func add(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        try await add(MueJamFields.new(.story, request.body), request, context)
    }

    /// Adds something, once for an `Idempotency-Key`.
    static func add(
        _ new: NewLibraryItem, _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let key = try request.checkedIdempotencyKey().map { key in
            IdempotencyKey(key: "library:" + key, fingerprint: new.fingerprint)
        }
        let done = try await context.change(.add(new), by: try request.actor(), as: key)
        // It may be gone again since the first request with this key.
        guard let item = done.item else { throw .notFound(new.kind.rawValue) }
        return .item(item, ItemForm(MueJamLinks(request, context)), status: done.isNew ? 201 : 200)
    }

    @Sendable private static func one(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let form = try ItemForm(request, context, .story)
        return .item(try await context.item(.story, request.parameter("story"), for: try request.person().id), form)
    }

    @Sendable private static func change(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        try await change(.story, request.parameter("story"), request, context)
    }

    static func change(
        _ kind: LibraryItem.Kind, _ id: String, _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let change = LibraryChange.edit(
            kind, id, LibraryFields(request.body, of: kind), version: request.body.integer("client_version"))
        let done = try await context.change(change, by: try request.actor())
        guard let item = done.item else { throw .notFound(kind.rawValue) }
        return .item(item, ItemForm(MueJamLinks(request, context)))
    }

    static func remove(_ kind: LibraryItem.Kind, _ parameter: String) -> MueJamRoute.Handler {
        { (request, context) async throws(APIError) in
            let change = LibraryChange.remove(kind, request.parameter(parameter), version: nil)
            _ = try await context.change(change, by: try request.actor())
            return .noContent
        }
    }

    static func publish(_ kind: LibraryItem.Kind, _ parameter: String, _ isOn: Bool) -> MueJamRoute.Handler {
        { (request, context) async throws(APIError) in
            let change = LibraryChange.publish(kind, request.parameter(parameter), isOn)
            let done = try await context.change(change, by: try request.actor())
            guard let item = done.item else { throw .notFound(kind.rawValue) }
            return .item(item, ItemForm(MueJamLinks(request, context)))
        }
    }
}

extension NewLibraryItem {
    /// Tells whether a retry asks for the same.
    var fingerprint: String {
        let texts = LibraryField.allCases.map { fields[text: $0] ?? fields[number: $0].map { "\($0)" } ?? "" }
        let parts = [kind.rawValue, story, chapter, parent, slug, isPublished ? "published" : ""].map { $0 ?? "" }
        return SHA256Digest.of(Array((parts + texts).joined(separator: "\u{0}").utf8)).map { Base64URL.text($0) } ?? ""
    }
}
