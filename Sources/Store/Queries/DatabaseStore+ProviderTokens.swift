extension DatabaseStore {
    package func keepProviderToken(
        _ token: ProviderToken, of person: String, then answer: @escaping Answer<Void>
    ) {
        writeAlone(counts, byteCount: 512 + token.token.utf8.count, then: answer) { (database) throws(StoreError) in
            try ProfileTable.lock(person, database)
            try database.run(
                "DELETE FROM provider_tokens WHERE person = $1 AND kind = $2", .text(person), .text(token.kind.rawValue)
            )
            try database.run(
                """
                INSERT INTO provider_tokens (id, person, kind, client, token, attempts, due_at)
                VALUES ($1, $2, $3, $4, $5, 0, 0)
                """, .text(token.id), .text(person), .text(token.kind.rawValue), .text(token.client),
                .text(token.token))
        }
    }

    package func endedProviderTokens(
        at now: Int64, next: Int64, then answer: @escaping Answer<[ProviderToken]>
    ) {
        writeAlone(counts, byteCount: 1_024, then: answer) { [limits] (database) throws(StoreError) in
            try database.run(
                "DELETE FROM provider_tokens WHERE person IS NULL AND attempts >= $1",
                .int(limits.providerTokenAttemptsMax))
            let due = try database.rows(
                """
                SELECT id, kind, client, token FROM provider_tokens
                WHERE person IS NULL AND due_at <= $1 ORDER BY due_at, id LIMIT 32
                """, .int(now)
            ) { row in
                Credential.Kind(rawValue: row.text(1)).map {
                    ProviderToken(id: row.text(0), kind: $0, client: row.text(2), token: row.text(3))
                }
            }.compactMap(\.self)
            var taken: [ProviderToken] = []
            for token in due {
                // Another node may have taken it just now.
                let count = try database.run(
                    """
                    UPDATE provider_tokens SET attempts = attempts + 1, due_at = $3 WHERE id = $1 AND due_at <= $2
                    """, .text(token.id), .int(now), .int(next))
                if count > 0 { taken.append(token) }
            }
            return taken
        }
    }

    package func forgetProviderToken(_ id: String, then answer: @escaping Answer<Void>) {
        writeAlone(counts, then: answer) { (database) throws(StoreError) in
            try database.run("DELETE FROM provider_tokens WHERE id = $1", .text(id))
        }
    }
}
