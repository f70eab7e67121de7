/// Reads and counts allowances.
struct AllowanceTable {
    let database: any SQLConnection
    let hasher: AllowanceHasher

    init(_ database: any SQLConnection, _ hasher: AllowanceHasher) {
        self.database = database
        self.hasher = hasher
    }

    /// Uses one of each; none when one of them is used up.
    func spend(_ allowances: [Allowance], at now: Int64) throws(StoreError) {
        try check(allowances, at: now)
        // All nodes lock the rows in one order.
        for allowance in allowances.sorted(by: { $0.name < $1.name }) {
            // Another node has used the last one just now.
            guard try take(allowance, at: now) else {
                throw .usedUp(allowance.name, waitSeconds: allowance.seconds)
            }
        }
    }

    /// Uses one of an allowance. Answers whether one was left.
    private func take(_ allowance: Allowance, at now: Int64) throws(StoreError) -> Bool {
        try database.run(
            """
            INSERT INTO allowances (name, used, ends_at) VALUES ($1, 1, $3)
            ON CONFLICT (name) DO UPDATE SET
                used = CASE WHEN allowances.ends_at > $2 THEN allowances.used + 1 ELSE 1 END,
                ends_at = CASE WHEN allowances.ends_at > $2 THEN allowances.ends_at ELSE $3 END
            WHERE allowances.ends_at <= $2 OR allowances.used < $4
            """, .text(try hasher.name(of: allowance)), .int(now), .int(now + allowance.seconds),
            .int(allowance.most)) > 0
    }

    /// Undoes what `spend` has used of an allowance in the same transaction.
    func giveBack(_ allowance: Allowance) throws(StoreError) {
        try database.run(
            "UPDATE allowances SET used = used - 1 WHERE name = $1", .text(try hasher.name(of: allowance)))
    }

    /// Throws what `spend` would throw.
    func check(_ allowances: [Allowance], at now: Int64) throws(StoreError) {
        var usedUp: (name: String, endsAt: Int64)?
        for allowance in allowances {
            let end = try database.first(
                "SELECT ends_at FROM allowances WHERE name = $1 AND ends_at > $2 AND used >= $3",
                .text(try hasher.name(of: allowance)), .int(now), .int(allowance.most)
            ) { $0.int(0) }
            if let end, end > usedUp?.endsAt ?? 0 { usedUp = (allowance.name, end) }
        }
        if let usedUp { throw .usedUp(usedUp.name, waitSeconds: usedUp.endsAt - now) }
    }

    /// Deletes those that end with a person's account.
    func remove(ofPerson id: String) throws(StoreError) {
        let beginning = try hasher.beginning(ofPerson: id)
        try database.run(
            "DELETE FROM allowances WHERE name >= $1 AND name < $2", .text(beginning), .text(beginning + "\u{7F}"))
    }
}
