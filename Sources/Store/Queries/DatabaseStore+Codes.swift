extension DatabaseStore {
    package func keepCode(_ code: CodeRecord, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                """
                INSERT INTO codes (recipient, signing_key, hash, tries, ends_at) VALUES ($1, $2, $3, 0, $4)
                ON CONFLICT (recipient) DO UPDATE SET signing_key = excluded.signing_key, hash = excluded.hash,
                    tries = excluded.tries, ends_at = excluded.ends_at
                """, .text(code.recipient), .text(code.signingKey), .text(code.hash), .int(code.endsAt))
        }
    }

    package func code(of recipient: String, at now: Int64, then answer: @escaping Answer<CodeRecord?>) {
        read(then: answer) { [limits] (database) throws(StoreError) in
            try database.first(
                """
                SELECT recipient, signing_key, hash, ends_at FROM codes
                WHERE recipient = $1 AND ends_at > $2 AND tries < $3
                """, .text(recipient), .int(now), .int(limits.codeTriesMax)
            ) { CodeRecord(recipient: $0.text(0), signingKey: $0.text(1), hash: $0.text(2), endsAt: $0.int(3)) }
        }
    }

    package func tryCode(of recipient: String, hash: String, at now: Int64, then answer: @escaping Answer<Bool>) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            let tried = try database.run(
                "UPDATE codes SET tries = tries + 1 WHERE recipient = $1 AND ends_at > $2 AND tries < $3",
                .text(recipient), .int(now), .int(limits.codeTriesMax))
            guard tried > 0 else { return false }
            return try database.run(
                "DELETE FROM codes WHERE recipient = $1 AND hash = $2", .text(recipient), .text(hash)) > 0
        }
    }

    package func spend(_ allowances: [Allowance], at now: Int64, then answer: @escaping Answer<Spending>) {
        write(then: answer) { (database) throws(StoreError) in
            var usedUp: (name: String, endsAt: Int64)?
            for allowance in allowances {
                let end = try database.first(
                    "SELECT ends_at FROM allowances WHERE name = $1 AND ends_at > $2 AND used >= $3",
                    .text(allowance.name), .int(now), .int(allowance.most)
                ) { $0.int(0) }
                if let end, end > usedUp?.endsAt ?? 0 { usedUp = (allowance.name, end) }
            }
            if let usedUp { return .usedUp(usedUp.name, waitSeconds: usedUp.endsAt - now) }
            for allowance in allowances {
                try database.run(
                    """
                    INSERT INTO allowances (name, used, ends_at) VALUES ($1, 1, $3)
                    ON CONFLICT (name) DO UPDATE SET
                        used = CASE WHEN allowances.ends_at > $2 THEN allowances.used + 1 ELSE 1 END,
                        ends_at = CASE WHEN allowances.ends_at > $2 THEN allowances.ends_at ELSE $3 END
                    """, .text(allowance.name), .int(now), .int(now + allowance.seconds))
            }
            return .spent
        }
    }
}
