import Threads

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
        var refusedSince: Int64?
        while let users = try take(first, number, refusedSince, check) {
            let now = Clock.milliseconds()
            let since = refusedSince ?? now
            refusedSince = since
            guard now < since + limits.leaseMillisecondsMax else { throw .failed(shown, detail: users) }
            Clock.sleep(milliseconds: 200)
        }
        let database = try PostgresConnection(place, limits, isReader: false)
        database.fence = number
        return database
    }

    /// Takes the database for a server, or for the cluster. Returns which nodes live, if it is not for these: then the database
    /// is left as it was, as it is when it is refused.
    private func take(
        _ database: PostgresConnection, _ number: Int64, _ refusedSince: Int64?,
        _ check: (any SQLConnection) throws(StoreError) -> Void
    ) throws(StoreError) -> String? {
        var users: String?
        do throws(StoreError) {
            try database.transaction { () throws(StoreError) in
                try PostgresMigrations.run(database)
                // Nodes that begin their lives wait for this row.
                try database.run("UPDATE rooms_schema SET server = $1 WHERE server <> $1", .int(number))
                if number != Self.cluster {
                    // The database may have been away: before that time each node that has not ended may live.
                    let waited = refusedSince.map { Clock.milliseconds() - $0 } ?? 0
                    let couldRenew = waited >= HomeTable.leaseMilliseconds
                    let living = try HomeTable(database).living(after: couldRenew ? database.milliseconds() : 0)
                    users = Self.shown(nodes: living.keys.sorted())
                    if users != nil { throw .closed }
                    try database.run("UPDATE nodes SET lease_until = 0 WHERE lease_until > 0")
                }
                try check(database)
            }
        } catch {
            guard users != nil else { throw error }
        }
        return users
    }

    private static func shown(nodes: [Int]) -> String? {
        guard let first = nodes.first else { return nil }
        let list = nodes.map(String.init).joined(separator: ", ")
        return nodes.count == 1 ? "node \(first) of a cluster uses it" : "nodes \(list) of a cluster use it"
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
