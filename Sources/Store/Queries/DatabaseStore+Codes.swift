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
        writeAlone(counts, then: answer) { [limits, hasher] (database) throws(StoreError) in
            let allowances = AllowanceTable(database, hasher)
            try allowances.spend([tries], at: now)
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
            if isRight { try allowances.giveBack(tries) }
            return isRight
        }
    }

    // MARK: Limits

    package func spend(_ allowances: [Allowance], at now: Int64, then answer: @escaping Answer<Void>) {
        writeAlone(counts, then: answer) { [hasher] (database) throws(StoreError) in
            try AllowanceTable(database, hasher).spend(allowances, at: now)
        }
    }

    package func check(_ allowances: [Allowance], at now: Int64, then answer: @escaping Answer<Void>) {
        read(then: answer) { [hasher] (database) throws(StoreError) in
            try AllowanceTable(database, hasher).check(allowances, at: now)
        }
    }
}
