/// Counts the starts of servers on the store. Each begins an era of all rooms: the server before may have told members changes that
/// it had not stored when it ended.
struct StartTable {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    /// The number of a start that nothing has been written of yet. No other server may use the store meanwhile.
    func next() throws(StoreError) -> Int64 {
        Int64(RoomEra.bounded(try database.first("SELECT number FROM starts") { $0.int(0) } ?? 0)) + 1
    }

    /// Stores the number of a start.
    func store(_ number: Int64) throws(StoreError) {
        try database.run(
            "INSERT INTO starts (id, number) VALUES ('store', $1) ON CONFLICT (id) DO UPDATE SET number = $1",
            .int(number))
    }

    /// Counts a start, and answers with its number. Other servers may do so at the same time.
    func count() throws(StoreError) -> Int64 {
        try database.first(
            """
            INSERT INTO starts (id, number, database_at) VALUES ('store', 1, $1)
            ON CONFLICT (id) DO UPDATE SET database_at = $1,
                number = starts.number + 1 + CASE WHEN starts.database_at IN (0, $1) THEN 0 ELSE $2 END
            RETURNING number
            """, .int(try database.startMilliseconds()), .int(Self.lostMax)
        ) { $0.int(0) } ?? 1
    }

    /// More starts and losses than a database lacks that takes another one's place and did not have all that was stored there.
    static let lostMax: Int64 = 16

    /// Begins eras if the database was started anew since the newest count. It may have taken another one's place and lack claims of
    /// rooms, with what their homes have told.
    func countRestart() throws(StoreError) {
        try database.run(
            "UPDATE starts SET number = number + $2, database_at = $1 WHERE database_at NOT IN (0, $1)",
            .int(try database.startMilliseconds()), .int(Self.lostMax))
    }
}

/// Bounds for numbers of the store that versions of elements are computed from. Only a damaged store has others.
enum RoomEra {
    /// So many eras leave out fewer versions than fit in a number of JavaScript.
    static let max: Int64 = 1 << 36
    static let versionMax: Int64 = 1 << 52

    static func isPossible(_ era: Int64) -> Bool { (0...max).contains(era) }
    static func bounded(_ era: Int64) -> Int { Int(min(Swift.max(era, 0), max)) }
    static func bounded(version: Int64) -> Int { Int(min(Swift.max(version, 0), versionMax)) }
}
