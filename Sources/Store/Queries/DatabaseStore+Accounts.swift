extension DatabaseStore {
    package func signIn(
        sub: String, email: String, newID: String, at now: Int64, then answer: @escaping Answer<Account>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let accounts = AccountTable(database)
            if let account = try accounts.account(sub: sub) {
                guard try accounts.isThere(account.id) else { throw .notFound("user") }
                // The token of a person of this server may be older than the address that the person has shown.
                if let person = try PersonTable(database).person(account.id) {
                    if account.email == (person.emailVerifiedAt == nil ? "" : person.email) { return account }
                    try ProfileTable.lock(person.id, database)
                    try PersonTable(database).publishEmail(of: person.id, at: now)
                    return try accounts.known(person.id)
                }
                if account.email == email { return account }
            }
            try database.run(
                """
                INSERT INTO accounts (id, sub, email, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
                ON CONFLICT (sub) DO UPDATE SET email = excluded.email, updated_at = excluded.updated_at
                """, .text(newID), .text(sub), .text(email), .int(now))
            return try accounts.known(sub: sub)
        }
    }

    package func account(_ id: String, then answer: @escaping Answer<Account?>) {
        read(then: answer) { (database) throws(StoreError) in try AccountTable(database).account(id) }
    }

    package func accounts(_ ids: [String], then answer: @escaping Answer<[Account]>) {
        read(then: answer) { (database) throws(StoreError) in
            var found: [Account] = []
            for id in ids {
                if let account = try AccountTable(database).account(id) { found.append(account) }
            }
            return found
        }
    }

    package func setProfile(
        _ profile: Profile, _ picture: ProfilePicture, of id: String, at now: Int64,
        then answer: @escaping Answer<Account>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let owner = try database.first(
                "SELECT id FROM accounts WHERE lower(username) = $1", .name(profile.username)
            ) {
                $0.text(0)
            }
            if let owner, !owner.utf8.elementsEqual(id.utf8) { throw .taken("username") }
            try database.run(
                """
                UPDATE accounts SET username = $2, first_name = $3, date_of_birth = $4, updated_at = $5 WHERE id = $1
                """, .text(id), .text(profile.username), .text(profile.firstName), .int(profile.dateOfBirth),
                .int(now))
            if case .new(let file) = picture {
                try database.run(
                    "UPDATE accounts SET avatar_url = $2 WHERE id = $1", .text(id), .optional(profile.avatarURL))
                try MediaUses(database).set([file].compactMap(\.self), shownBy: MediaHolder.avatar(of: id))
            }
            return try AccountTable(database).known(id)
        }
    }

    package func searchAccounts(
        usernamePrefix: String, excluding id: String, _ page: PageRequest,
        then answer: @escaping Answer<Page<Account>>
    ) {
        let limit = pageLimit(page)
        read(then: answer) { (database) throws(StoreError) in
            let after = try Cursor.name(page.cursor)
            // U+10FFFF sorts after all characters with which a name may continue.
            let found = try database.rows(
                """
                SELECT id, sub, email, username, first_name, date_of_birth, avatar_url, created_at, updated_at
                FROM accounts
                WHERE lower(username) >= $1 AND lower(username) < $2 AND lower(username) > $3 AND id <> $4
                ORDER BY lower(username) LIMIT $5
                """, .name(usernamePrefix), .name(usernamePrefix + "\u{10FFFF}"), .name(after), .text(id),
                .int(limit + 1)
            ) { AccountTable.account($0, from: 0) }
            return AccountTable.page(found, limit)
        }
    }

    package func accountsWithoutRooms(
        with id: String, _ page: PageRequest, then answer: @escaping Answer<Page<Account>>
    ) {
        let limit = pageLimit(page)
        read(then: answer) { (database) throws(StoreError) in
            let after = try Cursor.name(page.cursor)
            let found = try database.rows(
                """
                WITH companions AS (
                    SELECT theirs.account FROM members AS mine JOIN rooms ON rooms.key = mine.room
                    JOIN members AS theirs ON theirs.room = mine.room
                    WHERE mine.account = $1 AND mine.left_at IS NULL AND theirs.left_at IS NULL
                        AND rooms.closed_at IS NULL)
                SELECT id, sub, email, username, first_name, date_of_birth, avatar_url, created_at, updated_at
                FROM accounts
                WHERE lower(username) > $2 AND id <> $1 AND id NOT IN (SELECT account FROM companions)
                ORDER BY lower(username) LIMIT $3
                """, .text(id), .name(after), .int(limit + 1)
            ) { AccountTable.account($0, from: 0) }
            return AccountTable.page(found, limit)
        }
    }

    package func shareRoom(_ one: String, _ other: String, then answer: @escaping Answer<Bool>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.first(
                """
                SELECT 1 FROM members AS mine JOIN members AS theirs ON theirs.room = mine.room
                JOIN rooms ON rooms.key = mine.room
                WHERE mine.account = $1 AND theirs.account = $2 AND mine.left_at IS NULL AND theirs.left_at IS NULL
                    AND rooms.closed_at IS NULL
                LIMIT 1
                """, .text(one), .text(other)
            ) { _ in true } ?? false
        }
    }

    func pageLimit(_ page: PageRequest) -> Int { min(max(page.limit, 1), limits.pageItemsMax) }
}

