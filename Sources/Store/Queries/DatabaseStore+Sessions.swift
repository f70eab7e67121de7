extension DatabaseStore {
    package func beginSession(_ session: NewSession, then answer: @escaping Answer<[String]>) {
        writeAlone(endingOf: session.person, then: answer) { [limits] (database) throws(StoreError) in
            _ = try PersonTable(database).known(session.person)
            if let password = session.password {
                // It locks the row: a change of the password ends this session, or comes before it.
                let count = try database.run(
                    "UPDATE people SET password = $2 WHERE id = $1 AND password = $2", .text(session.person),
                    .text(password))
                guard count > 0 else { throw .notFound("user") }
            }
            if let passkey = session.passkey {
                // The same for a passkey and its removal.
                let count = try database.run(
                    "UPDATE passkeys SET used_at = used_at WHERE id = $1 AND person = $2", .text(passkey),
                    .text(session.person))
                guard count > 0 else { throw .notFound("user") }
            }
            if let wallet = session.wallet {
                let count = try database.run(
                    "UPDATE wallets SET used_at = $3 WHERE id = $1 AND person = $2 AND signs_in = 1", .text(wallet),
                    .text(session.person), .int(session.at))
                guard count > 0 else { throw .notFound("user") }
            }
            try database.run(
                """
                INSERT INTO sessions
                    (id, person, app, agent, created_at, seen_at, ends_at, refresh_key, refresh_hash, rotated_at,
                    refresh_network)
                VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $5, $9)
                """, .text(session.id), .text(session.person), .text(session.app), .text(session.agent),
                .int(session.at), .int(session.endsAt), .optional(session.refresh?.key),
                .optional(session.refresh?.hash), .optional(session.refresh?.network))
            // The new one stays, whenever the others were used.
            let excess = try database.rows(
                "SELECT id FROM sessions WHERE person = $1 AND id != $2 ORDER BY seen_at DESC, id LIMIT 100 OFFSET $3",
                .text(session.person), .text(session.id), .int(limits.sessionsMax - 1)
            ) { $0.text(0) }
            for id in excess { try SessionEnd(of: id, session.person).run(in: database) }
            return excess
        }
    }

    package func session(_ id: String, at now: Int64, then answer: @escaping Answer<OpenSession?>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.first(
                """
                SELECT sessions.id, person, app, agent, sessions.created_at, seen_at, ends_at, refresh_key,
                    refresh_hash, rotated_at, people.id, name, email, email_verified_at, role, people.created_at,
                    people.updated_at, refresh_network
                FROM sessions JOIN people ON people.id = sessions.person WHERE sessions.id = $1 AND ends_at > $2
                """, .text(id), .int(now)
            ) { row in
                let key = row.optionalText(7)
                return OpenSession(
                    session: Self.session(row), person: PersonTable.person(row, from: 10),
                    refresh: key.map {
                        RefreshSecret(
                            key: $0, hash: row.text(8), network: row.optionalText(17) ?? "", rotatedAt: row.int(9))
                    })
            }
        }
    }

    package func sessions(of person: String, at now: Int64, then answer: @escaping Answer<[Session]>) {
        read(then: answer) { [limits] (database) throws(StoreError) in
            try database.rows(
                """
                SELECT id, person, app, agent, created_at, seen_at, ends_at FROM sessions
                WHERE person = $1 AND ends_at > $2 ORDER BY seen_at DESC, id LIMIT $3
                """, .text(person), .int(now), .int(limits.sessionsMax)
            ) { Self.session($0) }
        }
    }

    package func rotateSession(
        _ id: String, from old: String, to new: RefreshSecret, by agent: String, until end: Int64,
        then answer: @escaping Answer<Bool>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                """
                UPDATE sessions SET refresh_hash = $3, rotated_at = $4, seen_at = $4, ends_at = $5, agent = $6,
                    refresh_network = $7
                WHERE id = $1 AND refresh_hash = $2 AND refresh_key = $8 AND ends_at > $4
                """, .text(id), .text(old), .text(new.hash), .int(new.rotatedAt), .int(end), .text(agent),
                .text(new.network), .text(new.key)) > 0
        }
    }

    package func endSession(_ id: String, of person: String, then answer: @escaping Answer<Bool>) {
        writeAlone(endingOf: person, then: answer) { (database) throws(StoreError) in
            try SessionEnd(of: id, person).run(in: database)
        }
    }

    /// From the seven columns in the order of the queries above.
    private static func session(_ row: any SQLRow) -> Session {
        Session(
            id: row.text(0), person: row.text(1), app: row.text(2), agent: row.text(3), createdAt: row.int(4),
            seenAt: row.int(5), endsAt: row.int(6))
    }

    // MARK: Keys

    package func signingKeys(then answer: @escaping Answer<[SigningKeyRecord]>) {
        read(then: answer) { [limits] (database) throws(StoreError) in
            try KeyTable(database, limits).all()
        }
    }

    package func addSigningKey(_ key: SigningKeyRecord, isFirst: Bool, then answer: @escaping Answer<Void>) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            let keys = KeyTable(database, limits)
            if isFirst, try !keys.all().isEmpty { return }
            try keys.add(key)
        }
    }
}

/// What the end of a session takes with it, but for the end by its age: who has not come back for long still gets notifications.
struct SessionEnd {
    private let session: String
    private let person: String

    init(of session: String, _ person: String) {
        self.session = session
        self.person = person
    }

    /// Answers whether the person had the session. Devices that were registered by it get no more notifications: somebody else
    /// may have the phone.
    @discardableResult
    func run(in database: any SQLConnection) throws(StoreError) -> Bool {
        let count = try database.run(
            "DELETE FROM sessions WHERE id = $1 AND person = $2", .text(session), .text(person))
        guard count > 0 else { return false }
        try database.run("DELETE FROM devices WHERE account = $1 AND session = $2", .text(person), .text(session))
        return true
    }
}
