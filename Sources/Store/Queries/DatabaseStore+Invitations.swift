extension DatabaseStore {
    package func addInvitation(_ invitation: Invitation, hash: String, then answer: @escaping Answer<Void>) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            let key = try RoomTable(database).openKey(invitation.room)
            let count = try database.first(
                "SELECT count(*) FROM invitations WHERE room = $1 AND ends_at > $2 AND uses < uses_max", .int(key),
                .int(invitation.createdAt)
            ) { $0.int(0) }
            guard Int(count ?? 0) < limits.invitationsMax else {
                throw .conflict("The room has \(limits.invitationsMax) invitations already; take one back first.")
            }
            try database.run(
                """
                INSERT INTO invitations (id, hash, room, maker, created_at, ends_at, uses_max)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """, .text(invitation.id), .text(hash), .int(key), .text(invitation.maker),
                .int(invitation.createdAt), .int(invitation.endsAt), .int(invitation.usesMax))
        }
    }

    package func invitations(to room: String, at now: Int64, then answer: @escaping Answer<[Invitation]>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.rows(
                """
                SELECT invitations.id, rooms.id, maker, invitations.created_at, ends_at, uses_max, uses
                FROM invitations JOIN rooms ON rooms.key = invitations.room
                JOIN members ON members.room = rooms.key AND members.account = maker AND left_at IS NULL
                WHERE rooms.id = $1 AND ends_at > $2 AND uses < uses_max ORDER BY invitations.created_at, invitations.id
                """, .text(room), .int(now)
            ) { Self.invitation($0) }
        }
    }

    package func removeInvitation(_ id: String, to room: String, then answer: @escaping Answer<Bool>) {
        write(then: answer) { (database) throws(StoreError) in
            let key = try RoomTable(database).key(room)
            return try database.run("DELETE FROM invitations WHERE id = $1 AND room = $2", .text(id), .int(key)) > 0
        }
    }

    package func acceptInvitation(
        hash: String, by account: String, members: (now: Int, ever: Int), at now: Int64,
        then answer: @escaping Answer<AcceptedInvitation>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let rooms = RoomTable(database)
            // It locks the row: the same user may accept it on another node.
            try database.run("UPDATE invitations SET uses = uses WHERE hash = $1", .text(hash))
            guard let invitation = try Self.invitation(hash: hash, at: now, in: database) else {
                throw .notFound("invitation")
            }
            let key = try rooms.openKey(invitation.room)
            let room = try rooms.known(invitation.room)
            func membership(_ id: String) -> Membership? {
                room.members.first { $0.account.id.utf8.elementsEqual(id.utf8) }
            }
            let old = membership(account)
            if let old, old.leftAt == nil {
                return AcceptedInvitation(room: room, maker: invitation.maker, isNew: false)
            }
            guard let maker = membership(invitation.maker), maker.leftAt == nil,
                old?.leftAt.map({ $0 < invitation.createdAt }) ?? true
            else { throw .notFound("invitation") }
            guard room.members.count(where: { $0.leftAt == nil }) < members.now,
                old != nil || room.members.count < members.ever
            else { throw .conflict("The room has as many members as it may have.") }
            // The count decides between users who come at the same time. An invitation that is used up stays until its end:
            // its last user may not have got the answer, and asks again.
            let used = try database.run(
                "UPDATE invitations SET uses = uses + 1 WHERE hash = $1 AND uses < uses_max", .text(hash))
            guard used == 1 else { throw .notFound("invitation") }
            _ = try AccountTable(database).known(account)
            if try rooms.add(account, to: key, at: now) { try rooms.touch(key, at: now) }
            return AcceptedInvitation(room: try rooms.known(invitation.room), maker: invitation.maker, isNew: true)
        }
    }

    private static func invitation(
        hash: String, at now: Int64, in database: any SQLConnection
    ) throws(StoreError) -> Invitation? {
        try database.first(
            """
            SELECT invitations.id, rooms.id, maker, invitations.created_at, ends_at, uses_max, uses
            FROM invitations JOIN rooms ON rooms.key = invitations.room WHERE hash = $1 AND ends_at > $2
            """, .text(hash), .int(now)
        ) { invitation($0) }
    }

    private static func invitation(_ row: any SQLRow) -> Invitation {
        Invitation(
            id: row.text(0), room: row.text(1), maker: row.text(2), createdAt: row.int(3), endsAt: row.int(4),
            usesMax: Int(row.int(5)), uses: Int(row.int(6)))
    }
}
