extension DatabaseStore {
    // MARK: Preferences

    package func pushPreferences(of account: String, then answer: @escaping Answer<PushPreferences>) {
        read(then: answer) { (database) throws(StoreError) in
            var preferences = PushPreferences()
            try database.each("SELECT type, is_on FROM push_types WHERE account = $1", [.text(account)]) { row in
                preferences.types[row.text(0)] = row.bool(1)
            }
            preferences.mutedRooms = try database.rows(
                "SELECT room FROM muted_rooms WHERE account = $1 ORDER BY room", .text(account)
            ) { $0.text(0) }
            return preferences
        }
    }

    package func setPushPreferences(
        _ preferences: PushPreferences, of account: String, then answer: @escaping Answer<Void>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            try AccountTable(database).lock(account)
            try database.run("DELETE FROM push_types WHERE account = $1", .text(account))
            try database.run("DELETE FROM muted_rooms WHERE account = $1", .text(account))
            for (type, isOn) in preferences.types {
                try database.run(
                    "INSERT INTO push_types (account, type, is_on) VALUES ($1, $2, $3)", .text(account), .text(type),
                    .bool(isOn))
            }
            for room in preferences.mutedRooms {
                try database.run(
                    "INSERT INTO muted_rooms (account, room) VALUES ($1, $2) ON CONFLICT DO NOTHING", .text(account),
                    .text(room))
            }
        }
    }

    // MARK: Outbox

    /// Leases end with the server that took them.
    static func endLeases(_ database: any SQLConnection) throws(StoreError) {
        try database.run("UPDATE pushes SET leased_until = NULL WHERE leased_until IS NOT NULL")
    }

    package func enqueue(_ pushes: [Push], then answer: @escaping Answer<Int>) {
        let byteCount = pushes.reduce(256) { $0 + $1.json.count + 256 }
        write(byteCount: byteCount, then: answer) { (database) throws(StoreError) in
            var added = 0
            for push in pushes {
                added += try database.run(
                    """
                    INSERT INTO pushes (account, room, type, minute, json, due_at) VALUES ($1, $2, $3, $4, $5, $6)
                    ON CONFLICT DO NOTHING
                    """, .text(push.account), .text(push.room), .text(push.type), .int(push.at / 60),
                    .json(push.json), .int(push.dueAt))
            }
            return added
        }
    }

    package func leasePushes(
        limit: Int, at now: Int64, forSeconds seconds: Int64, then answer: @escaping Answer<[LeasedPush]>
    ) {
        let limit = min(max(limit, 1), limits.pageItemsMax)
        write(then: answer) { (database) throws(StoreError) in
            try database.leasePushes(limit: limit, at: now, until: now + seconds)
        }
    }

    package func finishPush(_ key: Int64, outcome: String, at now: Int64, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                "UPDATE pushes SET done_at = $2, outcome = $3, leased_until = NULL WHERE key = $1 AND done_at IS NULL",
                .int(key), .int(now), .text(outcome))
            try database.run("DELETE FROM deliveries WHERE push = $1", .int(key))
        }
    }

    package func forgetPush(_ key: Int64, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run("DELETE FROM pushes WHERE key = $1 AND done_at IS NULL", .int(key))
            try database.run("DELETE FROM deliveries WHERE push = $1", .int(key))
        }
    }

    package func retryPush(_ key: Int64, dueAt: Int64, reason: String, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                "UPDATE pushes SET due_at = $2, outcome = $3, leased_until = NULL WHERE key = $1 AND done_at IS NULL",
                .int(key), .int(dueAt), .text(reason))
        }
    }

    package func pushState(
        of account: String, about subject: String, type: String, then answer: @escaping Answer<PushState?>
    ) {
        read(then: answer) { (database) throws(StoreError) in
            try database.first(
                """
                SELECT done_at, outcome FROM pushes WHERE account = $1 AND room = $2 AND type = $3
                ORDER BY minute DESC LIMIT 1
                """, .text(account), .text(subject), .text(type)
            ) { PushState(isDone: !$0.isNull(0), outcome: $0.optionalText(1)) }
        }
    }

    // MARK: Deliveries

    package func beginDelivery(
        _ key: Int64, to token: String, counts: Bool, then answer: @escaping Answer<(badge: Int64, isDone: Bool)>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let known = try database.first(
                "SELECT badge, outcome FROM deliveries WHERE push = $1 AND device = $2", .int(key), .text(token)
            ) { (badge: $0.int(0), isDone: !$0.isNull(1)) }
            if let known { return known }
            if counts { try database.run("UPDATE devices SET badge = badge + 1 WHERE id = $1", .text(token)) }
            // A device that is not registered has no badge, and can still be tested.
            let badge = try database.first("SELECT badge FROM devices WHERE id = $1", .text(token)) { $0.int(0) } ?? 0
            try database.run(
                "INSERT INTO deliveries (push, device, badge) VALUES ($1, $2, $3)", .int(key), .text(token),
                .int(badge))
            return (badge, false)
        }
    }

    package func finishDelivery(
        _ key: Int64, to token: String, outcome: String, then answer: @escaping Answer<Void>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                "UPDATE deliveries SET outcome = $3 WHERE push = $1 AND device = $2", .int(key), .text(token),
                .text(outcome))
        }
    }

    package func nextPushDue(then answer: @escaping Answer<Int64?>) {
        read(then: answer) { (database) throws(StoreError) in
            // Leased notifications are due again when their lease ends.
            try database.first(
                """
                SELECT min(CASE WHEN leased_until > due_at THEN leased_until ELSE due_at END) FROM pushes
                WHERE done_at IS NULL
                """
            ) { $0.optionalInt(0) } ?? nil
        }
    }
}

extension LeasedPush {
    /// From the eight columns that a driver's `leasePushes` asks for.
    init(_ row: any SQLRow) {
        key = row.int(0)
        push = Push(
            account: row.text(1), room: row.text(2), type: row.text(3), at: row.int(4) * 60, dueAt: row.int(5),
            json: row.bytes(6))
        attempts = Int(row.int(7))
    }
}
