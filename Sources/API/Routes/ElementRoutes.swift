import Rooms
import Store
import Wire

/// What is on a room's canvas.
enum ElementRoutes {
    static func all(_ limits: APILimits) -> [Route] {
        [
            Route(
                .get, "/api/rooms/{id}/elements", "A room's elements, or what has changed among them since.",
                query: [
                    Field("sinceVersion", .integer(0...Int.max), "`version` of the last answer, or a join's `seq`.")
                ] + Field.paging(most: limits.elementItemsMax, usual: limits.elementItems),
                answer: .bare("ElementChanges"), failures: [404], elements)
        ]
    }

    @Sendable private static func elements(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        let room = try await api.roomOfElements(request)
        let limit = request.query.integer("limit").map(Int.init) ?? api.limits.elementItems
        var since = request.query.integer("sinceVersion").map(UInt64.init) ?? 0
        if let cursor = request.query.text("cursor") {
            guard let position = UInt64(cursor), position <= UInt64(Int64.max) else {
                throw .invalid("cursor", "is not one that was given out.")
            }
            since = position
        }
        let changes = try await api.ask { [since] in $0.changes(of: room, since: since, limit: limit, then: $1) }
        return reply(changes, of: room)
    }

    private static func reply(_ changes: ElementChanges, of room: String) -> APIReply {
        var roomJSON: [UInt8] = []
        roomJSON.appendJSONString(room.utf8.span)
        var body: [UInt8] = []
        JSONWriter.write(into: &body) { json in
            json.beginObject()
            json.key("data")
            json.beginArray()
            for item in changes.elements {
                var element: [UInt8] = []
                item.element.append(roomJSON: roomJSON, to: &element)
                json.raw(element.span)
            }
            json.endArray()
            json.key("deleted")
            json.beginArray()
            for tombstone in changes.tombstones { json.tombstone(tombstone) }
            json.endArray()
            json.member("version", Int(changes.through))
            json.member("isReset", changes.isReset)
            if changes.hasMore { json.member("nextCursor", "\(changes.through)") }
            json.endObject()
        }
        return APIReply(body: body)
    }
}

extension JSONWriter {
    fileprivate mutating func tombstone(_ tombstone: Tombstone) {
        beginObject()
        member("id", tombstone.id)
        member("version", tombstone.version)
        member("deletedAt", UTCTime.text(tombstone.deletedAt))
        endObject()
    }
}

extension APIContext {
    /// The id of a room whose elements the sender may see: a member's, or where everybody is let in, any.
    func roomOfElements(_ request: APIRequest) async throws(APIError) -> String {
        let id = request.parameter("id")
        let standing = try await ask { $0.standing(of: request.subject, in: id, then: $1) }
        guard standing.doesExist else { throw .notFound("room") }
        switch standing.part {
        case .member, .creator: return id
        case .stranger, .formerMember:
            guard isOpen else { throw .forbidden("You are not a member of this room.") }
            return id
        }
    }
}
