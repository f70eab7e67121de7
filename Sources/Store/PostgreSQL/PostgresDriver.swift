/// PostgreSQL 15 or newer.
final class PostgresDriver: SQLDriver {
    private let place: PostgresPlace
    private let limits: StoreLimits

    init(_ place: PostgresPlace, limits: StoreLimits) {
        self.place = place
        self.limits = limits
    }

    var shown: String { place.shown }

    /// The server that opens the database last has it. From then on, what an earlier one writes is refused. The nodes of
    /// a cluster have it together.
    func openWriter(isShared: Bool) throws(StoreError) -> any SQLConnection {
        var patient = limits
        // A step may have to read a large table.
        patient.statementMillisecondsMax = Self.migrationMillisecondsMax
        try PostgresMigrations.run(try PostgresConnection(place, patient, isReader: false))
        let database = try PostgresConnection(place, limits, isReader: false)
        let number = isShared ? Self.cluster : Int64.random(in: 1 ... .max)
        try database.transaction { () throws(StoreError) in
            try database.script("SET LOCAL lock_timeout = \(limits.statementMillisecondsMax)")
            try database.run("UPDATE rooms_schema SET server = $1 WHERE server <> $1", .int(number))
        }
        database.fence = number
        return database
    }

    /// Stands for all nodes of a cluster.
    static let cluster: Int64 = -1
    private static let migrationMillisecondsMax: Int64 = 3_600_000

    func openReaders() throws(StoreError) -> [any SQLConnection] {
        var readers: [any SQLConnection] = []
        for _ in 0..<limits.readerThreads {
            readers.append(try PostgresConnection(place, limits, isReader: true))
        }
        return readers
    }

    /// The server of the database knows its sizes.
    func measure(_ counters: inout StoreCounters) {}

    func release() {}
}
