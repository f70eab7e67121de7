extension DatabaseStore {
    package func addPerson(
        _ person: NewPerson, with wallet: Wallet, then answer: @escaping Answer<AccountHolder>
    ) {
        writeAlone(counts, byteCount: 1_024, then: answer) { (database) throws(StoreError) in
            let added = try PersonTable(database).add(person)
            let table = WalletTable(database)
            guard try table.wallet(address: wallet.address) == nil else { throw .taken("wallet") }
            try table.add(wallet, isPrimary: true, signsIn: true)
            return added
        }
    }

    package func connectWallet(
        _ wallet: Wallet, showing proof: PersonProof?, then answer: @escaping Answer<Wallet>
    ) {
        writeAlone(counts, byteCount: 1_024, then: answer) { [limits] (database) throws(StoreError) in
            try ProfileTable.lock(wallet.person, database)
            let table = WalletTable(database)
            var signsIn = false
            if let proof { signsIn = try PersonTable(database).isShown(proof, by: wallet.person) }
            if let known = try table.wallet(address: wallet.address) {
                guard known.person.utf8.elementsEqual(wallet.person.utf8) else { throw .taken("wallet") }
                try database.run(
                    "UPDATE wallets SET kind = $2, used_at = $3, signs_in = $4 WHERE id = $1", .text(known.id),
                    .text(wallet.kind), .int(wallet.usedAt), .int(signsIn || known.signsIn ? 1 : 0))
            } else {
                let count = try table.all(of: wallet.person).count
                guard count < limits.walletsMax else {
                    throw .conflict("A person has at most \(limits.walletsMax) wallets.")
                }
                try table.add(wallet, isPrimary: count == 0, signsIn: signsIn)
            }
            guard let connected = try table.wallet(address: wallet.address) else { throw .notFound("wallet") }
            return connected
        }
    }

    package func wallet(address: String, then answer: @escaping Answer<KnownWallet?>) {
        read(then: answer) { (database) throws(StoreError) in
            guard let wallet = try WalletTable(database).wallet(address: address),
                let person = try PersonTable(database).person(wallet.person)
            else { return nil }
            return KnownWallet(wallet: wallet, person: person)
        }
    }

    package func wallets(of person: String, then answer: @escaping Answer<[Wallet]>) {
        read(then: answer) { (database) throws(StoreError) in try WalletTable(database).all(of: person) }
    }

    package func preferWallet(_ id: String, of person: String, then answer: @escaping Answer<Wallet?>) {
        writeAlone(counts, then: answer) { (database) throws(StoreError) in
            try ProfileTable.lock(person, database)
            let table = WalletTable(database)
            guard try table.all(of: person).contains(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return nil }
            try table.prefer(id, of: person)
            return try table.all(of: person).first { $0.isPrimary }
        }
    }

    package func removeWallet(_ id: String, of person: String, then answer: @escaping Answer<Bool>) {
        writeAlone(counts, then: answer) { (database) throws(StoreError) in
            try ProfileTable.lock(person, database)
            let table = WalletTable(database)
            let known = try table.all(of: person).first { $0.id.utf8.elementsEqual(id.utf8) }
            guard let known else { return false }
            try database.run("DELETE FROM wallets WHERE id = $1", .text(id))
            if known.signsIn, try !PersonTable(database).canSignIn(person) {
                throw .conflict("The wallet is the only way to sign in to the account.")
            }
            if known.isPrimary, let next = try table.all(of: person).first { try table.prefer(next.id, of: person) }
            return true
        }
    }

    package func keepBalances(_ balances: [UInt8], of id: String, then answer: @escaping Answer<Bool>) {
        writeAlone(counts, byteCount: 256 + balances.count, then: answer) {
            [notifies, now = now()] (database) throws(StoreError) in
            // What is learned first is no change.
            let isKnown = try database.first(
                "SELECT 1 FROM wallets WHERE id = $1 AND balances IS NOT NULL", .text(id)
            ) { _ in true }
            let count = try database.run(
                "UPDATE wallets SET balances = $2 WHERE id = $1 AND coalesce(balances, '') <> $2", .text(id),
                .json(balances))
            if notifies, count > 0, isKnown == true { try PushWriting(database).tell(ofBalanceOf: id, at: now) }
            return count > 0
        }
    }

    package func claimWallets(
        limit: Int, lastBefore: Int64, at now: Int64, then answer: @escaping Answer<[Wallet]>
    ) {
        let limit = min(max(limit, 1), limits.pageItemsMax)
        writeAlone(counts, then: answer) { [notifies] (database) throws(StoreError) in
            guard notifies else { return [] }
            // Another node may have claimed some of them since they were found.
            return try database.rows(
                """
                UPDATE wallets SET claimed_at = $1 WHERE claimed_at <= $2 AND id IN (
                    SELECT id FROM wallets WHERE claimed_at <= $2
                        AND EXISTS (SELECT 1 FROM devices WHERE account = person AND app IN ($3, $4))
                        AND NOT EXISTS (SELECT 1 FROM push_types WHERE account = person AND type = $5 AND NOT is_on)
                    ORDER BY claimed_at, id LIMIT $6)
                RETURNING id, person, address, kind, preferred, signs_in, created_at, used_at
                """, .int(now), .int(lastBefore), .text(Device.rooms), .text(PushKind.balanceChanged.app),
                .text(PushKind.balanceChanged.rawValue), .int(limit)
            ) { WalletTable.wallet($0) }
        }
    }
}

/// Reads and adds wallets.
struct WalletTable {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    func wallet(address: String) throws(StoreError) -> Wallet? {
        try database.first(
            """
            SELECT id, person, address, kind, preferred, signs_in, created_at, used_at FROM wallets WHERE address = $1
            """, .text(address)
        ) { Self.wallet($0) }
    }

    func all(of person: String) throws(StoreError) -> [Wallet] {
        try database.rows(
            """
            SELECT id, person, address, kind, preferred, signs_in, created_at, used_at FROM wallets
            WHERE person = $1 ORDER BY created_at, id
            """, .text(person)
        ) { Self.wallet($0) }
    }

    func add(_ wallet: Wallet, isPrimary: Bool, signsIn: Bool) throws(StoreError) {
        try database.run(
            """
            INSERT INTO wallets (id, person, address, kind, preferred, signs_in, created_at, used_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """, .text(wallet.id), .text(wallet.person), .text(wallet.address), .text(wallet.kind),
            .int(isPrimary ? 1 : 0), .int(signsIn ? 1 : 0), .int(wallet.createdAt), .int(wallet.usedAt))
    }

    /// The person's other wallets are not primary then. No two are at any time.
    func prefer(_ id: String, of person: String) throws(StoreError) {
        try database.run("UPDATE wallets SET preferred = 0 WHERE person = $1 AND preferred = 1", .text(person))
        try database.run("UPDATE wallets SET preferred = 1 WHERE id = $1 AND person = $2", .text(id), .text(person))
    }

    static func wallet(_ row: any SQLRow) -> Wallet {
        Wallet(
            id: row.text(0), person: row.text(1), address: row.text(2), kind: row.text(3),
            isPrimary: row.int(4) == 1, signsIn: row.int(5) == 1, createdAt: row.int(6), usedAt: row.int(7))
    }
}
