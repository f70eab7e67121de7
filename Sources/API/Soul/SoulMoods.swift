import Accounts
import Store
import Wire

/// The sender's moods.
enum SoulMoods {
    static let all: [SoulRoute] = [
        SoulRoute(
            .get, "/soul/api/moods", "The sender's moods, the newest first.",
            query: [
                Field("limit", .integer(1...100), "How many moods the answer has at most; by default 20."),
                Field("cursor", .cursor, "`next_cursor` of the page before."),
                Field("since", .time, "Only moods that were felt then or later."),
                Field("until", .time, "Only moods that were felt then or earlier."),
            ], answer: .bare("Moods"), list),
        SoulRoute(
            .post, "/soul/api/moods", "Notes a mood. The same mood under the same id is noted once.",
            body: .fields(
                [
                    Field("id", .id, "1 to 64 letters, digits, - and _; the server makes one if it is missing."),
                    scale(true),
                ] + others), answer: .bare("Mood"), status: 201,
            repeated: "The mood was noted before, under the same id.", add),
        SoulRoute(
            .get, "/soul/api/moods/{moodId}", "One of the sender's moods.", answer: .bare("Mood"), failures: [404], one),
        SoulRoute(
            .patch, "/soul/api/moods/{moodId}", "Changes a mood.", body: .fields([scale(false)] + others),
            answer: .bare("Mood"), failures: [404], change),
        SoulRoute(
            .delete, "/soul/api/moods/{moodId}", "Removes a mood.", answer: nil, status: 204, failures: [404], remove),
    ]

    private static func scale(_ isRequired: Bool) -> Field {
        Field("scale", .integer(1...10), required: isRequired, "From 1, the worst, to 10.")
    }

    private static let others = [
        Field("note", .prose(charactersMax: 2_000)),
        Field("felt_at", .time, "By default the time of the request."),
    ]

    private static let noMood = APIError.soul(404, "Mood not found")

    @Sendable private static func list(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let (since, until) = (request.query.integer("since") ?? .min, request.query.integer("until") ?? .max)
        guard since <= until else { throw .soul(400, "since must not be later than until") }
        let page = PageRequest(
            limit: Int(request.query.integer("limit") ?? 20), cursor: request.query.text("cursor"))
        let moods = try await context.ask { $0.moods(of: person, in: since...until, page, then: $1) }
        return .bare { json in
            json.beginObject()
            json.key("moods")
            json.beginArray()
            for mood in moods.items { json.mood(mood) }
            json.endArray()
            if let next = moods.next { json.member("next_cursor", next) }
            json.endObject()
        }
    }

    @Sendable private static func add(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        let id = request.body.text("id")
        guard id.map(isID) ?? true else { throw .soul(400, "id must have 1 to 64 letters, digits, - and _") }
        let mood = Mood(
            id: id ?? Accounts.newID(), person: try request.person().id,
            scale: Int(request.body.integer("scale") ?? 0), note: request.body.text("note"),
            feltAt: request.body.integer("felt_at") ?? request.now, createdAt: request.now, updatedAt: request.now)
        let stored = try await context.ask {
            $0.addMood(mood, comparesTime: request.body.has("felt_at"), by: request.sender?.session.id, then: $1)
        }
        if stored.isNew { context.tell(.mood(stored.mood, isNew: true)) }
        return .bare(status: stored.isNew ? 201 : 200) { $0.mood(stored.mood) }
    }

    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.lowercased($0) &- 0x61 < 26 || "-_".utf8.contains($0) }
    }

    @Sendable private static func one(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        let person = try request.person().id
        let mood = try await context.ask { $0.mood(request.parameter("moodId"), of: person, then: $1) }
        guard let mood else { throw noMood }
        return .bare { $0.mood(mood) }
    }

    @Sendable private static func change(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        let (person, id) = (try request.person().id, request.parameter("moodId"))
        let change = MoodChange(
            scale: request.body.integer("scale").map(Int.init),
            note: request.body.isNull("note") ? "" : request.body.text("note"),
            feltAt: request.body.integer("felt_at"))
        let mood = try await context.ask {
            $0.changeMood(id, of: person, change, by: request.sender?.session.id, at: request.now, then: $1)
        }
        guard let mood else { throw noMood }
        context.tell(.mood(mood, isNew: false))
        return .bare { $0.mood(mood) }
    }

    @Sendable private static func remove(
        _ request: SoulRequest, _ context: SoulContext
    ) async throws(APIError) -> APIReply {
        let (person, id) = (try request.person().id, request.parameter("moodId"))
        let wasThere = try await context.ask { $0.removeMood(id, of: person, by: request.sender?.session.id, then: $1) }
        guard wasThere else { throw noMood }
        context.tell(.moodRemoved(id, of: person))
        return .noContent
    }
}

extension JSONWriter {
    mutating func mood(_ mood: Mood) {
        beginObject()
        member("id", mood.id)
        member("scale", mood.scale)
        key("note")
        if let note = mood.note { string(note) } else { null() }
        member("felt_at", UTCTime.text(mood.feltAt))
        member("created_at", UTCTime.text(mood.createdAt))
        member("updated_at", UTCTime.text(mood.updatedAt))
        endObject()
    }
}
