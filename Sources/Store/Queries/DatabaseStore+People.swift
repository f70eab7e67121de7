extension DatabaseStore {
    package func addPerson(_ person: NewPerson, then answer: @escaping Answer<AccountHolder>) {
        write(then: answer) { (database) throws(StoreError) in try PersonTable(database).add(person) }
    }

    package func person(
        with credential: Credential, orNew new: NewPerson, then answer: @escaping Answer<AccountHolder>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let (kind, subject) = (SQLValue.text(credential.kind.rawValue), SQLValue.text(credential.subject))
            let owner = try database.first(
                "SELECT person FROM credentials WHERE kind = $1 AND subject = $2", kind, subject
            ) { $0.text(0) }
            if let owner { return try PersonTable(database).known(owner) }
            let table = PersonTable(database)
            let known = try table.joined(by: credential)
            let person = if let known { known } else { try table.add(new) }
            try database.run(
                "INSERT INTO credentials (kind, subject, person, created_at, email) VALUES ($1, $2, $3, $4, $5)", kind,
                subject, .text(person.id), .int(new.at), .optional(credential.email))
            return person
        }
    }

    package func credentials(of id: String, then answer: @escaping Answer<[Credential]>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.rows(
                "SELECT kind, subject, email FROM credentials WHERE person = $1 ORDER BY kind, subject", .text(id)
            ) { row in
                Credential.Kind(rawValue: row.text(0)).map {
                    Credential($0, row.text(1), email: row.optionalText(2))
                }
            }.compactMap(\.self)
        }
    }

    package func number(of id: String, then answer: @escaping Answer<Int64>) {
        read(then: { [self] (known: Result<Int64?, StoreError>) in
            switch known {
            case .success(let number?): answer(.success(number))
            case .success(nil): giveNumber(to: id, then: answer)
            case .failure(let error): answer(.failure(error))
            }
        }) { (database) throws(StoreError) in
            _ = try PersonTable(database).known(id)
            return try PersonTable(database).number(of: id)
        }
    }

    private func giveNumber(to id: String, then answer: @escaping Answer<Int64>) {
        write(then: answer) { (database) throws(StoreError) in
            _ = try PersonTable(database).known(id)
            try database.run(
                "INSERT INTO person_numbers (person) VALUES ($1) ON CONFLICT (person) DO NOTHING", .text(id))
            return try PersonTable(database).number(of: id) ?? 0
        }
    }

    package func person(_ id: String, then answer: @escaping Answer<AccountHolder?>) {
        read(then: answer) { (database) throws(StoreError) in try PersonTable(database).person(id) }
    }

    package func credentials(email: String, then answer: @escaping Answer<Credentials?>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.first(
                """
                SELECT id, name, email, email_verified_at, role, created_at, updated_at, password FROM people
                WHERE lower(email) = $1
                """, .name(email)
            ) { Credentials(person: PersonTable.person($0, from: 0), passwordHash: $0.optionalText(7)) }
        }
    }

    package func people(_ part: PartRequest, then answer: @escaping Answer<ListPart<AccountHolder>>) {
        let limit = min(max(part.limit, 1), limits.pageItemsMax)
        read(then: answer) { (database) throws(StoreError) in
            // The inner query skips entries of an index, which is many times faster than to skip people.
            let found = try database.rows(
                """
                SELECT id, name, email, email_verified_at, role, created_at, updated_at FROM people
                WHERE id IN (SELECT id FROM people ORDER BY created_at, id LIMIT $1 OFFSET $2)
                ORDER BY created_at, id
                """, .int(limit), .int(max(part.offset, 0))
            ) { PersonTable.person($0, from: 0) }
            let total = try database.first("SELECT count(*) FROM people") { $0.int(0) } ?? 0
            return ListPart(items: found, total: Int(total))
        }
    }

    package func changePerson(
        _ id: String, name: String?, email: AddressChange?, at now: Int64, then answer: @escaping Answer<AccountHolder>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let table = PersonTable(database)
            try ProfileTable.lock(id, database)
            let before = try table.known(id)
            if let email, !email.old.utf8.elementsEqual(before.email.utf8) {
                throw .conflict("The e-mail address was changed meanwhile.")
            }
            let email = email?.new ?? before.email
            try table.checkFree(email, for: id)
            // The letters of the two may differ in their case.
            let isVerified = email.lowercased().utf8.elementsEqual(before.email.lowercased().utf8)
            try database.run(
                "UPDATE people SET name = $2, email = $3, email_verified_at = $4, updated_at = $5 WHERE id = $1",
                .text(id), .text(name ?? before.name), PersonTable.address(email),
                .optional(isVerified ? before.emailVerifiedAt : nil), .int(now))
            try table.publishEmail(of: id, at: now)
            return try table.known(id)
        }
    }

    package func setEmail(
        _ email: String, of id: String, at now: Int64, then answer: @escaping Answer<AccountHolder>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let table = PersonTable(database)
            try table.spoilCodes(of: try table.known(id))
            try table.checkFree(email, for: id)
            try table.setShown(email, of: id, at: now)
            return try table.known(id)
        }
    }

    package func changePassword(
        _ hash: String, of id: String, insteadOf old: String, keeping session: String, at now: Int64,
        then answer: @escaping Answer<[String]>
    ) {
        writeAlone(endingOf: id, then: answer) { (database) throws(StoreError) in
            let count = try database.run(
                "UPDATE people SET password = $3, updated_at = $4 WHERE id = $1 AND password = $2", .text(id),
                .text(old), .text(hash), .int(now))
            guard count > 0 else { throw .notFound("user") }
            return try PersonTable(database).endSessions(of: id, except: session)
        }
    }

    package func resetPassword(
        _ hash: String, of id: String, showing email: String, at now: Int64, then answer: @escaping Answer<[String]>
    ) {
        writeAlone(endingOf: id, then: answer) { (database) throws(StoreError) in
            let table = PersonTable(database)
            // It locks the row, so that the address stays.
            let count = try database.run(
                "UPDATE people SET password = $3 WHERE id = $1 AND lower(email) = $2", .text(id), .name(email),
                .text(hash))
            guard count > 0 else { throw .notFound("user") }
            let person = try table.known(id)
            if person.emailVerifiedAt == nil {
                try database.run("DELETE FROM credentials WHERE person = $1", .text(id))
                try database.run("DELETE FROM passkeys WHERE person = $1", .text(id))
                try database.run("DELETE FROM wallets WHERE person = $1", .text(id))
                try table.setShown(person.email, of: id, at: now)
            }
            try database.run("DELETE FROM devices WHERE account = $1", .text(id))
            return try table.endSessions(of: id, except: nil)
        }
    }

    package func setPassword(
        _ hash: String, of id: String, insteadOf old: String?, then answer: @escaping Answer<Void>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                "UPDATE people SET password = $2 WHERE id = $1 AND coalesce(password, '') = $3", .text(id),
                .text(hash), .text(old ?? ""))
        }
    }
}

