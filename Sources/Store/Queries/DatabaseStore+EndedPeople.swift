extension DatabaseStore {
    package func removePerson(_ id: String, at now: Int64, then answer: @escaping Answer<EndedPerson>) {
        writeAlone(endingOf: id, then: answer) { [limits, hasher] (database) throws(StoreError) in
            let table = PersonTable(database)
            let sessions = try database.rows("DELETE FROM sessions WHERE person = $1 RETURNING id", .text(id)) {
                $0.text(0)
            }
            try ProfileTable.lock(id, database)
            try AccountTable(database).lock(id)
            try table.spoilCodes(of: try table.known(id))
            let rooms = try database.rows(
                """
                SELECT rooms.id FROM members JOIN rooms ON rooms.key = members.room
                WHERE account = $1 AND left_at IS NULL AND closed_at IS NULL
                """, .text(id)
            ) { $0.text(0) }
            try AllowanceTable(database, hasher).remove(ofPerson: id)
            let profiles = ProfileTable(database, limits)
            try profiles.remove(try profiles.all(of: id).map(\.id))
            try database.run(
                "UPDATE provider_tokens SET person = NULL, due_at = $2 WHERE person = $1", .text(id), .int(now))
            for statement in Self.removals { try database.run(statement, .text(id)) }
            try UploadTable(database).release(all: id, at: now)
            let next = MediaHolder.nextAvatars(of: id)
            try database.run(
                "DELETE FROM media_uses WHERE holder = $1 OR (holder >= $2 AND holder < $3)",
                .text(MediaHolder.avatar(of: id)), .text(next), .text(next + "\u{7F}"))
            try database.run(
                "UPDATE members SET left_at = $2 WHERE account = $1 AND left_at IS NULL", .text(id), .int(now))
            try database.run(
                """
                UPDATE accounts SET email = '', username = NULL, first_name = NULL, date_of_birth = NULL,
                    avatar_url = NULL, updated_at = $2, ended_at = $2
                WHERE id = $1
                """, .text(id), .int(now))
            return EndedPerson(rooms: rooms, sessions: sessions)
        }
    }

    /// The statements that remove a person from tables, in the order of their references.
    private static let removals: [StaticString] = [
        // Messages, moods, what is in the library, and rooms whose journals tell of the person may be many.
        "INSERT INTO leftovers (person) VALUES ($1)",
        "DELETE FROM settings WHERE person = $1",
        """
        DELETE FROM codes WHERE recipient IN
            (SELECT 'sign-in:' || subject FROM credentials WHERE person = $1 AND kind = 'phone')
        """,
        "DELETE FROM credentials WHERE person = $1",
        "DELETE FROM passkeys WHERE person = $1",
        "DELETE FROM wallets WHERE person = $1",
        "DELETE FROM person_numbers WHERE person = $1",
        // With it what the person has published is out of sight.
        "DELETE FROM authors WHERE person = $1",
        "DELETE FROM people WHERE id = $1",
        "DELETE FROM devices WHERE account = $1",
        "DELETE FROM push_types WHERE account = $1",
        "DELETE FROM muted_rooms WHERE account = $1",
        "DELETE FROM deliveries WHERE push IN (SELECT key FROM pushes WHERE account = $1)",
        "DELETE FROM pushes WHERE account = $1",
        "DELETE FROM answers WHERE account = $1",
        "DELETE FROM invitations WHERE maker = $1",
        // A recording is of a room, as what is in the room.
        "UPDATE recordings SET starter = NULL WHERE starter = $1",
        // Of a room that is not in use, the next home says that the person has left.
        "UPDATE present SET profile = NULL WHERE person = $1",
        "DELETE FROM seats WHERE person = $1",
    ]

    package func forgetJoins(of id: String, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                "INSERT INTO leftovers (person) VALUES ($1) ON CONFLICT (person) DO UPDATE SET journals = 0", .text(id))
        }
    }
}
