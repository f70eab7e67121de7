import Identity
import Relay
import Rooms
import Store
import Wire

/// Links that let users into rooms. The secret of a link is in the answer to the request that makes it, and nowhere else.
enum InvitationRoutes {
    private static let secondsMax = 30 * 86_400
    private static let usualSeconds: Int64 = 7 * 86_400
    private static let usesMax = 100
    private static let usualUses: Int64 = 10

    static func all(_ limits: APILimits) -> [APIRoute] {
        [
            APIRoute(
                .post, "/api/rooms/{id}/invitations", "Makes a link that lets users into a room; for its members.",
                body: [
                    Field("expiresIn", .integer(60...secondsMax), "Seconds; 7 days unless said otherwise."),
                    Field("maxUses", .integer(1...usesMax), "Users; 10 unless said otherwise."),
                ], answer: .one("NewInvitation"), status: 201, failures: [404, 409], create),
            APIRoute(
                .get, "/api/rooms/{id}/invitations", "The links of a room that are still good; for its members.",
                answer: .list(of: "Invitation"), failures: [404], list),
            APIRoute(
                .delete, "/api/rooms/{id}/invitations/{invitationId}",
                "Takes a link back; for the member who made it, and for the room's creator.", answer: nil, status: 204,
                failures: [404], remove),
            APIRoute(
                .post, "/api/invitations/accept", "Enters a room as a member, with the secret of a link.",
                body: [Field("token", .id, required: true)], answer: .one("Room"), failures: [404, 409],
                rate: APILimits.rate(perSecond: limits.acceptsPerSecondMax), accept),
        ]
    }

    @Sendable private static func create(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let room = try await api.room(of: request)
        let secret = RandomID.make() + RandomID.make()
        let seconds = request.body.integer("expiresIn") ?? usualSeconds
        let invitation = Invitation(
            id: RandomID.make(), room: room.id, maker: request.subject, createdAt: request.now,
            endsAt: request.now + seconds, usesMax: Int(request.body.integer("maxUses") ?? usualUses))
        let hash = try hash(of: secret)
        try await api.ask { $0.addInvitation(invitation, hash: hash, then: $1) }
        return .data(status: 201) { $0.invitation(invitation, token: secret) }
    }

    @Sendable private static func list(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let room = try await api.room(of: request)
        let invitations = try await api.ask { $0.invitations(to: room.id, at: request.now, then: $1) }
        return .data { json in
            json.beginArray()
            for invitation in invitations { json.invitation(invitation) }
            json.endArray()
        }
    }

    @Sendable private static func remove(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let (room, id) = (try await api.room(of: request), request.parameter("invitationId"))
        let all = try await api.ask { $0.invitations(to: room.id, at: request.now, then: $1) }
        guard let invitation = all.first(where: { $0.id.isSameID(as: id) }) else { throw .notFound("invitation") }
        guard invitation.maker.isSameID(as: request.subject) || room.isCreator(request.subject) else {
            throw .forbidden("Only the member who made an invitation and the creator of the room may take it back.")
        }
        guard try await api.ask({ $0.removeInvitation(id, to: room.id, then: $1) }) else {
            throw .notFound("invitation")
        }
        return .noContent
    }

    @Sendable private static func accept(_ request: APIRequest, _ api: APIContext) async throws(APIError) -> APIReply {
        let hash = try hash(of: request.body.text("token") ?? "")
        let limits = api.limits
        let accepted = try await api.ask {
            $0.acceptInvitation(
                hash: hash, by: request.subject, members: (limits.membersMax, limits.knownMembersMax), at: request.now,
                then: $1)
        }
        guard accepted.isNew else { return .data { $0.room(accepted.room, for: request.subject) } }
        let turn = ExactText(accepted.room.id)
        await api.turns.take(turn)
        defer { api.turns.give(turn) }
        // Another change of the room may have been stored and told meanwhile, also the end of this membership.
        let room = (try? await api.ask { $0.room(accepted.room.id, then: $1) }) ?? accepted.room
        guard let member = room.member(request.subject) else {
            return .data { $0.room(accepted.room, for: request.subject) }
        }
        let shown = RoomShown.json(member, of: room.id)
        await api.tell { $0.tellAdded(shown, to: room.id, info: RoomShown.json(room), $1) }
        api.rooms.tell(.added(request.subject, to: room, by: accepted.maker))
        return .data { $0.room(room, for: request.subject) }
    }

    private static func hash(of secret: String) throws(APIError) -> String {
        guard let digest = SHA256Digest.of(Array(secret.utf8)) else {
            throw .unavailable("The server is overloaded; try again in a moment.")
        }
        return Base64URL.text(digest)
    }
}

extension JSONWriter {
    /// - Parameter token: the secret, for the user who has just made the invitation.
    fileprivate mutating func invitation(_ invitation: Invitation, token: String? = nil) {
        beginObject()
        member("id", invitation.id)
        member("roomId", invitation.room)
        member("createdBy", invitation.maker)
        member("createdAt", UTCTime.text(invitation.createdAt))
        member("expiresAt", UTCTime.text(invitation.endsAt))
        member("maxUses", invitation.usesMax)
        member("uses", invitation.uses)
        if let token { member("token", token) }
        endObject()
    }
}
