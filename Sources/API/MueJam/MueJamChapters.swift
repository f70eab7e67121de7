import Store
import Wire

/// Chapters of stories, and how far the sender has read them.
enum MueJamChapters {
    /// A chapter has many letters, each of up to four bytes, or six as an escape.
    static let bodyBytesMax = 2 << 20

    static let all: [MueJamRoute] = [
        MueJamRoute(
            .get, "/muejam/v1/stories/{story}/chapters", "The chapters of a story in their order, without their texts.",
            query: MueJamRequest.paging + ItemForm.query, answer: .bare("Chapters"), failures: [404], list),
        MueJamRoute(
            .post, "/muejam/v1/stories/{story}/chapters", "Adds a chapter to a story of the sender.",
            body: .fields(MueJamFields.of(.chapter, isNew: true) + [MueJamFields.slug, MueJamFields.published]),
            answer: .bare("Chapter"), status: 201, failures: [404, 409], takesIdempotencyKey: true,
            bodyBytesMax: bodyBytesMax
        ) { (request, context) async throws(APIError) in
            let new = MueJamFields.new(.chapter, request.body, story: request.parameter("story"))
            return try await MueJamStories.add(new, request, context)
        },
        MueJamRoute(
            .get, "/muejam/v1/chapters/{chapter}", "A chapter with its text, by id or slug.", query: ItemForm.query,
            answer: .bare("Chapter"), failures: [404]
        ) { (request, context) async throws(APIError) in
            let form = try ItemForm(request, context, .chapter)
            return .item(
                try await context.item(.chapter, request.parameter("chapter"), for: try request.person().id), form)
        },
        MueJamRoute(
            .patch, "/muejam/v1/chapters/{chapter}", "Changes a chapter of the sender.",
            body: .fields(MueJamFields.of(.chapter, isNew: false) + [MueJamRequest.version]),
            answer: .bare("Chapter"), failures: [404, 409], bodyBytesMax: bodyBytesMax
        ) { (request, context) async throws(APIError) in
            try await MueJamStories.change(.chapter, request.parameter("chapter"), request, context)
        },
        MueJamRoute(
            .delete, "/muejam/v1/chapters/{chapter}", "Removes a chapter of the sender.", answer: nil, status: 204,
            failures: [404], MueJamStories.remove(.chapter, "chapter")),
        MueJamRoute(
            .post, "/muejam/v1/chapters/{chapter}/publish",
            "Shows a chapter of the sender to others, and tells the sender's followers at the first time.",
            answer: .bare("Chapter"), failures: [404, 409], MueJamStories.publish(.chapter, "chapter", true)),
        MueJamRoute(
            .post, "/muejam/v1/chapters/{chapter}/unpublish", "Makes a chapter a draft again.",
            answer: .bare("Chapter"), failures: [404], MueJamStories.publish(.chapter, "chapter", false)),
        MueJamRoute(
            .put, "/muejam/v1/chapters/{chapter}/progress", "Notes how much of a chapter the sender has read.",
            body: .fields(MueJamFields.of(.progress, isNew: true) + [MueJamRequest.version]),
            answer: .bare("Progress"), failures: [404, 409], read),
        MueJamRoute(
            .get, "/muejam/v1/progress", "How far the sender has read, by the first reading, the newest first.",
            query: MueJamRequest.paging + ItemForm.query, answer: .bare("ProgressList"), progress),
    ]

    @Sendable private static func list(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let (form, page) = (try ItemForm(request, context, .chapter), try request.page())
        let story = try await context.item(.story, request.parameter("story"), for: person)
        return .items(
            try await context.ask { $0.libraryItems(.chapters(story: story.id), for: person, page, then: $1) }, form)
    }

    @Sendable private static func read(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let change = LibraryChange.read(
            chapter: request.parameter("chapter"), percent: request.body.integer("progress_percent") ?? 0,
            version: request.body.integer("client_version"))
        let done = try await context.change(change, by: try request.actor())
        guard let item = done.item else { throw .notFound("progress") }
        return .item(item, ItemForm(MueJamLinks(request, context)))
    }

    @Sendable private static func progress(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let (form, page) = (try ItemForm(request, context, .progress), try request.page())
        return .items(try await context.ask { $0.libraryItems(.progress, for: person, page, then: $1) }, form)
    }
}
