extension DatabaseStore {
    package func addMedia(_ media: MediaRecord, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try MediaTable(database).add(media)
        }
    }

    package func media(_ key: String, then answer: @escaping Answer<MediaRecord?>) {
        read(then: answer) { (database) throws(StoreError) in
            try database.first(
                """
                SELECT key, owner, kind, mime, bytes, width, height, duration, created_at FROM media WHERE key = $1
                """, .text(key), read: MediaUses.record)
        }
    }

    package func setMedia(_ keys: [String], shownBy holder: String, then answer: @escaping Answer<Void>) {
        write(then: answer) { (database) throws(StoreError) in
            try MediaUses(database).set(keys, shownBy: MediaHolder.other(holder))
        }
    }

    package func orphanedMedia(
        createdBefore time: Int64, limit: Int, then answer: @escaping Answer<[MediaRecord]>
    ) {
        let limit = min(max(limit, 1), limits.pageItemsMax)
        read(then: answer) { (database) throws(StoreError) in
            try database.rows(
                """
                SELECT key, owner, kind, mime, bytes, width, height, duration, created_at FROM media
                WHERE created_at < $1 AND NOT EXISTS (SELECT 1 FROM media_uses WHERE media_uses.media = media.key)
                ORDER BY created_at LIMIT $2
                """, .int(time), .int(limit), read: MediaUses.record)
        }
    }

    package func removeOrphanedMedia(_ keys: [String], then answer: @escaping Answer<[String]>) {
        write(then: answer) { (database) throws(StoreError) in
            var removed: [String] = []
            for key in keys {
                let count = try database.run(
                    "DELETE FROM media WHERE key = $1 AND NOT EXISTS (SELECT 1 FROM media_uses WHERE media = $1)",
                    .text(key))
                if count == 1 { removed.append(key) }
            }
            return removed
        }
    }
}

/// Rows of files.
struct MediaTable {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    func add(_ media: MediaRecord) throws(StoreError) {
        _ = try AccountTable(database).known(media.owner)
        let count = try database.run(
            """
            INSERT INTO media (key, owner, kind, mime, bytes, width, height, duration, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING
            """, .text(media.key), .text(media.owner), .text(media.kind), .text(media.mime),
            .int(media.byteCount), .optional(media.width), .optional(media.height), .optional(media.duration),
            .int(media.createdAt))
        guard count == 1 else { throw .taken("key") }
    }
}

/// What shows which files.
struct MediaUses {
    let database: any SQLConnection

    init(_ database: any SQLConnection) {
        self.database = database
    }

    static func holder(element: String, room: String) -> String { "element:\(element.utf8.count):\(element)\(room)" }

    func set(_ keys: [String], shownBy holder: String) throws(StoreError) {
        try database.run("DELETE FROM media_uses WHERE holder = $1", .text(holder))
        for key in keys {
            try database.run(
                "INSERT INTO media_uses (media, holder) VALUES ($1, $2) ON CONFLICT DO NOTHING", .text(key),
                .text(holder))
        }
    }

    static func record(_ row: any SQLRow) -> MediaRecord {
        MediaRecord(
            key: row.text(0), owner: row.text(1), kind: row.text(2), mime: row.text(3), byteCount: row.int(4),
            width: row.optionalInt(5), height: row.optionalInt(6), duration: row.optionalReal(7),
            createdAt: row.int(8))
    }
}

/// What shows a file, besides the elements of rooms.
enum MediaHolder {
    static func other(_ name: String) -> String { "other:" + name }
    /// The name is that of REST.
    static func avatar(of account: String) -> String { other("avatar:" + account) }
    /// How the names of requests begin that are about to show a file in a profile. The names are those of REST.
    static func nextAvatars(of account: String) -> String { other("next-avatar:\(account):") }
    /// An upload that an application keeps.
    static func upload(_ id: String) -> String { other("upload:" + id) }
}
