import Rooms
import Wire

/// Reads a file of `RoomExport` into a data directory that no server uses, all of it or nothing.
///
/// The subject of a user's tokens identifies the user. A user who exists already is not changed. A username that
/// another user has by now is left out, so that its user chooses a new one.
package struct RoomImport {
    package struct Report: Sendable, Equatable {
        package let room: String
        package let elements: Int
        /// Accounts that were made.
        package let accounts: Int
    }

    private let database: any SQLConnection
    private var lines = 0
    private var room: (key: Int64, id: String)?
    private var creator: String?
    private var accountByExportedID: [String: String] = [:]
    private var elements = 0
    private var tombstones = 0
    private var accounts = 0
    private var isEnded = false

    /// - Parameter next: the next line, with or without its line feed; nil after the last.
    package static func run(
        into path: String, next: () throws(StoreError) -> [UInt8]?
    ) throws(StoreError) -> Report {
        let directory = try DataDirectory(path)
        defer { directory.release() }
        let database = try SQLiteConnection(.file(directory.databasePath), .create, lockMillisecondsMax: 1_000)
        try database.script("PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON")
        try database.transaction { () throws(StoreError) in try Migrations.run(database) }
        return try database.transaction { () throws(StoreError) in
            var reading = RoomImport(database)
            while let line = try next() { try reading.take(line) }
            return try reading.finish()
        }
    }

    private init(_ database: any SQLConnection) {
        self.database = database
    }

    private static let keys = JSONKeys("type")

    private mutating func take(_ line: [UInt8]) throws(StoreError) {
        lines += 1
        guard !isEnded else { throw fault("comes after the end") }
        guard let head = try? JSON.fields(Self.keys, of: line.span) else { throw fault("is not a JSON object") }
        switch head[0].string(in: line.span) {
        case "room" where lines == 1: try takeRoom(line)
        case "account" where room != nil: try takeAccount(line)
        case "member" where room != nil: try takeMember(line)
        case "element" where room != nil: try takeElement(line)
        case "end" where room != nil: try takeEnd(line)
        default: throw fault("is nothing that could stand there")
        }
    }

    private func fault(_ problem: String) -> StoreError { .conflict("Line \(lines) \(problem).") }

    private func finish() throws(StoreError) -> Report {
        guard isEnded, let room else { throw .conflict("The end is missing after line \(lines).") }
        try database.run(
            "UPDATE rooms SET created_by = $2, element_count = $3, tombstone_count = $4 WHERE key = $1",
            .int(room.key), .optional(creator.flatMap { accountByExportedID[$0] }), .int(elements), .int(tombstones))
        return Report(room: room.id, elements: elements, accounts: accounts)
    }

    // MARK: Lines

    private static let roomKeys = JSONKeys(
        "format", "id", "name", "createdBy", "createdAt", "updatedAt", "closedAt", "seq", "forgottenSeq")

    private mutating func takeRoom(_ line: [UInt8]) throws(StoreError) {
        let fields = try Line(Self.roomKeys, line, number: lines)
        guard try fields.int(0) == Int64(RoomExport.format) else { throw fault("is of a format that is not known") }
        let id = try fields.text(1)
        let isTaken = try database.first("SELECT 1 FROM rooms WHERE id = $1", .text(id)) { _ in true }
        guard isTaken == nil else { throw .conflict("Room \(id) is there already.") }
        try database.run(
            """
            INSERT INTO rooms (id, name, created_at, active_at, closed_at, seq, forgotten_seq)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """, .text(id), .optional(try fields.optionalText(2)), .int(try fields.int(4)), .int(try fields.int(5)),
            .optional(try fields.optionalInt(6)), .int(try fields.int(7)), .int(try fields.int(8)))
        creator = try fields.optionalText(3)
        room = (try RoomTable(database).key(id), id)
    }

    private static let accountKeys = JSONKeys(
        "id", "sub", "email", "username", "firstName", "dateOfBirth", "avatarUrl", "createdAt", "updatedAt")

    private mutating func takeAccount(_ line: [UInt8]) throws(StoreError) {
        let fields = try Line(Self.accountKeys, line, number: lines)
        let (id, sub) = (try fields.text(0), try fields.text(1))
        if let known = try AccountTable(database).account(sub: sub) {
            accountByExportedID[id] = known.id
            return
        }
        if try AccountTable(database).account(id) != nil { throw fault("has the id of somebody else") }
        var username = try fields.optionalText(3)
        if let name = username {
            let isTaken = try database.first(
                "SELECT 1 FROM accounts WHERE lower(username) = $1", .name(name)
            ) { _ in true }
            if isTaken != nil { username = nil }
        }
        let hasProfile = username != nil
        try database.run(
            """
            INSERT INTO accounts (id, sub, email, username, first_name, date_of_birth, avatar_url, created_at,
                updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """, .text(id), .text(sub), .text(try fields.text(2)), .optional(username),
            .optional(hasProfile ? try fields.text(4) : nil), .optional(hasProfile ? try fields.int(5) : nil),
            .optional(hasProfile ? try fields.optionalText(6) : nil), .int(try fields.int(7)),
            .int(try fields.int(8)))
        accountByExportedID[id] = id
        accounts += 1
    }

    private static let memberKeys = JSONKeys("account", "place", "joinedAt", "leftAt")

    private func takeMember(_ line: [UInt8]) throws(StoreError) {
        let fields = try Line(Self.memberKeys, line, number: lines)
        guard let room, let account = accountByExportedID[try fields.text(0)] else {
            throw fault("is of an account that was not there before")
        }
        try database.run(
            "INSERT INTO members (account, room, place, joined_at, left_at) VALUES ($1, $2, $3, $4, $5)",
            .text(account),
            .int(room.key), .int(try fields.int(1)), .int(try fields.int(2)), .optional(try fields.optionalInt(3)))
    }

    private static let elementKeys = JSONKeys(
        "id", "kind", "createdBy", "createdAt", "createdSeq", "seq", "version", "updatedAt", "updatedBy", "creation",
        "deletedAt", "values")

    private mutating func takeElement(_ line: [UInt8]) throws(StoreError) {
        let fields = try Line(Self.elementKeys, line, number: lines)
        guard let room else { throw fault("has no room") }
        let kind = try fields.text(1)
        guard Element.Kind(rawValue: kind) != nil else { throw fault("is of a kind that is not known") }
        let values = try fields.values(11, count: Element.Field.allCases.count)
        let deletedAt = try fields.optionalInt(10)
        let isWhole = Element.Field.allCases.allSatisfy { !$0.isRequired || !values[$0.rawValue].isEmpty }
        guard deletedAt != nil || isWhole else { throw fault("lacks a place or a size") }
        try database.run(
            """
            INSERT INTO elements (room, id, kind, created_by, created_at, created_seq, seq, version, updated_at,
                updated_by, creation, deleted_at, position_x, position_y, width, height, content, image_url, audio_url,
                duration, z, color)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                $22)
            """, .int(room.key), .text(try fields.text(0)), .text(kind), .json(try fields.json(2)),
            .int(try fields.int(3)), .int(try fields.int(4)), .int(try fields.int(5)), .int(try fields.int(6)),
            .optional(try fields.optionalInt(7)), .optional(json: fields.optionalJSON(8)),
            .optional(try fields.optionalText(9)), .optional(deletedAt), .optional(json: values[0]),
            .optional(json: values[1]), .optional(json: values[2]), .optional(json: values[3]),
            .optional(json: values[4]), .optional(json: values[5]), .optional(json: values[6]),
            .optional(json: values[7]), .optional(json: values[8]), .optional(json: values[9]))
        if deletedAt == nil { elements += 1 } else { tombstones += 1 }
    }

    private static let endKeys = JSONKeys("lines")

    private mutating func takeEnd(_ line: [UInt8]) throws(StoreError) {
        let fields = try Line(Self.endKeys, line, number: lines)
        guard try fields.int(0) == Int64(lines - 1) else { throw fault("tells of another number of lines") }
        isEnded = true
    }
}

