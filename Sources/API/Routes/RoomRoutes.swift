import Relay
import Rooms
import Store
import Wire

/// Rooms and their names.
enum RoomRoutes {
    static func all(_ limits: APILimits) -> [APIRoute] {
        [
            APIRoute(
                .post, "/api/rooms", "Makes a room with other users.",
                body: [
                    Field("otherUserId", .id, "The other user, if there is one; otherwise `userIds`."),
                    Field("userIds", .ids(most: limits.invitedMax)),
                    Field("name", .text(1...80)),
                ], answer: .one("Room"), status: 201, failures: [404, 409], takesIdempotencyKey: true, create),
            APIRoute(
                .get, "/api/rooms", "The sender's rooms, newest activity first.",
                query: Field.paging(most: limits.pageItemsMax, usual: limits.pageItems),
                answer: .list(of: "RoomSummary"), list),
            APIRoute(
                .get, "/api/rooms/grouped-by-person",
                "The users who share active rooms with the sender, with these rooms.",
                query: Field.paging(most: limits.pageItemsMax, usual: limits.pageItems),
                answer: .list(of: "PersonWithRooms"), groupedByPerson),
            APIRoute(
                .get, "/api/rooms/{id}", "One room; for its members.", answer: .one("Room"), failures: [404], room),
            APIRoute(
                .put, "/api/rooms/{id}/name", "Renames a room.",
                body: [Field("name", .text(1...80), required: true)], answer: .one("Room"), failures: [404, 409],
                APIRoute.inTurn(rename)),
            APIRoute(
                .delete, "/api/rooms/{id}", "Closes a room; for its creator.", answer: nil, status: 204,
                failures: [404], APIRoute.inTurn(close)),
        ]
    }

    // MARK: Making

    @Sendable private static func create(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let others = try invited(request)
        let room = NewRoom(
            id: RandomID.make(), name: request.body.text("name"), creator: request.subject, members: others,
            at: request.now, idempotency: try idempotency(request, others))
        try await checkThatThereAre(others, field: request.body.has("otherUserId") ? "otherUserId" : "userIds", api)
        let created = try await api.ask { $0.createRoom(room, then: $1) }
        // A creator who has left since gets no answer about the room from a retry.
        guard created.room.member(request.subject) != nil else {
            throw .forbidden("You are not a member of this room.")
        }
        for other in created.isNew ? others : [] {
            api.rooms.tell(.added(other, to: created.room, by: request.subject))
        }
        var reply = APIReply.data(status: created.isNew ? 201 : 200) { $0.room(created.room, for: request.subject) }
        reply.headers = [("Location", "/api/rooms/\(created.room.id)")]
        return reply
    }

    /// The members besides the creator. The creator may be among them, and counts once.
    private static func invited(_ request: APIRequest) throws(APIError) -> [String] {
        switch (request.body.text("otherUserId"), request.body.texts("userIds")) {
        case (let other?, nil):
            guard !other.isSameID(as: request.subject) else { throw .invalid("otherUserId", "must be somebody else.") }
            return [other]
        case (nil, let others?): return others.filter { !$0.isSameID(as: request.subject) }
        case (nil, nil): throw .invalid("otherUserId", "is missing, and so is userIds.")
        case (_?, _?): throw .invalid("userIds", "must not stand beside otherUserId.")
        }
    }

    /// A user without a profile cannot be found, and cannot be added to rooms.
    private static func checkThatThereAre(
        _ people: [String], field: String, _ api: APIContext
    ) async throws(APIError) {
        let found = try await api.ask { $0.accounts(people, then: $1) }
        guard found.count == people.count, found.allSatisfy({ $0.profile != nil }) else {
            throw APIError.notFound("user").at(field)
        }
    }

    private static func idempotency(_ request: APIRequest, _ others: [String]) throws(APIError) -> IdempotencyKey? {
        guard let key = try request.checkedIdempotencyKey() else { return nil }
        // None of the parts has control characters.
        let parts = ["POST /api/rooms", request.body.text("name") ?? ""] + others.sorted()
        return IdempotencyKey(key: key, fingerprint: parts.joined(separator: "\n"))
    }

    // MARK: Reading

    @Sendable private static func list(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let page = request.page(usual: api.limits.pageItems)
        let rooms = try await api.ask { $0.rooms(of: request.subject, page, then: $1) }
        return .page(rooms) { $0.summary($1) }
    }

    @Sendable private static func groupedByPerson(
        _ request: APIRequest, _ api: APIContext
    ) async throws(APIError) -> APIReply {
        let page = request.page(usual: api.limits.pageItems)
        let people = try await api.ask { $0.roomsByPerson(of: request.subject, page, then: $1) }
        return .page(people) { $0.person($1) }
    }

    @Sendable private static func room(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let room = try await api.room(of: request)
        return .data { $0.room(room, for: request.subject) }
    }

    // MARK: Changing

    @Sendable private static func rename(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let id = try await api.room(of: request).id
        let name = request.body.text("name") ?? ""
        let room = try await api.ask { $0.renameRoom(id, to: name, by: request.subject, at: request.now, then: $1) }
        await api.tell { $0.rename(id, to: name, $1) }
        return .data { $0.room(room, for: request.subject) }
    }

    @Sendable private static func close(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let room = try await api.room(of: request)
        guard room.isCreator(request.subject) else { throw .forbidden("Only the creator may close a room.") }
        _ = try await api.ask { $0.closeRoom(room.id, at: request.now, then: $1) }
        let reason = "The room was closed by its creator."
        await api.tell { $0.close(room.id, reason: reason, $1) }
        api.lookAgain(at: request.subject, in: room.id) {
            !$0.isActive
        } then: {
            $0.close(room.id, reason: reason, $1)
        }
        return .noContent
    }
}

extension APIContext {
    /// The room of a request, for its members.
    func room(of request: APIRequest) async throws(APIError) -> RoomRecord {
        let room = try await ask { $0.room(request.parameter("id"), then: $1) }
        guard let room else { throw .notFound("room") }
        guard room.member(request.subject) != nil else { throw .forbidden("You are not a member of this room.") }
        return room
    }
}