/// Reads and adds people.
struct PersonTable {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    func person(_ id: String) throws(StoreError) -> AccountHolder? {
        try database.first(
            """
            SELECT id, name, email, email_verified_at, role, created_at, updated_at FROM people WHERE id = $1
            """, .text(id)
        ) { Self.person($0, from: 0) }
    }

    func known(_ id: String) throws(StoreError) -> AccountHolder {
        guard let person = try person(id) else { throw .notFound("user") }
        return person
    }

    /// The person whose verified address the provider of a new credential vouches for, as another provider did. A person who has
    /// a credential of the same provider is somebody else: the provider has given the address to its next holder.
    func joined(by credential: Credential) throws(StoreError) -> AccountHolder? {
        guard let email = credential.email else { return nil }
        return try database.first(
            """
            SELECT id, name, email, email_verified_at, role, created_at, updated_at FROM people
            WHERE lower(email) = $1 AND email_verified_at IS NOT NULL
                AND EXISTS (SELECT 1 FROM credentials WHERE person = people.id AND lower(credentials.email) = $1)
                AND NOT EXISTS (SELECT 1 FROM credentials WHERE person = people.id AND kind = $2)
            """, .name(email), .text(credential.kind.rawValue)
        ) { Self.person($0, from: 0) }
    }

