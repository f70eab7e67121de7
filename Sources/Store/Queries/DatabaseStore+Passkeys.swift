extension DatabaseStore {
    package func addPerson(
        _ person: NewPerson, with passkey: Passkey, then answer: @escaping Answer<AccountHolder>
    ) {
        writeAlone(counts, byteCount: 4_096, then: answer) { (database) throws(StoreError) in
            let added = try PersonTable(database).add(person)
            try Self.add(passkey, database)
            return added
        }
    }

    package func addPasskey(_ passkey: Passkey, showing proof: PersonProof, then answer: @escaping Answer<Void>) {
        writeAlone(counts, byteCount: 4_096, then: answer) { [limits] (database) throws(StoreError) in
            try ProfileTable.lock(passkey.person, database)
            guard try PersonTable(database).isShown(proof, by: passkey.person) else { throw .notFound("user") }
            let count = try database.first(
                "SELECT count(*) FROM passkeys WHERE person = $1", .text(passkey.person)
            ) { $0.int(0) }
            guard count ?? 0 < limits.passkeysMax else {
                throw .conflict("A person has at most \(limits.passkeysMax) passkeys.")
            }
            try Self.add(passkey, database)
        }
    }

    private static func add(_ passkey: Passkey, _ database: any SQLConnection) throws(StoreError) {
        let isTaken = try database.first("SELECT 1 FROM passkeys WHERE id = $1", .text(passkey.id)) { _ in true }
        guard isTaken == nil else { throw .taken("passkey") }
        try database.run(
            """
            INSERT INTO passkeys (id, person, name, algorithm, public_key, signatures, created_at, used_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """, .text(passkey.id), .text(passkey.person), .text(passkey.name), .int(passkey.algorithm),
            .text(passkey.publicKey), .int(passkey.signatures), .int(passkey.createdAt), .int(passkey.usedAt))
    }

    package func passkey(_ id: String, then answer: @escaping Answer<KnownPasskey?>) {
        read(then: answer) { (database) throws(StoreError) in
            let passkey = try database.first(
                """
                SELECT id, person, name, algorithm, public_key, signatures, created_at, used_at FROM passkeys
                WHERE id = $1
                """, .text(id)
            ) { Self.passkey($0) }
            guard let passkey, let person = try PersonTable(database).person(passkey.person) else { return nil }
            return KnownPasskey(passkey: passkey, person: person)
        }
    }

    package func passkeys(of person: String, then answer: @escaping Answer<[Passkey]>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.rows(
                """
                SELECT id, person, name, algorithm, public_key, signatures, created_at, used_at FROM passkeys
                WHERE person = $1 ORDER BY created_at, id
                """, .text(person)
            ) { Self.passkey($0) }
        }
    }

    private static func passkey(_ row: any SQLRow) -> Passkey {
        Passkey(
            id: row.text(0), person: row.text(1), name: row.text(2), algorithm: row.int(3), publicKey: row.text(4),
            signatures: row.int(5), createdAt: row.int(6), usedAt: row.int(7))
    }

    package func usePasskey(_ id: String, signatures: Int64, at now: Int64, then answer: @escaping Answer<Bool>) {
        writeAlone(counts, then: answer) { (database) throws(StoreError) in
            try database.run(
                """
                UPDATE passkeys SET signatures = $2, used_at = $3
                WHERE id = $1 AND (signatures < $2 OR (signatures = 0 AND $2 = 0))
                """, .text(id), .int(signatures), .int(now)) > 0
        }
    }

    package func removePasskey(_ id: String, of person: String, then answer: @escaping Answer<Bool>) {
        writeAlone(counts, then: answer) { (database) throws(StoreError) in
            try ProfileTable.lock(person, database)
            let count = try database.run(
                "DELETE FROM passkeys WHERE id = $1 AND person = $2", .text(id), .text(person))
            guard count > 0 else { return false }
            guard try PersonTable(database).canSignIn(person) else {
                throw .conflict("The passkey is the only way to sign in to the account.")
            }
            return true
        }
    }
}

extension PersonTable {
    /// Whether what a person has shown is still so.
    func isShown(_ proof: PersonProof, by person: String) throws(StoreError) -> Bool {
        try database.first(
            """
            SELECT 1 FROM people JOIN sessions ON sessions.person = people.id
            WHERE people.id = $1 AND sessions.id = $2 AND coalesce(password, '') = $3
            """, .text(person), .text(proof.session), .text(proof.password ?? "")
        ) { _ in true } ?? false
    }

    /// Whether a person has a password, a passkey, a wallet to sign in with, or another credential.
    func canSignIn(_ id: String) throws(StoreError) -> Bool {
        try database.first(
            """
            SELECT 1 FROM people WHERE id = $1 AND password IS NOT NULL AND email IS NOT NULL
            UNION ALL SELECT 1 FROM credentials WHERE person = $1
            UNION ALL SELECT 1 FROM passkeys WHERE person = $1
            UNION ALL SELECT 1 FROM wallets WHERE person = $1 AND signs_in = 1
            LIMIT 1
            """, .text(id)
        ) { _ in true } ?? false
    }
}
