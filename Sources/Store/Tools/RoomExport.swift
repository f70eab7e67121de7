import Rooms
import Wire

/// Writes a room with its members and elements as lines of JSON. The journal is left out: it is for clients that come
/// back within minutes.
package struct RoomExport {
    /// Of the lines.
    static let format = 1

    private let database: any SQLConnection
    private var lines = 0
    private let line: ([UInt8]) throws(StoreError) -> Void

    /// - Parameter line: called with each line and its line feed. A server may use the directory meanwhile.
    package static func run(
        _ room: String, of directory: String, line: ([UInt8]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let database = try SQLiteDriver.openReader(of: directory)
        guard try Migrations.version(database) == Migrations.newest else {
            throw .conflict("\(database.shown) was not brought up to this version yet. Start a server on it first.")
        }
        try database.begin(.read)
        defer { database.rollBack() }
        try withoutActuallyEscaping(line) { line throws(StoreError) in
            var export = RoomExport(database: database, line: line)
            try export.write(room)
        }
    }

    private init(database: any SQLConnection, line: @escaping ([UInt8]) throws(StoreError) -> Void) {
        self.database = database
        self.line = line
    }

    private mutating func put(_ type: String, _ body: (inout JSONWriter) throws(StoreError) -> Void) throws(StoreError)
    {
        var bytes: [UInt8] = []
        try JSONWriter.write(into: &bytes) { json throws(StoreError) in
            json.beginObject()
            json.member("type", type)
            try body(&json)
            json.endObject()
        }
        bytes.append(UInt8(ascii: "\n"))
        lines += 1
        try line(bytes)
    }

    private mutating func write(_ room: String) throws(StoreError) {
        let key = try RoomTable(database).key(room)
        try writeRoom(key)
        try writePeople(key)
        try writeElements(key)
        let lines = lines
        try put("end") { $0.member("lines", lines) }
    }

    private mutating func writeRoom(_ key: Int64) throws(StoreError) {
        var export = self
        try database.each(
            """
            SELECT id, name, created_by, created_at, active_at, closed_at, seq, forgotten_seq FROM rooms WHERE key = $1
            """, [.int(key)]
        ) { row throws(StoreError) in
            try export.put("room") { json in
                json.member("format", Self.format)
                json.member("id", row.text(0))
                json.member("name", row.optionalText(1))
                json.member("createdBy", row.optionalText(2))
                json.member("createdAt", Int(row.int(3)))
                json.member("updatedAt", Int(row.int(4)))
                json.member("closedAt", row.optionalInt(5))
                json.member("seq", Int(row.int(6)))
                json.member("forgottenSeq", Int(row.int(7)))
            }
        }
        self = export
    }

    /// The creator may never have been a member.
    private mutating func writePeople(_ key: Int64) throws(StoreError) {
        var export = self
        try database.each(
            """
            SELECT id, sub, email, username, first_name, date_of_birth, avatar_url, created_at, updated_at
            FROM accounts
            WHERE id IN (SELECT account FROM members WHERE room = $1 UNION SELECT created_by FROM rooms WHERE key = $1)
            ORDER BY id
            """, [.int(key)]
        ) { row throws(StoreError) in
            let account = AccountTable.account(row, from: 0)
            try export.put("account") { json in
                json.member("id", account.id)
                json.member("sub", account.sub)
                json.member("email", account.email)
                json.member("username", account.profile?.username)
                json.member("firstName", account.profile?.firstName)
                json.member("dateOfBirth", account.profile?.dateOfBirth)
                json.member("avatarUrl", account.profile?.avatarURL)
                json.member("createdAt", Int(account.createdAt))
                json.member("updatedAt", Int(account.updatedAt))
            }
        }
        try database.each(
            "SELECT account, place, joined_at, left_at FROM members WHERE room = $1 ORDER BY place", [.int(key)]
        ) { row throws(StoreError) in
            try export.put("member") { json in
                json.member("account", row.text(0))
                json.member("place", Int(row.int(1)))
                json.member("joinedAt", Int(row.int(2)))
                json.member("leftAt", row.optionalInt(3))
            }
        }
        self = export
    }

    private mutating func writeElements(_ key: Int64) throws(StoreError) {
        var export = self
        try database.each(
            """
            SELECT id, seq, kind, created_by, created_at, version, updated_at, updated_by, creation,
                position_x, position_y, width, height, content, image_url, audio_url, duration, z, color,
                deleted_at, created_seq
            FROM elements WHERE room = $1 ORDER BY created_seq
            """, [.int(key)]
        ) { row throws(StoreError) in
            let stored = ElementColumns.stored(row, from: 0)
            try export.put("element") { Self.write(stored, row, &$0) }
        }
        self = export
    }

    private static func write(_ stored: StoredElement, _ row: any SQLRow, _ json: inout JSONWriter) {
        let element = stored.element
        json.member("id", element.id)
        json.member("kind", element.kind.rawValue)
        json.member("createdBy", raw: element.createdBy.span)
        json.member("createdAt", Int(element.createdAt))
        json.member("createdSeq", Int(row.int(20)))
        json.member("seq", Int(clamping: stored.seq))
        json.member("version", element.version)
        json.member("updatedAt", element.updatedAt)
        if !element.updatedBy.isEmpty { json.member("updatedBy", raw: element.updatedBy.span) }
        json.member("creation", stored.creation)
        json.member("deletedAt", row.optionalInt(19))
        json.key("values")
        json.beginArray()
        for value in element.values {
            if value.isEmpty { json.null() } else { json.raw(value.span) }
        }
        json.endArray()
    }
}

extension JSONWriter {
    /// A member only where there is something.
    fileprivate mutating func member(_ key: String, _ value: String?) {
        if let value { member(key, value) }
    }

    fileprivate mutating func member(_ key: String, _ value: Int64?) {
        if let value { member(key, Int(value)) }
    }
}
