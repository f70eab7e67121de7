import CSQLite

/// The parts that are special to SQLite.
extension SQLiteConnection {
    /// Runs statements without parameters one after another: migrations and pragmas.
    func script(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw fault(code) }
    }

    /// A statement costs no round trip, so the rooms are appended to one by one.
    func append(
        _ appends: [RoomAppend], _ writing: JournalWriting
    ) throws(StoreError) -> [Result<UInt64, StoreError>] {
        var stored: [Result<UInt64, StoreError>] = []
        stored.reserveCapacity(appends.count)
        for append in appends { stored.append(.success(try writing.append(append))) }
        return stored
    }

    /// One connection writes, so nothing comes between the two statements.
    func leasePushes(limit: Int, at now: Int64, until end: Int64) throws(StoreError) -> [LeasedPush] {
        let leased = try rows(
            """
            SELECT key, account, room, type, minute, due_at, json, attempts + 1 FROM pushes
            WHERE done_at IS NULL AND due_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
            ORDER BY due_at, key LIMIT $2
            """, .int(now), .int(limit), read: LeasedPush.init)
        for push in leased {
            try run(
                "UPDATE pushes SET attempts = attempts + 1, leased_until = $1 WHERE key = $2", .int(end),
                .int(push.key))
        }
        return leased
    }

    /// A database has one connection that writes.
    func lock(_ person: String, _ lock: PersonLock) {}

    func milliseconds() throws(StoreError) -> Int64 {
        try first("SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)") { $0.int(0) } ?? 0
    }

    func startMilliseconds() -> Int64 { 0 }

    /// SQLite looks for the greatest key by itself.
    func adoptKeys() {}

    /// Allocates pages and frees them, which fails on a full disk.
    func probe() throws(StoreError) {
        try transaction { () throws(StoreError) in
            try run("INSERT INTO probe VALUES (zeroblob(16384))")
            try run("DELETE FROM probe")
        }
    }

    /// A failing database keeps its log, which is read at the next opening.
    func finish() {
        try? script("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func checkStorage() throws(StoreError) -> [String] {
        let verdicts = try rows("PRAGMA integrity_check(100)") { $0.text(0) }.filter { $0 != "ok" }
        // A damaged file cannot be checked further.
        guard verdicts.isEmpty else { return verdicts.map { "The file is damaged: \($0)." } }
        var findings = try rows("PRAGMA foreign_key_check") {
            "A row of \($0.text(0)) refers to \($0.text(2)) that is not there."
        }
        let probes = try first("SELECT count(*) FROM probe") { $0.int(0) }
        if let probes, probes > 0 { findings.append("A probe was left behind.") }
        return findings
    }
}