    func add(_ person: NewPerson) throws(StoreError) -> AccountHolder {
        try checkFree(person.email, for: person.id)
        // Others see the address of an account, so it is empty until the person has shown that it is its own.
        try database.run(
            "INSERT INTO accounts (id, sub, email, created_at, updated_at) VALUES ($1, $1, $2, $3, $3)",
            .text(person.id), .text(person.emailVerifiedAt == nil ? "" : person.email), .int(person.at))
        try database.run(
            """
            INSERT INTO people (id, name, email, email_verified_at, role, password, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
            """, .text(person.id), .text(person.name), Self.address(person.email), .optional(person.emailVerifiedAt),
            .text(person.role.rawValue), .optional(person.passwordHash), .int(person.at))
        return try known(person.id)
    }

    /// A person has shown that an address is its own, so others may see it.
    func setShown(_ email: String, of id: String, at now: Int64) throws(StoreError) {
        try database.run(
            "UPDATE people SET email = $2, email_verified_at = $3, updated_at = $3 WHERE id = $1", .text(id),
            .text(email), .int(now))
        try publishEmail(of: id, at: now)
    }

    /// Others see the address in the account, if the person has shown that it is its own.
    func publishEmail(of id: String, at now: Int64) throws(StoreError) {
        try database.run(
            """
            UPDATE accounts SET updated_at = $2, email =
                coalesce((SELECT email FROM people WHERE people.id = $1 AND email_verified_at IS NOT NULL), '')
            WHERE id = $1
            """, .text(id), .int(now))
    }

    /// Ends the sessions of a person whose password has changed, and spoils the codes. Answers the ids of the sessions.
    func endSessions(of id: String, except session: String?) throws(StoreError) -> [String] {
        try spoilCodes(of: try known(id))
        let ended = try database.rows(
            "SELECT id FROM sessions WHERE person = $1 AND id <> $2", .text(id), .text(session ?? "")
        ) { $0.text(0) }
        for session in ended { try SessionEnd(of: session, id).run(in: database) }
        return ended
    }

    /// Deletes the codes that were sent for a person's password and addresses.
    func spoilCodes(of person: AccountHolder) throws(StoreError) {
        let addresses = CodeRecipient.addresses(of: person.id)
        try database.run(
            "DELETE FROM codes WHERE recipient = $1 OR (recipient >= $2 AND recipient < $3)",
            .name(CodeRecipient.newPassword(email: person.email)), .text(addresses), .text(addresses + "\u{7F}"))
    }

    func number(of id: String) throws(StoreError) -> Int64? {
        try database.first("SELECT key FROM person_numbers WHERE person = $1", .text(id)) { $0.int(0) }
    }

    static func address(_ email: String) -> SQLValue { .optional(email.isEmpty ? nil : email) }

    /// Throws `taken("email")` when another person has the address.
    func checkFree(_ email: String, for id: String) throws(StoreError) {
        guard !email.isEmpty else { return }
        let owner = try database.first("SELECT id FROM people WHERE lower(email) = $1", .name(email)) { $0.text(0) }
        if let owner, !owner.utf8.elementsEqual(id.utf8) { throw .taken("email") }
    }

    /// From the seven columns in the order of the queries above.
    static func person(_ row: any SQLRow, from column: Int32) -> AccountHolder {
        AccountHolder(
            id: row.text(column), name: row.text(column + 1), email: row.optionalText(column + 2) ?? "",
            emailVerifiedAt: row.optionalInt(column + 3),
            role: AccountHolder.Role(rawValue: row.text(column + 4)) ?? .user,
            createdAt: row.int(column + 5), updatedAt: row.int(column + 6))
    }
}
