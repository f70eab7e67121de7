import CSQLite

/// The versions of the database, each made from the one before. A step that was released is never changed.
enum Migrations {
    /// Marks a file as the store's: `ROOM` in ASCII.
    static let applicationID: Int64 = 0x524f_4f4d

    /// Each version is made by scripts, one for each part.
    static let steps: [[StaticString]] = [
        [Schema.rooms], [Schema.services], [Schema.usernames], [Schema.moves], [Schema.homes], [Schema.people],
        [
            Schema.phones, Schema.wallets, Schema.library, Schema.invitations, Schema.look,
            Schema.inbox, Schema.operators, Schema.recordings, Schema.links, Schema.eras, Schema.proofs,
            Schema.ends,
        ],
    ]

    static var newest: Int { steps.count }

    /// Migrates a database to the newest version, in the current transaction. Refuses one of a newer server, or of another
    /// program.
    static func run(_ database: SQLiteConnection) throws(StoreError) {
        let version = try version(database)
        guard version < newest else { return }
        for script in steps.dropFirst(version).joined() { try database.script("\(script)") }
        try StoreSecret(database).make()
        try database.script("PRAGMA user_version = \(newest)")
        try database.script("PRAGMA application_id = \(applicationID)")
    }

    /// The version of a database, 0 when it is empty.
    static func version(_ database: SQLiteConnection) throws(StoreError) -> Int {
        let version = Int(try database.first("PRAGMA user_version") { $0.int(0) } ?? 0)
        let id = try database.first("PRAGMA application_id") { $0.int(0) } ?? 0
        let tables = try database.first("SELECT count(*) FROM sqlite_schema") { $0.int(0) } ?? 0
        guard id == applicationID || (id == 0 && version == 0 && tables == 0) else {
            throw .notAStore(database.place.shown)
        }
        guard version <= newest else {
            throw .newer(database.place.shown, version: version, known: newest)
        }
        return version
    }
}