/// The members of a line, each with its type.
private struct Line {
    private let bytes: [UInt8]
    private let fields: JSONFields
    private let number: Int

    init(_ keys: JSONKeys, _ bytes: [UInt8], number: Int) throws(StoreError) {
        guard let fields = try? JSON.fields(keys, of: bytes.span) else {
            throw .conflict("Line \(number) is not a JSON object.")
        }
        self.bytes = bytes
        self.fields = fields
        self.number = number
    }

    private func fault() -> StoreError { .conflict("Line \(number) lacks a member, or it is of another type.") }

    func text(_ index: Int) throws(StoreError) -> String {
        guard let text = fields[index].string(in: bytes.span) else { throw fault() }
        return text
    }

    func int(_ index: Int) throws(StoreError) -> Int64 {
        guard let int = fields[index].int(in: bytes.span) else { throw fault() }
        return Int64(int)
    }

    func optionalText(_ index: Int) throws(StoreError) -> String? { fields[index].isAbsent ? nil : try text(index) }
    func optionalInt(_ index: Int) throws(StoreError) -> Int64? { fields[index].isAbsent ? nil : try int(index) }

    func json(_ index: Int) throws(StoreError) -> [UInt8] {
        guard !fields[index].isAbsent else { throw fault() }
        return Array(bytes[fields[index].range])
    }

    func optionalJSON(_ index: Int) -> [UInt8] { fields[index].isAbsent ? [] : Array(bytes[fields[index].range]) }

    /// Items of an array; null stands for none.
    func values(_ index: Int, count: Int) throws(StoreError) -> [[UInt8]] {
        guard fields[index].kind == .array else { throw fault() }
        var items = JSONItems(range: fields[index].range)
        var values: [[UInt8]] = []
        while let item = (try? items.next(in: bytes.span)) ?? nil {
            values.append(item.isNull ? [] : Array(bytes[item.range]))
        }
        // A line of an older server has fewer.
        guard values.count <= count else { throw fault() }
        return values + Array(repeating: [], count: count - values.count)
    }
}