/// Reads accounts.
struct AccountTable {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    func account(_ id: String) throws(StoreError) -> Account? {
        try database.first(
            """
            SELECT id, sub, email, username, first_name, date_of_birth, avatar_url, created_at, updated_at
            FROM accounts WHERE id = $1
            """, .text(id)
        ) { Self.account($0, from: 0) }
    }

    func account(sub: String) throws(StoreError) -> Account? {
        try database.first(
            """
            SELECT id, sub, email, username, first_name, date_of_birth, avatar_url, created_at, updated_at
            FROM accounts WHERE sub = $1
            """, .text(sub)
        ) { Self.account($0, from: 0) }
    }

    /// Tells whether an account exists and has not ended. Rooms still refer to ended accounts.
    func isThere(_ id: String) throws(StoreError) -> Bool {
        try database.first("SELECT 1 FROM accounts WHERE id = $1 AND ended_at IS NULL", .text(id)) { _ in true }
            ?? false
    }

    /// Whether there was an account, and it has ended.
    func hasEnded(_ id: String) throws(StoreError) -> Bool {
        try database.first("SELECT 1 FROM accounts WHERE id = $1 AND ended_at IS NOT NULL", .text(id)) { _ in true }
            ?? false
    }

    /// Locks an account against other nodes until the end of the transaction. Throws `notFound("user")`.
    func lock(_ id: String) throws(StoreError) {
        let count = try database.run(
            "UPDATE accounts SET updated_at = updated_at WHERE id = $1 AND ended_at IS NULL", .text(id))
        guard count > 0 else { throw .notFound("user") }
    }

    /// An account about which something is to be written. Throws `notFound("user")`, also for one that has ended.
    func known(_ id: String) throws(StoreError) -> Account {
        guard try isThere(id), let account = try account(id) else { throw .notFound("user") }
        return account
    }

    func known(sub: String) throws(StoreError) -> Account {
        guard let account = try account(sub: sub) else { throw .notFound("user") }
        return account
    }

    /// From the nine columns in the order of the queries above.
    static func account(_ row: any SQLRow, from column: Int32) -> Account {
        var profile: Profile?
        if let username = row.optionalText(column + 3) {
            profile = Profile(
                username: username, firstName: row.text(column + 4), dateOfBirth: row.int(column + 5),
                avatarURL: row.optionalText(column + 6))
        }
        return Account(
            id: row.text(column), sub: row.text(column + 1), email: row.text(column + 2), profile: profile,
            createdAt: row.int(column + 7), updatedAt: row.int(column + 8))
    }

    /// One item more than requested means that there is another page.
    static func page(_ found: [Account], _ limit: Int) -> Page<Account> {
        let items = Array(found.prefix(limit))
        return Page(items: items, next: found.count > limit ? items.last?.profile?.username : nil)
    }
}
