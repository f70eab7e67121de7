import Relay
import Rooms
import Store
import Wire

/// Members of rooms.
enum ParticipantRoutes {
    static let all: [APIRoute] = [
        APIRoute(
            .post, "/api/rooms/{id}/participants", "Adds a user to a room; for its members.",
            body: [Field("userId", .id, required: true)], answer: .one("Room"), failures: [404, 409],
            APIRoute.inTurn(invite)),
        APIRoute(
            .delete, "/api/rooms/{id}/participants/{userId}",
            "Leaves a room, or removes a member; only the creator may remove others.", answer: .one("Room"),
            failures: [404], APIRoute.inTurn(remove)),
    ]

    @Sendable private static func invite(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let room = try await api.room(of: request)
        let id = request.body.text("userId") ?? ""
        let account = try await api.ask { $0.account(id, then: $1) }
        guard let account, account.profile != nil else { throw APIError.notFound("user").at("userId") }
        guard room.member(id) != nil || room.currentMemberCount < api.limits.membersMax else {
            throw APIError(409, .roomFull, "The room has \(api.limits.membersMax) members already.")
        }
        guard room.knows(id) || room.members.count < api.limits.knownMembersMax else {
            throw APIError(409, .roomFull, "The room has had \(api.limits.knownMembersMax) members already.")
        }
        let changed = try await api.ask { $0.addMember(id, to: room.id, at: request.now, then: $1) }
        if let member = changed.member(id), room.member(id) == nil {
            let shown = RoomShown.json(member, of: room.id)
            await api.tell { $0.tellAdded(shown, to: room.id, info: RoomShown.json(changed), $1) }
            api.rooms.tell(.added(id, to: changed, by: request.subject))
        }
        return .data { $0.room(changed, for: request.subject) }
    }

    @Sendable private static func remove(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let room = try await api.room(of: request)
        let id = request.parameter("userId")
        let leaves = id.isSameID(as: request.subject)
        guard leaves || room.isCreator(request.subject) else {
            throw .forbidden("Only the creator may remove others from a room.")
        }
        let reason = leaves ? "You have left the room." : "You were removed from the room."
        // Also after a failure: the store may have removed the member, and could not say it. The request that is repeated is
        // then refused, because there is no such member.
        defer {
            api.lookAgain(at: id, in: room.id) { standing in
                standing.part == .stranger || standing.part == .formerMember
            } then: {
                $0.expel(id, from: room.id, reason: reason, $1)
            }
        }
        let changed = try await api.ask { $0.removeMember(id, from: room.id, at: request.now, then: $1) }
        await api.tell { $0.expel(id, from: room.id, reason: reason, $1) }
        await api.tell { $0.tellRemoved(id, from: room.id, info: RoomShown.json(changed), $1) }
        return .data { $0.room(changed, for: request.subject) }
    }
}
