import Threads

/// What operators ask of a cluster's database, without being a node. Another server may have the database, or none yet.
///
/// Which nodes live is not known while they could not renew their leases because PostgreSQL was away. Answers about that wait
/// until a node vouches that they could, at most for the time of a lease.
package struct ClusterTool {
    private let database: PostgresConnection
    /// Whether a server has made the tables.
    package let hasTables: Bool

    /// The first version of the schema that has what is read here. Later ones only add, and during an upgrade either this
    /// program or some nodes are newer.
    private static let oldestVersion = 7

    package init(_ place: PostgresPlace) throws(StoreError) {
        database = try PostgresConnection(place, StoreLimits(), isReader: false)
        let version = try PostgresMigrations.anyVersion(database)
        guard version >= Self.oldestVersion || version == 0 else {
            throw .failed(place.shown, detail: "it has schema \(version), and this program needs \(Self.oldestVersion)")
        }
        hasTables = version > 0
    }

    /// All nodes that the cluster ever had and that are not forgotten, by their numbers.
    package func nodes() throws(StoreError) -> [NodeRecord] {
        guard hasTables else { return [] }
        try waitForLeases()
        return try database.transaction(.read) { () throws(StoreError) in try HomeTable(database).nodes() }
    }

    /// Whether a server of its own, or a move, has used the database since a node was started on it.
    package func belongsToAnother() throws(StoreError) -> Bool {
        guard hasTables else { return false }
        return try database.first("SELECT server > 0 FROM rooms_schema") { $0.bool(0) } ?? false
    }

    /// Asks a node to hand over its rooms and end. Answers false if it does not live.
    package func drain(_ node: Int) throws(StoreError) -> Bool {
        guard hasTables else { return false }
        try waitForLeases()
        return try database.transaction { () throws(StoreError) in try HomeTable(database).drain(node) }
    }

    /// Removes a node that has ended from the list of nodes, until it starts again.
    package func forget(_ node: Int) throws(StoreError) -> NodeForgetting {
        guard hasTables else { return .unknown }
        try waitForLeases()
        return try database.transaction { () throws(StoreError) in try HomeTable(database).forget(node) }
    }

    /// Never longer than a lease: after that the nodes could renew theirs, and those that have not done so do not live.
    private func waitForLeases() throws(StoreError) {
        let table = HomeTable(database)
        let end = Clock.milliseconds() + HomeTable.leaseMilliseconds
        while try !table.living(after: 0).isEmpty, try table.newestEndOfLease(at: database.milliseconds()) == 0,
            Clock.milliseconds() < end
        {
            Clock.sleep(milliseconds: 100)
        }
    }

    /// How many standby servers confirm each transaction, and whether transactions wait for the disk at all. The number is
    /// nil for a user who may not see it.
    package func durability() throws(StoreError) -> (synchronousStandbys: Int?, isFlushed: Bool) {
        try database.transaction(.read) { () throws(StoreError) in
            let count = try database.first(
                """
                SELECT COUNT(*) FILTER (WHERE sync_state IN ('sync', 'quorum')), COUNT(*) FILTER (WHERE sync_state IS NULL)
                FROM pg_stat_replication
                """
            ) { $0.int(1) > 0 ? nil : Int($0.int(0)) }
            let mode = try database.first("SELECT current_setting('synchronous_commit')") { $0.text(0) }
            return (count ?? nil, mode != "off")
        }
    }
}
