/// Changes of accounts by an operator, beside a server that uses the place.
package enum AccountTool {
    /// Sets the role of the person with an id or an e-mail address. Throws `notFound` when there is none.
    package static func setRole(
        _ role: AccountHolder.Role, of person: String, in place: DatabaseStore.Place
    ) throws(StoreError) -> AccountHolder {
        let database = try open(place)
        let id = try database.first(
            "SELECT id FROM people WHERE id = $1 OR lower(email) = $2", .text(person), .name(person)
        ) { $0.text(0) }
        guard let id else { throw .notFound("user") }
        try database.run("UPDATE people SET role = $2 WHERE id = $1", .text(id), .text(role.rawValue))
        return try PersonTable(database).known(id)
    }

    /// Adds a key for access tokens. Servers sign with it after a minute, and still accept tokens of the keys before.
    ///
    /// - Parameter isOnly: the others are removed.
    package static func addKey(
        _ key: SigningKeyRecord, isOnly: Bool = false, in place: DatabaseStore.Place
    ) throws(StoreError) {
        let (database, limits) = (try open(place), StoreLimits())
        try database.transaction { () throws(StoreError) in
            if isOnly { try database.run("DELETE FROM signing_keys") }
            try KeyTable(database, limits).add(key)
        }
    }

    /// The keys of access tokens, the newest first.
    package static func keys(in place: DatabaseStore.Place) throws(StoreError) -> [SigningKeyRecord] {
        try KeyTable(try open(place), StoreLimits()).all()
    }

    static func open(_ place: DatabaseStore.Place) throws(StoreError) -> any SQLConnection {
        let (_, version) = try place.openReader()
        let database: any SQLConnection =
            switch place {
            case .memory: throw .notAStore("memory")
            case .directory(let path):
                try SQLiteConnection(
                    .file(DataDirectory.databasePath(in: path)), .write, lockMillisecondsMax: 10_000)
            case .postgres(let place): try PostgresConnection(place, StoreLimits(), isReader: false)
            }
        guard version == Migrations.newest else {
            throw .failed(database.shown, detail: "it is of an older version; start the server once")
        }
        return database
    }
}

/// The keys that sign access tokens.
struct KeyTable {
    let database: any SQLConnection
    let limits: StoreLimits

    init(_ database: any SQLConnection, _ limits: StoreLimits) {
        self.database = database
        self.limits = limits
    }

    /// The newest first.
    func all() throws(StoreError) -> [SigningKeyRecord] {
        try database.rows(
            "SELECT id, secret, created_at FROM signing_keys ORDER BY created_at DESC, id LIMIT $1",
            .int(limits.signingKeysMax)
        ) { SigningKeyRecord(id: $0.text(0), secret: $0.text(1), createdAt: $0.int(2)) }
    }

    /// Past the bound the oldest is removed.
    func add(_ key: SigningKeyRecord) throws(StoreError) {
        try database.run(
            "INSERT INTO signing_keys (id, secret, created_at) VALUES ($1, $2, $3)", .text(key.id), .text(key.secret),
            .int(key.createdAt))
        try database.run(
            """
            DELETE FROM signing_keys WHERE id NOT IN
                (SELECT id FROM signing_keys ORDER BY created_at DESC, id LIMIT $1)
            """, .int(limits.signingKeysMax))
    }
}
