extension DatabaseStore: HomeStore {
    package func claim(_ room: String, by node: ClusterNode, then answer: @escaping Answer<RoomClaim>) {
        writeAlone(claims, then: answer) { [limits, start, now] (database) throws(StoreError) in
            try HomeTable(database).claim(room, by: node, limits, start: start, at: now())
        }
    }

    package func append(
        _ entries: [JournalEntry], to room: String, fence: Int64, then answer: @escaping Answer<UInt64>
    ) {
        #if IGNORES_FENCE
            append(RoomAppend(room: room, entries: entries, fence: nil), then: answer)
        #else
            append(RoomAppend(room: room, entries: entries, fence: fence), then: answer)
        #endif
    }

    package func isHome(_ room: String, fence: Int64, then answer: @escaping Answer<Bool>) {
        // Faults under load have to find a server out that was built so: `make unfenced`.
        #if IGNORES_FENCE
            return answer(.success(true))
        #endif
        readAfterWrites(then: answer) { (database) throws(StoreError) in
            try database.first("SELECT fence FROM rooms WHERE id = $1", .text(room)) { $0.int(0) } == fence
        }
    }

    package func nodes(then answer: @escaping Answer<[NodeRecord]>) {
        read(then: answer) { (database) throws(StoreError) in try HomeTable(database).nodes() }
    }

    package func release(
        _ room: String, fence: Int64, afterLoss: Bool, then answer: @escaping Answer<Void>
    ) {
        // In the queue of claims: the next claim of this node would overtake it, and count a loss. All of the room is stored.
        writeAlone(claims, then: answer) { (database) throws(StoreError) in
            try database.run(
                "UPDATE rooms SET home = NULL, losses = losses + $3 WHERE id = $1 AND fence = $2", .text(room),
                .int(fence), .int(afterLoss ? 1 : 0))
        }
    }
}

/// Reads and writes which nodes live, and which of them is home to which room. Times are those of the database's clock.
struct HomeTable {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    func claim(
        _ room: String, by node: ClusterNode, _ limits: StoreLimits, start: Int64?, at now: Int64
    ) throws(StoreError) -> RoomClaim {
        let fence = Int64.random(in: 1 ... .max)
        let now = (activity: now, lease: try newestEndOfLease(at: database.milliseconds()))
        if let other = try home(of: room, besides: node, now.lease) { return .elsewhere(other) }
        if start == nil { try StartTable(database).countRestart() }
        // A claim waits for an append under way, and sees what that has stored.
        let claimed = try database.run(
            """
            INSERT INTO rooms (id, created_at, active_at, home, home_boot, epoch, fence)
            VALUES ($1, $2, $2, $3, $4, 1, $5)
            ON CONFLICT (id) DO UPDATE SET home = $3, home_boot = $4, epoch = rooms.epoch + 1, fence = $5,
                losses = rooms.losses + CASE WHEN rooms.home IS NULL THEN 0 ELSE 1 END
                WHERE rooms.home IS NULL OR rooms.home = $3 OR NOT EXISTS (
                    SELECT 1 FROM nodes WHERE nodes.id = rooms.home AND nodes.boot = rooms.home_boot
                        AND nodes.lease_until > $6 AND nodes.ended_at IS NULL)
            """, .text(room), .int(now.activity), .int(node.id), .int(node.boot), .int(fence), .int(now.lease))
        if claimed == 1 {
            let stored = try RoomReading(database).room(room, limits, start: start)
            return .here(stored?.seq == 0 ? nil : stored, fence: fence)
        }
        let home = try database.first("SELECT home FROM rooms WHERE id = $1", .text(room)) { $0.optionalInt(0) }
        // It was released in this moment: the caller asks again.
        guard let home, let home else { throw .locked(database.shown) }
        return .elsewhere(Int(home))
    }

    /// The node that is home to a room and lives, without a lock; nil if there is none but this one.
    private func home(of room: String, besides node: ClusterNode, _ lease: Int64) throws(StoreError) -> Int? {
        try database.first(
            """
            SELECT home FROM rooms JOIN nodes ON nodes.id = rooms.home AND nodes.boot = rooms.home_boot
            WHERE rooms.id = $1 AND rooms.home <> $2 AND nodes.lease_until > $3 AND nodes.ended_at IS NULL
            """, .text(room), .int(node.id), .int(lease)
        ) { Int($0.int(0)) }
    }

