import Store
import Wire

/// Whispers, replies to them, and likes.
enum MueJamWhispers {
    static let all: [MueJamRoute] =
        [
            MueJamRoute(
                .get, "/muejam/v1/whispers", "Whispers, the newest first.",
                query: MueJamRequest.paging + ItemForm.query + [
                    Field("story_id", .id, "Only those about this story, by id or slug.")
                ],
                answer: .bare("Whispers"), failures: [404], list),
            MueJamRoute(
                .post, "/muejam/v1/whispers", "Whispers something, about a story or a chapter, or as a reply.",
                body: .fields(MueJamFields.of(.whisper, isNew: true) + MueJamFields.about), answer: .bare("Whisper"),
                status: 201, failures: [404, 409], takesIdempotencyKey: true
            ) { (request, context) async throws(APIError) in
                try await MueJamStories.add(MueJamFields.new(.whisper, request.body), request, context)
            },
            MueJamRoute(
                .get, "/muejam/v1/whispers/{whisper}", "A whisper.", query: ItemForm.query, answer: .bare("Whisper"),
                failures: [404]
            ) { (request, context) async throws(APIError) in
                let form = try ItemForm(request, context, .whisper)
                return .item(
                    try await context.item(.whisper, request.parameter("whisper"), for: try request.person().id), form)
            },
            MueJamRoute(
                .patch, "/muejam/v1/whispers/{whisper}", "Changes a whisper of the sender.",
                body: .fields(MueJamFields.of(.whisper, isNew: false) + [MueJamRequest.version]),
                answer: .bare("Whisper"), failures: [404, 409]
            ) { (request, context) async throws(APIError) in
                try await MueJamStories.change(.whisper, request.parameter("whisper"), request, context)
            },
            MueJamRoute(
                .delete, "/muejam/v1/whispers/{whisper}", "Removes a whisper of the sender.", answer: nil, status: 204,
                failures: [404], MueJamStories.remove(.whisper, "whisper")),
            MueJamRoute(
                .get, "/muejam/v1/whispers/{whisper}/replies", "The replies to a whisper, the oldest first.",
                query: MueJamRequest.paging + ItemForm.query, answer: .bare("Whispers"), failures: [404], replies),
            MueJamRoute(
                .post, "/muejam/v1/whispers/{whisper}/replies", "Replies to a whisper, and tells who whispered it.",
                body: .fields(MueJamFields.of(.whisper, isNew: true)), answer: .bare("Whisper"), status: 201,
                failures: [404, 409], takesIdempotencyKey: true
            ) { (request, context) async throws(APIError) in
                var new = MueJamFields.new(.whisper, request.body)
                new.parent = request.parameter("whisper")
                return try await MueJamStories.add(new, request, context)
            },
        ] + likes(.whisper, "/muejam/v1/whispers/{whisper}/like", "/muejam/v1/whispers/{whisper}/likes")
        + likes(.story, "/muejam/v1/stories/{story}/like", "/muejam/v1/stories/{story}/likes")

    @Sendable private static func list(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let (form, page) = (try ItemForm(request, context, .whisper), try request.page())
        var list = LibraryList.whispers
        if let name = request.query.text("story_id") {
            list = .whispersAbout(story: try await context.item(.story, name, for: person).id)
        }
        return .items(try await context.ask { [list] in $0.libraryItems(list, for: person, page, then: $1) }, form)
    }

    @Sendable private static func replies(
        _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let (form, page) = (try ItemForm(request, context, .whisper), try request.page())
        let whisper = try await context.item(.whisper, request.parameter("whisper"), for: person)
        return .items(
            try await context.ask { $0.libraryItems(.replies(to: whisper.id), for: person, page, then: $1) }, form)
    }

    // MARK: Likes

    private static func likes(
        _ kind: LibraryItem.Kind, _ one: PathPattern, _ all: PathPattern
    ) -> [MueJamRoute] {
        [
            MueJamRoute(
                .post, one, "The sender likes the \(kind.rawValue).", answer: .bare("Likes"), failures: [404, 409],
                like(kind, true)),
            MueJamRoute(
                .delete, one, "The sender likes the \(kind.rawValue) no more.", answer: .bare("Likes"),
                failures: [404], like(kind, false)),
            MueJamRoute(
                .get, all, "How many people like the \(kind.rawValue), and whether the sender does.",
                answer: .bare("Likes"), failures: [404]
            ) { (request, context) async throws(APIError) in
                let person = try request.person().id
                let item = try await context.item(kind, request.parameter(kind.rawValue), for: person)
                return try await likes(of: item.id, person, context)
            },
        ]
    }

    private static func like(_ kind: LibraryItem.Kind, _ isOn: Bool) -> MueJamRoute.Handler {
        { (request, context) async throws(APIError) in
            let actor = try request.actor()
            let done = try await context.change(.like(kind, request.parameter(kind.rawValue), isOn), by: actor)
            return try await likes(of: done.id, actor.id, context)
        }
    }

    private static func likes(
        of item: String, _ person: String, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let likes = try await context.ask { $0.likes(of: item, by: person, then: $1) }
        return .bare { json in
            json.beginObject()
            json.member("count", likes.count)
            json.member("liked", likes.isLiked)
            json.endObject()
        }
    }
}
