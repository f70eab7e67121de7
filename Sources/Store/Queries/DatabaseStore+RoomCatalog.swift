extension DatabaseStore {
    package func createRoom(_ room: NewRoom, then answer: @escaping Answer<CreatedRoom>) {
        write(then: answer) { [limits, notifies] (database) throws(StoreError) in
            let answers = AnswerTable(database, limits)
            // The answer comes before the room: then another node with the same key waits for this transaction.
            if let key = room.idempotency, try !answers.keep(room.id, as: key, of: room.creator, at: room.at),
                let known = try answers.answer(to: key, of: room.creator, at: room.at)
            {
                return CreatedRoom(room: try RoomTable(database).known(known), isNew: false)
            }
            try RoomTable(database).insert(room)
            if notifies {
                try PushWriting(database).tellMembers(
                    of: room.id, try RoomTable(database).key(room.id), .roomCreated, by: room.creator, at: room.at)
            }
            return CreatedRoom(room: try RoomTable(database).known(room.id), isNew: true)
        }
    }

    package func room(_ id: String, then answer: @escaping Answer<RoomRecord?>) {
        read(then: answer) { (database) throws(StoreError) in try RoomTable(database).room(id) }
    }

    package func standing(of account: String, in room: String, then answer: @escaping Answer<RoomStanding>) {
        read(then: answer) { (database) throws(StoreError) in
            try RoomTable(database).standing(of: account, in: room)
        }
    }

    package func memberIDs(of room: String, then answer: @escaping Answer<[String]>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.rows(
                """
                SELECT account FROM members JOIN rooms ON rooms.key = members.room
                WHERE rooms.id = $1 AND left_at IS NULL ORDER BY place
                """, .text(room)
            ) { $0.text(0) }
        }
    }

    package func rooms(
        of account: String, _ page: PageRequest, then answer: @escaping Answer<Page<RoomSummary>>
    ) {
        let limit = pageLimit(page)
        read(then: answer) { (database) throws(StoreError) in
            let after = try Cursor.Activity(page.cursor)
            let found = try database.rows(
                """
                SELECT rooms.id, name, created_by, created_at, active_at, closed_at, element_count, key
                FROM members JOIN rooms ON rooms.key = members.room
                WHERE account = $1 AND left_at IS NULL AND (active_at, key) < ($2, $3)
                ORDER BY active_at DESC, key DESC LIMIT $4
                """, .text(account), .int(after.at), .int(after.key), .int(limit + 1)
            ) { (summary: RoomTable.summary($0, from: 0), key: $0.int(7)) }
            let last = found.count > limit ? found[limit - 1] : nil
            return Page(
                items: found.prefix(limit).map(\.summary),
                next: last.map { Cursor.Activity(at: $0.summary.updatedAt, key: $0.key).text })
        }
    }

    package func roomsByPerson(
        of account: String, _ page: PageRequest, then answer: @escaping Answer<Page<PersonWithRooms>>
    ) {
        let (limit, roomsMax) = (pageLimit(page), limits.roomsPerPersonMax)
        read(then: answer) { (database) throws(StoreError) in
            let after = try Cursor.name(page.cursor)
            let people = try database.rows(
                """
                SELECT id, sub, email, username, first_name, date_of_birth, avatar_url, created_at, updated_at
                FROM accounts
                WHERE lower(username) > $2 AND id <> $1 AND id IN (
                    SELECT theirs.account FROM members AS mine JOIN rooms ON rooms.key = mine.room
                    JOIN members AS theirs ON theirs.room = mine.room
                    WHERE mine.account = $1 AND mine.left_at IS NULL AND theirs.left_at IS NULL
                        AND rooms.closed_at IS NULL)
                ORDER BY lower(username) LIMIT $3
                """, .text(account), .name(after), .int(limit + 1)
            ) { AccountTable.account($0, from: 0) }
            var rows: [PersonWithRooms] = []
            for person in people.prefix(limit) {
                let rooms = try RoomTable(database).shared(account, person.id, limit: roomsMax)
                rows.append(PersonWithRooms(account: person, rooms: rooms))
            }
            return Page(items: rows, next: people.count > limit ? rows.last?.account.profile?.username : nil)
        }
    }

    // MARK: Changes

    package func addMember(
        _ account: String, to room: String, at now: Int64, then answer: @escaping Answer<RoomRecord>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let rooms = RoomTable(database)
            let key = try rooms.openKey(room)
            _ = try AccountTable(database).known(account)
            if try rooms.add(account, to: key, at: now) { try rooms.touch(key, at: now) }
            return try rooms.known(room)
        }
    }

    package func removeMember(
        _ account: String, from room: String, at now: Int64, then answer: @escaping Answer<RoomRecord>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let rooms = RoomTable(database)
            let key = try rooms.key(room)
            let count = try database.run(
                "UPDATE members SET left_at = $3 WHERE account = $1 AND room = $2 AND left_at IS NULL",
                .text(account), .int(key), .int(now))
            guard count == 1 else { throw .notFound("member") }
            try rooms.touch(key, at: now)
            return try rooms.known(room)
        }
    }

    package func renameRoom(
        _ id: String, to name: String, by account: String, at now: Int64, then answer: @escaping Answer<RoomRecord>
    ) {
        write(then: answer) { [notifies] (database) throws(StoreError) in
            let rooms = RoomTable(database)
            let key = try rooms.openKey(id)
            let isOther = try database.first(
                "SELECT name IS DISTINCT FROM $2 FROM rooms WHERE key = $1", .int(key), .text(name)
            ) { $0.bool(0) }
            if notifies, isOther == true {
                try PushWriting(database).tellMembers(of: id, key, .roomRenamed, by: account, at: now)
            }
            try database.run("UPDATE rooms SET name = $1 WHERE key = $2", .text(name), .int(key))
            try rooms.touch(key, at: now)
            return try rooms.known(id)
        }
    }

    package func closeRoom(_ id: String, at now: Int64, then answer: @escaping Answer<RoomRecord>) {
        write(then: answer) { (database) throws(StoreError) in
            let rooms = RoomTable(database)
            let key = try rooms.key(id)
            let count = try database.run(
                "UPDATE rooms SET closed_at = $1 WHERE key = $2 AND closed_at IS NULL", .int(now), .int(key))
            if count == 1 { try rooms.touch(key, at: now) }
            return try rooms.known(id)
        }
    }

    // MARK: Retries

    package func answer(
        to key: IdempotencyKey, of account: String, at now: Int64, then answer: @escaping Answer<String?>
    ) {
        read(then: answer) { [limits] (database) throws(StoreError) in
            try AnswerTable(database, limits).answer(to: key, of: account, at: now)
        }
    }

    package func keep(
        _ text: String, as key: IdempotencyKey, of account: String, at now: Int64, then answer: @escaping Answer<Void>
    ) {
        write(byteCount: text.utf8.count + 256, then: answer) { [limits] (database) throws(StoreError) in
            try AnswerTable(database, limits).keep(text, as: key, of: account, at: now)
        }
    }
}