    static let leaseMilliseconds: Int64 = 3_000
    /// When two renewals are further apart than this, the database may have been away between them.
    private static let pauseMilliseconds: Int64 = 1_500

    /// A lease that ends later than this is not over. 0, so that none is over, unless it is known that nodes could renew theirs.
    ///
    /// Nobody can renew a lease while the database is away. A node that has just renewed its own, and has done so without a pause
    /// for the time of a lease, vouches that the database was there. Whoever has not renewed meanwhile is dead.
    func newestEndOfLease(at now: Int64) throws(StoreError) -> Int64 {
        let vouches = try database.first(
            "SELECT 1 FROM nodes WHERE lease_until > $1 AND renewing_since <= $2 LIMIT 1",
            .int(now + Self.leaseMilliseconds - Self.pauseMilliseconds), .int(now - Self.leaseMilliseconds)
        ) { _ in true }
        return vouches == true ? now : 0
    }

    /// Begins a life of a node. Nil while another process lives under its number.
    ///
    /// - Parameter links: the versions of messages between nodes that it speaks.
    func begin(
        _ node: Int, version: String, links: ClosedRange<Int>, lease: Int64
    ) throws(StoreError) -> ClusterNode? {
        let now = try database.milliseconds()
        let othersMayLive = try database.first(
            "SELECT 1 FROM nodes WHERE id <> $1 AND lease_until > 0 AND ended_at IS NULL LIMIT 1", .int(node)
        ) { _ in true }
        let newest = try newestEndOfLease(at: now)
        // A node alone vouches at once. Beside others it has to renew its lease for a while first: they may only have been unable to.
        let since = othersMayLive == true && newest == 0 ? now : 0
        let boot = try database.first(
            """
            INSERT INTO nodes (id, boot, lease_until, version, link_min, link_max, renewing_since)
            VALUES ($1, 1, $2, $3, $5, $6, $7)
            ON CONFLICT (id) DO UPDATE SET boot = nodes.boot + 1, lease_until = $2, version = $3, ended_at = NULL,
                draining = 0, report = '', link_min = $5, link_max = $6, lapses = 0, renewing_since = $7
                WHERE nodes.lease_until <= $4
            RETURNING boot
            """, .int(node), .int(now + lease), .text(version), .int(now), .int(links.lowerBound),
            .int(links.upperBound), .int(since)
        ) { $0.int(0) }
        return boot.map { ClusterNode(id: node, boot: $0) }
    }

    /// What a node learns when it renews its lease.
    struct Renewal {
        /// The numbers of the nodes that live, with the versions of messages that they speak.
        let living: [Int: ClosedRange<Int>]
        /// How often the lease was over before it was renewed, in this life of the node.
        let lapses: Int
        let isDraining: Bool
        /// When the database was started, by its clock.
        let startedAt: Int64
    }

    /// Renews the lease of a node, with what it says of itself. Nil when another process has begun a life under its
    /// number.
    func renew(_ node: ClusterNode, lease: Int64, report: String?) throws(StoreError) -> Renewal? {
        // Locks the row before the clock is read. Another node may be ending this lease; the renewal has to see that end.
        try database.run(
            "UPDATE nodes SET ended_at = NULL WHERE id = $1 AND boot = $2", .int(node.id), .int(node.boot))
        let now = try database.milliseconds()
        // The difference is to the newest renewal. It is negative after a failover to a server whose clock is behind.
        let renewed = try database.first(
            """
            UPDATE nodes SET lease_until = $1, lapses = lapses + CASE WHEN lease_until <= $4 THEN 1 ELSE 0 END,
                renewing_since =
                    CASE WHEN $4 - (lease_until - $5) BETWEEN 0 AND $6 THEN renewing_since ELSE $4 END
            WHERE id = $2 AND boot = $3
            RETURNING draining, lapses
            """, .int(now + lease), .int(node.id), .int(node.boot), .int(now), .int(lease),
            .int(Self.pauseMilliseconds)
        ) { (isDraining: $0.int(0) == 1, lapses: Int($0.int(1))) }
        guard let renewed else { return nil }
        if let report { try database.run("UPDATE nodes SET report = $1 WHERE id = $2", .text(report), .int(node.id)) }
        return Renewal(
            living: try living(after: newestEndOfLease(at: now)), lapses: renewed.lapses,
            isDraining: renewed.isDraining,
            startedAt: try database.startMilliseconds())
    }

