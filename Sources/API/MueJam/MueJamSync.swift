import Store
import Wire

/// What has changed since a phone was last in step. See docs/SYNC.md.
enum MueJamSync {
    /// Fewer changes have the same time, so a client that asks by time makes progress with each answer.
    static let itemsMax = 1_000

    static let all: [MueJamRoute] =
        [
            route(.story, "/muejam/v1/sync/stories", "Stories"),
            route(.chapter, "/muejam/v1/sync/chapters", "Chapters"),
            route(.whisper, "/muejam/v1/sync/whispers", "Whispers"),
            route(.progress, "/muejam/v1/sync/progress", "The sender's progress"),
        ] + [MueJamBatch.route]

    private static func route(_ kind: LibraryItem.Kind, _ path: PathPattern, _ what: String) -> MueJamRoute {
        MueJamRoute(
            .get, path, "\(what) that have changed, the earliest change first; all of them without `since`.",
            query: [
                Field("since", .time, "`sync_timestamp` of the answer before."),
                Field("cursor", .cursor, "`next_cursor` of the answer before: nothing comes twice then."),
                Field(
                    "limit", .integer(1...itemsMax), "How many changes an answer has at most; by default \(itemsMax)."),
            ] + [ItemForm.query[0]], answer: .bare("Sync")
        ) { (request, context) async throws(APIError) in
            try await changes(of: kind, request, context)
        }
    }

    private static func changes(
        of kind: LibraryItem.Kind, _ request: MueJamRequest, _ context: MueJamContext
    ) async throws(APIError) -> APIReply {
        let (person, form) = (try request.person().id, try ItemForm(request, context, kind))
        let cursor = try request.query.text("cursor").map { text throws(APIError) in try SyncCursor(text) }
        let mark = cursor?.mark ?? request.query.integer("since").map { LibraryMark(before: $0) }
        let limit = Int(request.query.integer("limit") ?? Int64(itemsMax))
        let found = try await context.ask {
            $0.libraryChanges(of: kind, after: mark, for: person, limit: limit, then: $1)
        }
        // In a first sync, what was gone before it began was never there; what has gone since may be there.
        let begun = mark == nil ? found.end.number : cursor?.begun
        let next = SyncCursor(mark: found.next ?? found.end, begun: found.next == nil ? nil : begun)
        return .bare { json in
            json.beginObject()
            json.key("data")
            json.beginArray()
            for item in found.items { json.item(item, form) }
            json.endArray()
            json.key("deleted")
            json.beginArray()
            for item in found.removed where item.number > begun ?? 0 {
                json.beginObject()
                json.member("id", item.id)
                json.member("deleted_at", UTCTime.text(item.at))
                json.endObject()
            }
            json.endArray()
            json.member("sync_timestamp", UTCTime.text(next.mark.at))
            json.member("next_cursor", next.text)
            json.member("has_more", found.next != nil)
            if found.forgets, begun == nil { json.member("reset", true) }
            json.endObject()
        }
    }
}

/// The place of a client among all changes.
struct SyncCursor {
    let mark: LibraryMark
    /// Inside a client's first sync: the number of the newest change when that began.
    let begun: Int64?

    init(mark: LibraryMark, begun: Int64?) {
        self.mark = mark
        self.begun = begun
    }

    init(_ text: String) throws(APIError) {
        let parts = try OpaqueCursor.parse(text)?.split(separator: ".") ?? []
        guard let name = parts.first, parts.count == (name == "first" ? 4 : 3), name == "first" || name == "after"
        else { throw .badCursor }
        let numbers = parts.dropFirst().compactMap { Int64($0) }.filter { $0 >= 0 }
        guard numbers.count == parts.count - 1 else { throw .badCursor }
        self.init(
            mark: LibraryMark(at: numbers[0], number: numbers[1]), begun: numbers.count > 2 ? numbers[2] : nil)
    }

    var text: String {
        let place = "\(mark.at).\(mark.number)"
        return OpaqueCursor.text(begun.map { "first.\(place).\($0)" } ?? "after.\(place)")
    }
}
