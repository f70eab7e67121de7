/// All of these lock rows that other nodes may lock, too.
extension DatabaseStore {
    package func keepCode(_ code: CodeRecord, then answer: @escaping Answer<Void>) {
        writeAlone(counts, then: answer) { (database) throws(StoreError) in
            try database.run(
                """
                INSERT INTO codes (recipient, signing_key, hash, address, own_tries, tries, ends_at)
                VALUES ($1, $2, $3, $4, 0, 0, $5)
                ON CONFLICT (recipient) DO UPDATE SET signing_key = excluded.signing_key, hash = excluded.hash,
                    address = excluded.address, own_tries = 0, tries = 0, ends_at = excluded.ends_at
                """, .text(code.recipient), .text(code.signingKey), .text(code.hash), .text(code.address),
                .int(code.endsAt))
        }
    }

    package func tryCode(
        of recipient: String, hashes: [String: String], from address: String, counting tries: Allowance, at now: Int64,
        then answer: @escaping Answer<Bool>
    ) {
        writeAlone(counts, then: answer) { [limits, names] (database) throws(StoreError) in
            try Self.spend([tries], names, at: now, in: database)
            let own = try database.run(
                """
                UPDATE codes SET own_tries = own_tries + 1
                WHERE recipient = $1 AND ends_at > $2 AND own_tries < $3 AND address = $4
                """, .text(recipient), .int(now), .int(limits.codeTriesMax), .text(address))
            let others = try database.run(
                """
                UPDATE codes SET tries = tries + 1
                WHERE recipient = $1 AND ends_at > $2 AND tries < $3 AND address <> $4
                """, .text(recipient), .int(now), .int(limits.codeTriesMax), .text(address))
            let key = try database.first("SELECT signing_key FROM codes WHERE recipient = $1", .text(recipient)) {
                $0.text(0)
            }
            // The same statements are executed without a code and with a void one, which no hash is equal to.
            let tried = own + others > 0 ? hashes[key ?? ""] ?? "" : ""
            let isRight =
                try database.run(
                    "DELETE FROM codes WHERE recipient = $1 AND hash = $2", .text(recipient), .text(tried)) > 0
            if isRight { try Self.giveBack(tries, names, in: database) }
            return isRight
        }
    }

    // MARK: Limits

    package func spend(_ allowances: [Allowance], at now: Int64, then answer: @escaping Answer<Void>) {
        writeAlone(counts, then: answer) { [names] (database) throws(StoreError) in
            try Self.spend(allowances, names, at: now, in: database)
        }
    }

    private static func spend(
        _ allowances: [Allowance], _ names: AllowanceNames, at now: Int64, in database: any SQLConnection
    ) throws(StoreError) {
        try check(allowances, names, at: now, in: database)
        // All nodes lock the rows in one order.
        for allowance in allowances.sorted(by: { $0.name < $1.name }) {
            // Another node has used the last one just now.
            guard try take(allowance, names, at: now, in: database) else {
                throw .usedUp(allowance.name, waitSeconds: allowance.seconds)
            }
        }
    }

    /// Uses one of an allowance. Answers whether one was left.
    private static func take(
        _ allowance: Allowance, _ names: AllowanceNames, at now: Int64, in database: any SQLConnection
    ) throws(StoreError) -> Bool {
        try database.run(
            """
            INSERT INTO allowances (name, used, ends_at) VALUES ($1, 1, $3)
            ON CONFLICT (name) DO UPDATE SET
                used = CASE WHEN allowances.ends_at > $2 THEN allowances.used + 1 ELSE 1 END,
                ends_at = CASE WHEN allowances.ends_at > $2 THEN allowances.ends_at ELSE $3 END
            WHERE allowances.ends_at <= $2 OR allowances.used < $4
            """, .text(try names.stored(allowance.name)), .int(now), .int(now + allowance.seconds),
            .int(allowance.most)) > 0
    }

    /// Undoes a `take` of the same transaction.
    private static func giveBack(
        _ allowance: Allowance, _ names: AllowanceNames, in database: any SQLConnection
    ) throws(StoreError) {
        try database.run(
            "UPDATE allowances SET used = used - 1 WHERE name = $1", .text(try names.stored(allowance.name)))
    }

    package func check(_ allowances: [Allowance], at now: Int64, then answer: @escaping Answer<Void>) {
        read(then: answer) { [names] (database) throws(StoreError) in
            try Self.check(allowances, names, at: now, in: database)
        }
    }

    private static func check(
        _ allowances: [Allowance], _ names: AllowanceNames, at now: Int64, in database: any SQLConnection
    ) throws(StoreError) {
        var usedUp: (name: String, endsAt: Int64)?
        for allowance in allowances {
            let end = try database.first(
                "SELECT ends_at FROM allowances WHERE name = $1 AND ends_at > $2 AND used >= $3",
                .text(try names.stored(allowance.name)), .int(now), .int(allowance.most)
            ) { $0.int(0) }
            if let end, end > usedUp?.endsAt ?? 0 { usedUp = (allowance.name, end) }
        }
        if let usedUp { throw .usedUp(usedUp.name, waitSeconds: usedUp.endsAt - now) }
    }
}
