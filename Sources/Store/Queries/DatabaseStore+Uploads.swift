extension DatabaseStore {
    package func beginUpload(_ upload: Upload, then answer: @escaping Answer<Void>) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            let table = UploadTable(database)
            _ = try AccountTable(database).known(upload.account)
            let open = try database.first(
                "SELECT count(*) FROM uploads WHERE account = $1 AND ends_at > $2 AND failure IS NULL",
                .text(upload.account), .int(upload.createdAt)
            ) { $0.int(0) }
            guard open ?? 0 < Int64(limits.openUploadsMax) else {
                throw .conflict("Too many uploads are open; complete one, or wait until they end.")
            }
            try table.checkRoom(for: upload, most: limits.uploadsMax)
            try table.insert(upload, files: [])
        }
    }

    package func upload(
        _ id: String, of account: String, at now: Int64, then answer: @escaping Answer<UploadState?>
    ) {
        read(then: answer) { (database) throws(StoreError) in
            try UploadTable(database).state(id, of: account, at: now)
        }
    }

    package func noteChunk(
        _ number: Int, bytes: Int64, of id: String, _ account: String, at now: Int64,
        then answer: @escaping Answer<Int64?>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let table = UploadTable(database)
            guard let known = try table.known(id, of: account, at: now), known.files.isEmpty, known.failure == nil,
                known.upload.bytes(ofChunk: number) == bytes
            else { return nil }
            try database.run(
                "INSERT INTO upload_chunks (upload, number, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                .text(id), .int(number), .int(bytes))
            return try database.first(
                "SELECT CAST(sum(bytes) AS BIGINT) FROM upload_chunks WHERE upload = $1", .text(id)
            ) { $0.int(0) } ?? 0
        }
    }

    package func completeUpload(
        _ id: String, of account: String, with files: [MediaRecord], at now: Int64,
        then answer: @escaping Answer<UploadState?>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            let table = UploadTable(database)
            guard try table.known(id, of: account, at: now) != nil else { return nil }
            // Another node may complete it at the same time.
            let count = try database.run(
                """
                UPDATE uploads SET media = $2, poster = $3, ends_at = NULL
                WHERE id = $1 AND media IS NULL AND failure IS NULL
                """, .text(id), .optional(files.first?.key), .optional(files.dropFirst().first?.key))
            if count == 1 {
                try database.run("DELETE FROM upload_chunks WHERE upload = $1", .text(id))
                try table.keep(files, of: id)
            }
            return try table.state(id, of: account, at: now)
        }
    }

    package func failUpload(
        _ id: String, of account: String, because failure: String, attemptsMax: Int, at now: Int64,
        then answer: @escaping Answer<UploadState?>
    ) {
        write(then: answer) { (database) throws(StoreError) in
            try database.run(
                """
                UPDATE uploads SET attempts = attempts + 1,
                    failure = CASE WHEN attempts + 1 >= $4 THEN $3 ELSE failure END
                WHERE id = $1 AND account = $2 AND media IS NULL AND failure IS NULL
                """, .text(id), .text(account), .text(failure), .int(attemptsMax))
            let table = UploadTable(database)
            if try table.known(id, of: account, at: now)?.failure != nil {
                try database.run("DELETE FROM upload_chunks WHERE upload = $1", .text(id))
            }
            return try table.state(id, of: account, at: now)
        }
    }

    package func keepUpload(_ upload: Upload, with files: [MediaRecord], then answer: @escaping Answer<Void>) {
        write(then: answer) { [limits] (database) throws(StoreError) in
            let table = UploadTable(database)
            _ = try AccountTable(database).known(upload.account)
            try table.checkRoom(for: upload, most: limits.uploadsMax)
            try table.insert(upload, files: files)
            try table.keep(files, of: upload.id)
        }
    }

    package func abandonedUploads(at now: Int64, limit: Int, then answer: @escaping Answer<[String]>) {
        let limit = min(max(limit, 1), limits.pageItemsMax)
        read(then: answer) { (database) throws(StoreError) in
            try database.rows(
                "SELECT id FROM uploads WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2", .int(now), .int(limit)
            ) { $0.text(0) }
        }
    }

    package func isOpenUpload(_ id: String, then answer: @escaping Answer<Bool>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.first(
                "SELECT 1 FROM uploads WHERE id = $1 AND ends_at IS NOT NULL AND failure IS NULL", .text(id),
                read: { _ in true }) ?? false
        }
    }

    package func removeUploads(_ ids: [String], then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            for id in ids {
                try database.run("DELETE FROM upload_chunks WHERE upload = $1", .text(id))
                try database.run("DELETE FROM uploads WHERE id = $1 AND ends_at IS NOT NULL", .text(id))
            }
        }
    }
}

