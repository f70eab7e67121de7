import Relay
import Rooms
import Store
import Wire

/// Elements of rooms.
enum ElementRoutes {
    static func all(_ limits: APILimits) -> [APIRoute] {
        [
            APIRoute(
                .get, "/api/rooms/{id}/elements", "A room's elements, or their changes since a version.",
                query: [
                    Field("sinceVersion", .integer(0...Int.max), "`version` of the last answer, or a join's `seq`.")
                ] + Field.paging(most: limits.elementItemsMax, usual: limits.elementItems),
                answer: .bare("ElementChanges"), failures: [404], elements),
            APIRoute(
                .post, "/api/rooms/{id}/elements", "Creates an element in a room, as `element:create` does.",
                body: .object("NewElement"), answer: .one("Element"), status: 201, failures: [404, 409],
                takesIdempotencyKey: true, create),
            APIRoute(
                .put, "/api/rooms/{id}/elements/{elementId}", "Changes an element, as `element:update` does.",
                body: .object("ElementUpdate"), answer: .one("Element"), failures: [404, 409], update),
            APIRoute(
                .delete, "/api/rooms/{id}/elements/{elementId}",
                "Deletes an element. The answer has its last content and the version of the deletion.",
                answer: .one("Element"), failures: [404, 409], delete),
        ]
    }

    // MARK: Reading

    @Sendable private static func elements(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        let room = try await api.roomOfElements(request)
        let limit = request.query.integer("limit").map(Int.init) ?? api.limits.elementItems
        var since = ChangesPosition(request.query.integer("sinceVersion").map(UInt64.init) ?? 0)
        if let cursor = request.query.text("cursor") {
            guard let position = position(cursor) else { throw .invalid("cursor", "is not one that was given out.") }
            since = position
        }
        var changes = try await api.ask { [since] in $0.changes(of: room, since: since, limit: limit, then: $1) }
        if since.seq > changes.seq {
            // A join gets a `seq` before it is stored.
            try await api.waitUntilStored(room)
            changes = try await api.ask { [since] in $0.changes(of: room, since: since, limit: limit, then: $1) }
        }
        return reply(changes, of: room)
    }

    private static func position(_ cursor: String) -> ChangesPosition? {
        let numbers = cursor.split(separator: ".", omittingEmptySubsequences: false).map { UInt64($0) }
        guard numbers.count == 2, let seq = numbers[0], let begin = numbers[1], max(seq, begin) <= UInt64(Int64.max)
        else { return nil }
        return ChangesPosition(seq, begin: begin)
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
            if changes.hasMore { json.member("nextCursor", "\(changes.through).\(changes.begin)") }
            json.endObject()
        }
        return APIReply(body: body)
    }
}

// MARK: - Changing

extension ElementRoutes {
    @Sendable private static func create(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let clientID = try request.checkedIdempotencyKey()
        let place = try await api.placeOfElements(request)
        let made = try await api.change { $0.createElement(request.object, clientID: clientID, at: place, $1) }
        return reply(made, status: made.isNew ? 201 : 200)
    }

    @Sendable private static func update(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let place = try await api.placeOfElements(request)
        let id = request.parameter("elementId")
        return reply(try await api.change { $0.updateElement(id, request.object, at: place, $1) })
    }

    @Sendable private static func delete(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let place = try await api.placeOfElements(request)
        let id = request.parameter("elementId")
        return reply(try await api.change { $0.deleteElement(id, at: place, $1) })
    }

    private static func reply(_ answer: RoomCommands.ElementAnswer, status: Int = 200) -> APIReply {
        .data(status: status) { $0.raw(answer.json.span) }
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
    /// The id of a room whose elements the sender may see: a member's, or in `open` mode any.
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

    /// The room in which the sender may change elements: an active room of a member, or in `open` mode any.
    fileprivate func placeOfElements(_ request: APIRequest) async throws(APIError) -> RoomCommands.ElementPlace {
        let id = request.parameter("id")
        let room = try await ask { $0.room(id, then: $1) }
        guard let room else { throw .notFound("room") }
        guard isOpen || room.member(request.subject) != nil else {
            throw .forbidden("You are not a member of this room.")
        }
        guard room.isActive else { throw .conflict("The room is closed.") }
        return RoomCommands.ElementPlace(
            roomID: id, info: StoreDirectory.shown(room), personID: request.subject)
    }

    /// Waits until the store has everything that the members of a room have got.
    fileprivate func waitUntilStored(_ room: String) async throws(APIError) {
        let error = await withCheckedContinuation { continuation in
            rooms.whenStored(room) { continuation.resume(returning: $0) }
        }
        if let error { throw APIError(error) }
    }

    /// Sends a change of an element to the room's home, and waits until it is stored.
    fileprivate func change(
        _ command: (RoomCommands, @escaping RoomCommands.ElementDone) -> Void
    ) async throws(APIError) -> RoomCommands.ElementAnswer {
        let answer = try await send(command)
        do throws(RoomError) {
            return try answer.get()
        } catch {
            throw APIError(error)
        }
    }
}
