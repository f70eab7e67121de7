/// Reads and writes rooms and their members.
struct RoomTable {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    // MARK: Rooms

    func key(_ id: String) throws(StoreError) -> Int64 {
        guard let key = try database.first("SELECT key FROM rooms WHERE id = $1", .text(id), read: { $0.int(0) }) else {
            throw .notFound("room")
        }
        return key
    }

    /// The key of a room that can still be changed.
    func openKey(_ id: String) throws(StoreError) -> Int64 {
        let found = try database.first("SELECT key, closed_at FROM rooms WHERE id = $1", .text(id)) {
            (key: $0.int(0), isOpen: $0.isNull(1))
        }
        guard let found else { throw .notFound("room") }
        guard found.isOpen else { throw .conflict("The room is closed.") }
        return found.key
    }

    func insert(_ room: NewRoom) throws(StoreError) {
        let accounts = AccountTable(database)
        for account in [room.creator] + room.members { _ = try accounts.known(account) }
        let isTaken = try database.first("SELECT 1 FROM rooms WHERE id = $1", .text(room.id)) { _ in true }
        guard isTaken == nil else { throw .taken("room") }
        try database.run(
            "INSERT INTO rooms (id, name, created_by, created_at, active_at) VALUES ($1, $2, $3, $4, $4)",
            .text(room.id), .optional(room.name), .text(room.creator), .int(room.at))
        let key = try key(room.id)
        for account in [room.creator] + room.members { try add(account, to: key, at: room.at) }
    }

    /// Updates the time of a room's newest activity.
    func touch(_ key: Int64, at now: Int64) throws(StoreError) {
        try database.run("UPDATE rooms SET active_at = $1 WHERE key = $2 AND active_at < $1", .int(now), .int(key))
    }

    func known(_ id: String) throws(StoreError) -> RoomRecord {
        guard let room = try room(id) else { throw .notFound("room") }
        return room
    }

    func room(_ id: String) throws(StoreError) -> RoomRecord? {
        let found = try database.first(
            """
            SELECT id, name, created_by, created_at, active_at, closed_at, element_count, key FROM rooms WHERE id = $1
            """, .text(id)
        ) { (summary: Self.summary($0, from: 0), key: $0.int(7)) }
        guard let found else { return nil }
        let creator = try found.summary.createdBy.map { id throws(StoreError) in
            try AccountTable(database).account(id)
        }
        return RoomRecord(
            id: found.summary.id, name: found.summary.name, creator: creator ?? nil,
            createdAt: found.summary.createdAt, updatedAt: found.summary.updatedAt,
            isActive: found.summary.isActive, elementCount: found.summary.elementCount,
            members: try members(found.key))
    }

    /// Active rooms of both users, newest activity first.
    func shared(_ one: String, _ other: String, limit: Int) throws(StoreError) -> [RoomSummary] {
        try database.rows(
            """
            SELECT rooms.id, name, created_by, created_at, active_at, closed_at, element_count
            FROM members AS mine JOIN members AS theirs ON theirs.room = mine.room
            JOIN rooms ON rooms.key = mine.room
            WHERE mine.account = $1 AND theirs.account = $2 AND mine.left_at IS NULL AND theirs.left_at IS NULL
                AND closed_at IS NULL
            ORDER BY active_at DESC, key DESC LIMIT $3
            """, .text(one), .text(other), .int(limit)
        ) { Self.summary($0, from: 0) }
    }

    /// From the seven columns in the order of the queries above.
    static func summary(_ row: any SQLRow, from column: Int32) -> RoomSummary {
        RoomSummary(
            id: row.text(column), name: row.optionalText(column + 1), createdBy: row.optionalText(column + 2),
            createdAt: row.int(column + 3), updatedAt: row.int(column + 4), isActive: row.isNull(column + 5),
            elementCount: Int(row.int(column + 6)))
    }

    // MARK: Members

    /// - Returns: whether something has changed.
    @discardableResult
    func add(_ account: String, to room: Int64, at now: Int64) throws(StoreError) -> Bool {
        let count = try database.run(
            """
            INSERT INTO members (account, room, place, joined_at)
            VALUES ($1, $2, (SELECT count(*) FROM members WHERE room = $2), $3)
            ON CONFLICT (account, room) DO UPDATE SET joined_at = excluded.joined_at, left_at = NULL
                WHERE members.left_at IS NOT NULL
            """, .text(account), .int(room), .int(now))
        return count == 1
    }

    func members(_ room: Int64) throws(StoreError) -> [Membership] {
        try database.rows(
            """
            SELECT id, sub, email, username, first_name, date_of_birth, avatar_url, accounts.created_at,
                accounts.updated_at, joined_at, left_at, place
            FROM members JOIN accounts ON accounts.id = members.account WHERE room = $1 ORDER BY place
            """, .int(room)
        ) { row in
            Membership(
                account: AccountTable.account(row, from: 0), joinedAt: row.int(9), leftAt: row.optionalInt(10),
                place: Int(row.int(11)))
        }
    }

    func standing(of account: String, in room: String) throws(StoreError) -> RoomStanding {
        try database.first(
            """
            SELECT members.account IS NOT NULL, left_at IS NULL, created_by IS NOT DISTINCT FROM $2, closed_at IS NULL
            FROM rooms LEFT JOIN members ON members.room = rooms.key AND members.account = $2
            WHERE rooms.id = $1
            """, .text(room), .text(account)
        ) { row in
            let part: RoomStanding.Part =
                !row.bool(0) ? .stranger : !row.bool(1) ? .formerMember : row.bool(2) ? .creator : .member
            return RoomStanding(part: part, doesExist: true, isActive: row.bool(3))
        } ?? RoomStanding(part: .stranger, doesExist: false, isActive: false)
    }
}
