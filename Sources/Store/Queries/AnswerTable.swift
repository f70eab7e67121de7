/// The answers to requests with idempotency keys.
struct AnswerTable {
    let database: any SQLConnection
    let limits: StoreLimits

    init(_ database: any SQLConnection, _ limits: StoreLimits) {
        self.database = database
        self.limits = limits
    }

    func answer(to key: IdempotencyKey, of account: String, at now: Int64) throws(StoreError) -> String? {
        let found = try database.first(
            "SELECT fingerprint, answer FROM answers WHERE account = $1 AND key = $2 AND at >= $3", .text(account),
            .text(key.key), .int(now - limits.answerSecondsMax)
        ) { (fingerprint: $0.text(0), answer: $0.text(1)) }
        guard let found else { return nil }
        guard found.fingerprint.utf8.elementsEqual(key.fingerprint.utf8) else {
            throw .conflict("The Idempotency-Key was used for something else.")
        }
        return found.answer
    }

    /// - Returns: false when there is an answer with this key already. It stays.
    @discardableResult
    func keep(_ answer: String, as key: IdempotencyKey, of account: String, at now: Int64) throws(StoreError) -> Bool {
        // Replaces an answer that is too old and was not removed yet.
        try database.run(
            """
            INSERT INTO answers (account, key, fingerprint, answer, at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (account, key) DO UPDATE
                SET fingerprint = excluded.fingerprint, answer = excluded.answer, at = excluded.at WHERE answers.at < $6
            """, .text(account), .text(key.key), .text(key.fingerprint), .text(answer), .int(now),
            .int(now - limits.answerSecondsMax)) > 0
    }
}
