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
    /// a cluster have it together; while one of them lives, no other server gets it.
    func openWriter(
        isShared: Bool, check: (any SQLConnection) throws(StoreError) -> Void
    ) throws(StoreError) -> any SQLConnection {
        var patient = limits
        // A step may have to read a large table.
        patient.statementMillisecondsMax = Self.migrationMillisecondsMax
        let first = try PostgresConnection(place, patient, isReader: false)
        let number = isShared ? Self.cluster : Int64.random(in: 1 ... .max)
        // A place that is refused is left as it was, so all of it is one transaction.
        try first.transaction { () throws(StoreError) in
            try PostgresMigrations.run(first)
            // Nodes that begin their lives wait for this row.
            try first.run("UPDATE rooms_schema SET server = $1 WHERE server <> $1", .int(number))
            if !isShared { try Self.checkNoNodeLives(first) }
            try check(first)
        }
        let database = try PostgresConnection(place, limits, isReader: false)
        database.fence = number
        return database
    }

    private static func checkNoNodeLives(_ database: PostgresConnection) throws(StoreError) {
        let nodes = try HomeTable(database).living().keys.sorted().map(String.init)
        guard let first = nodes.first else { return }
        let detail =
            nodes.count == 1
            ? "node \(first) of a cluster uses it" : "nodes \(nodes.joined(separator: ", ")) of a cluster use it"
        throw .failed(database.shown, detail: detail)
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
