import Rooms

extension DatabaseStore {
    package func sit(_ seat: Seat, _ claim: SeatClaim) {
        let lease: (boot: Int64, lapses: Int)? =
            if case .under(let boot, let lapses) = claim { (boot, lapses) } else { nil }
        write(about: seat.person, then: { (_: Result<Void, StoreError>) in }) { [node] (database) throws(StoreError) in
            // The account may have ended while the person came into the room.
            guard try !AccountTable(database).hasEnded(seat.person) else { return }
            try database.run(
                """
                INSERT INTO seats (pid, room, person, incarnation, node) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (pid, room) DO UPDATE SET person = excluded.person,
                    incarnation = excluded.incarnation, node = excluded.node, lost_at = NULL
                    WHERE $6 OR seats.lost_at IS NOT NULL OR seats.node IS NULL OR seats.node = excluded.node
                        -- Who came back elsewhere had been lost with the end of the lease.
                        OR EXISTS (SELECT 1 FROM nodes WHERE nodes.id = excluded.node AND nodes.boot = $7
                            AND nodes.lapses = $8 AND nodes.ended_at IS NULL)
                """, .text(seat.pid), .text(seat.room), .text(seat.person), .seq(seat.incarnation),
                .optional(node.map { Int64($0) }), .bool(claim == .firm), .optional(lease?.boot),
                .optional(lease.map { Int64($0.lapses) }))
        }
    }

    package func stand(_ pid: String, in room: String?, then answer: @escaping Answer<Void>) {
        write(then: answer) { [node] (database) throws(StoreError) in
            try database.run(
                """
                DELETE FROM seats WHERE pid = $1 AND (room = $2 OR $2 IS NULL)
                    AND (lost_at IS NOT NULL OR node IS NULL OR node = $3)
                """, .text(pid), .optional(room), .optional(node.map { Int64($0) }))
        }
    }

    package func lose(_ pid: String) {
        write(then: { (_: Result<Void, StoreError>) in }) { [now, node] (database) throws(StoreError) in
            try database.run(
                "UPDATE seats SET lost_at = $1 WHERE pid = $2 AND (node IS NULL OR node = $3)", .int(now()),
                .text(pid), .optional(node.map { Int64($0) }))
        }
    }

    /// All seats of a connection, or none. A client that was coming back when the server ended has lost some of them.
    package func seats(
        of pid: String, showing offset: LogOffset?, within seconds: Int64, then answer: @escaping Answer<[Seat]>
    ) {
        readAfterWrites(then: answer) { [now] (database) throws(StoreError) in
            try database.rows(
                """
                SELECT person, room, CASE WHEN EXISTS (
                        SELECT 1 FROM rooms JOIN journal ON journal.room = rooms.key
                        WHERE rooms.id = seats.room AND journal.seq = $3 AND journal.incarnation = $4
                    ) THEN $4 ELSE incarnation END
                    FROM seats WHERE pid = $1
                    AND NOT EXISTS (SELECT 1 FROM seats WHERE pid = $1 AND lost_at IS NULL)
                    AND (SELECT max(lost_at) FROM seats WHERE pid = $1) >= $2
                """, .text(pid), .int(now() - seconds), offset.map { .seq($0.seq) } ?? .null,
                offset.map { .seq($0.incarnation) } ?? .null
            ) { Seat(pid: pid, person: $0.text(0), room: $0.text(1), incarnation: $0.seq(2)) }
        }
    }

    /// All connections of the previous server are lost; in a cluster those of the previous life of a node.
    static func loseAll(_ database: any SQLConnection, of node: Int?, at now: Int64) throws(StoreError) {
        guard let node else {
            try database.run("UPDATE seats SET lost_at = $1 WHERE lost_at IS NULL", .int(now))
            return
        }
        try database.run(
            "UPDATE seats SET lost_at = $1 WHERE lost_at IS NULL AND node = $2", .int(now), .int(node))
    }
}