    /// The numbers of the nodes whose leases end later than this, with the versions of messages that they speak.
    func living(after time: Int64) throws(StoreError) -> [Int: ClosedRange<Int>] {
        let nodes = try database.rows(
            "SELECT id, link_min, link_max FROM nodes WHERE lease_until > $1 AND ended_at IS NULL", .int(time)
        ) { (Int($0.int(0)), Self.links($0.int(1), $0.int(2))) }
        return Dictionary(nodes) { $1 }
    }

    /// A row that says less than nothing says its first number.
    private static func links(_ first: Int64, _ last: Int64) -> ClosedRange<Int> {
        Int(first)...Int(max(first, last))
    }

    /// All nodes that are not forgotten.
    func nodes() throws(StoreError) -> [NodeRecord] {
        let now = try database.milliseconds()
        return try database.rows(
            """
            SELECT id, boot, version, CASE WHEN ended_at IS NULL THEN lease_until ELSE 0 END, draining, report,
                link_min, link_max
            FROM nodes WHERE lease_until >= 0 ORDER BY id
            """
        ) {
            NodeRecord(
                node: ClusterNode(id: Int($0.int(0)), boot: $0.int(1)), version: $0.text(2),
                linkVersions: Self.links($0.int(6), $0.int(7)), leaseMilliseconds: $0.int(3) - now,
                isDraining: $0.int(4) == 1, report: $0.text(5))
        }
    }

    /// Asks a node to hand over its rooms and end. Answers false if it does not live.
    func drain(_ node: Int) throws(StoreError) -> Bool {
        try database.run(
            "UPDATE nodes SET draining = 1 WHERE id = $1 AND lease_until > $2 AND ended_at IS NULL", .int(node),
            .int(try database.milliseconds())) > 0
    }

    /// The connections of nodes that have ended are lost: their clients may come back to others.
    func loseSeatsOfEnded(at now: Int64) throws(StoreError) {
        let lease = try newestEndOfLease(at: database.milliseconds())
        guard lease > 0 else { return }
        let ended = try database.rows(
            "UPDATE nodes SET ended_at = $1 WHERE ended_at IS NULL AND lease_until <= $2 RETURNING id", .int(now),
            .int(lease)
        ) { Int($0.int(0)) }
        for node in ended { try DatabaseStore.loseAll(database, of: node, at: now) }
    }

    /// How old the newest renewal of a node is that lives and is not heard any more.
    static let silenceMilliseconds: Int64 = 750

    /// Ends the leases of nodes that are not heard any more and have not renewed them either. If one of them lives, it
    /// notices that with its next renewal.
    ///
    /// - Returns: whether a lease was ended.
    func endSilent(_ nodes: Set<Int>) throws(StoreError) -> Bool {
        let now = try newestEndOfLease(at: database.milliseconds())
        guard now > 0 else { return false }
        var count = 0
        for node in nodes.sorted() {
            count += try database.run(
                "UPDATE nodes SET lease_until = $1 WHERE id = $2 AND lease_until > $1 AND lease_until <= $3", .int(now),
                .int(node), .int(now + Self.leaseMilliseconds - Self.silenceMilliseconds))
        }
        return count > 0
    }

    /// Ends the life of a node: others may claim its rooms at once.
    func end(_ node: ClusterNode) throws(StoreError) {
        try database.run(
            "UPDATE nodes SET lease_until = 0 WHERE id = $1 AND boot = $2 AND lease_until > 0", .int(node.id),
            .int(node.boot))
    }

    /// Removes a node that does not live from the list of nodes, until it comes back. Its row stays, with a lease
    /// that ended before all time: rooms and recordings have the number of its life, which must not come again.
    func forget(_ node: Int) throws(StoreError) -> NodeForgetting {
        let count = try database.run(
            """
            UPDATE nodes SET lease_until = -1
            WHERE id = $1 AND lease_until >= 0 AND (lease_until <= $2 OR ended_at IS NOT NULL)
            """, .int(node), .int(try database.milliseconds()))
        if count > 0 { return .forgotten }
        let known = try database.first("SELECT id FROM nodes WHERE id = $1 AND lease_until >= 0", .int(node)) { _ in
            true
        }
        return known == true ? .lives : .unknown
    }
}