/// Rows of uploads.
struct UploadTable {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    func insert(_ upload: Upload, files: [MediaRecord]) throws(StoreError) {
        try database.run(
            """
            INSERT INTO uploads (id, account, filename, mime, bytes, chunk_bytes, created_at, ends_at, media, poster)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """, .text(upload.id), .text(upload.account), .text(upload.filename), .text(upload.mime),
            .int(upload.byteCount), .int(upload.chunkBytes), .int(upload.createdAt), .optional(upload.endsAt),
            .optional(files.first?.key), .optional(files.dropFirst().first?.key))
    }

    func checkRoom(for upload: Upload, most: Int) throws(StoreError) {
        let count = try database.first(
            "SELECT count(*) FROM uploads WHERE account = $1", .text(upload.account)
        ) { $0.int(0) }
        guard count ?? 0 < Int64(most) else { throw .conflict("The account has \(most) files, which is the most.") }
    }

    /// An upload that goes on, has failed or is complete.
    ///
    /// - Returns: with the keys of the files that it was made into.
    func known(
        _ id: String, of account: String, at now: Int64
    ) throws(StoreError) -> (upload: Upload, files: [String], failure: String?)? {
        try database.first(
            """
            SELECT id, account, filename, mime, bytes, chunk_bytes, created_at, ends_at, media, poster, failure
            FROM uploads WHERE id = $1 AND account = $2 AND (ends_at IS NULL OR ends_at > $3)
            """, .text(id), .text(account), .int(now)
        ) { row in
            let upload = Upload(
                id: row.text(0), account: row.text(1), filename: row.text(2), mime: row.text(3), byteCount: row.int(4),
                chunkBytes: row.int(5), createdAt: row.int(6), endsAt: row.optionalInt(7))
            return (upload, [row.optionalText(8), row.optionalText(9)].compactMap(\.self), row.optionalText(10))
        }
    }

    func state(_ id: String, of account: String, at now: Int64) throws(StoreError) -> UploadState? {
        guard let known = try known(id, of: account, at: now) else { return nil }
        let chunks = try database.rows(
            "SELECT number FROM upload_chunks WHERE upload = $1 ORDER BY number", .text(id)
        ) { Int($0.int(0)) }
        return UploadState(
            upload: known.upload, chunks: chunks, files: try records(known.files), failure: known.failure)
    }

    func records(_ keys: [String]) throws(StoreError) -> [MediaRecord] {
        var records: [MediaRecord] = []
        for key in keys {
            let record = try database.first(
                """
                SELECT key, owner, kind, mime, bytes, width, height, duration, created_at FROM media WHERE key = $1
                """, .text(key), read: MediaUses.record)
            if let record { records.append(record) }
        }
        return records
    }

    /// Has files stay as long as the upload.
    func keep(_ files: [MediaRecord], of upload: String) throws(StoreError) {
        for file in files { try MediaTable(database).add(file) }
        try MediaUses(database).set(files.map(\.key), shownBy: MediaHolder.upload(upload))
    }

    /// The uploads of an account that ends: nothing shows their files any more, and the sweep removes the chunks of open ones.
    func release(all account: String, at now: Int64) throws(StoreError) {
        try database.run(
            """
            DELETE FROM media_uses WHERE holder IN
                (SELECT 'other:upload:' || id FROM uploads WHERE account = $1 AND media IS NOT NULL)
            """, .text(account))
        try database.run("DELETE FROM uploads WHERE account = $1 AND media IS NOT NULL", .text(account))
        try database.run("UPDATE uploads SET ends_at = $2 WHERE account = $1", .text(account), .int(now))
    }
}
