import Rooms
import Wire

/// Checks every row of a store and reports faults. It changes nothing; a server may use the place meanwhile.
package struct StoreCheck {
    /// Past it further faults are not reported.
    package static let findingsMax = 1_000

    private let database: any SQLConnection
    private var findings: [String] = []
    private var rooms = 0
    private var elements = 0
    private var entries = 0

    package struct Report: Sendable, Equatable {
        /// Sentences; none when all is well.
        package let findings: [String]
        package let version: Int
        package let rooms: Int
        package let elements: Int
        package let entries: Int
    }

    package static func run(_ place: DatabaseStore.Place) throws(StoreError) -> Report {
        let (database, version) = try place.openReader()
        guard version > 0 else { throw .notAStore(database.shown) }
        var check = StoreCheck(database)
        try database.begin(.read)
        defer { database.rollBack() }
        for finding in try database.checkStorage() { check.find(finding) }
        // The following checks need all tables.
        if version == Migrations.newest, check.findings.isEmpty { try check.checkRows() }
        return Report(
            findings: check.findings, version: version, rooms: check.rooms, elements: check.elements,
            entries: check.entries)
    }

    private init(_ database: any SQLConnection) {
        self.database = database
    }

    private mutating func find(_ sentence: String) {
        if findings.count < Self.findingsMax { findings.append(sentence) }
    }

    private mutating func checkRows() throws(StoreError) {
        try checkRooms()
        try checkElements()
        try checkEntries()
        try checkServices()
        try checkLibrary()
    }

    // MARK: Rooms

    private mutating func checkRooms() throws(StoreError) {
        rooms = Int(try database.first("SELECT count(*) FROM rooms") { $0.int(0) } ?? 0)
        let wrong = try database.rows(
            """
            SELECT id,
                journal_count <> coalesce(j.count, 0) OR (j.count IS NULL AND journal_bytes <> 0),
                j.count IS NOT NULL AND (j.last <> rooms.seq OR j.last - j.first + 1 <> j.count),
                j.count IS NOT NULL AND (journal_oldest_at IS NULL OR journal_oldest_at > j.oldest),
                element_count <> coalesce(e.living, 0) OR tombstone_count <> coalesce(e.dead, 0),
                coalesce(e.last, 0) > rooms.seq OR forgotten_seq > rooms.seq OR active_at < created_at, losses
            FROM rooms
            LEFT JOIN (SELECT room, count(*) AS count, min(seq) AS first, max(seq) AS last,
                min(at) AS oldest FROM journal GROUP BY room) AS j ON j.room = key
            LEFT JOIN (SELECT room, count(*) - count(deleted_at) AS living, count(deleted_at) AS dead,
                max(seq) AS last FROM elements GROUP BY room) AS e ON e.room = key
            """
        ) { row in (id: row.text(0), isWrong: (1...5).map { row.bool(Int32($0)) } + [!RoomEra.isPossible(row.int(6))]) }
        let problems = [
            "does not count its journal right", "has a journal with a gap, or that does not end where the room does",
            "does not know how old its journal is", "does not count its elements right",
            "has an element or a time from beyond its end", "was lost impossibly often",
        ]
        let starts = try database.first("SELECT number FROM starts") { $0.int(0) }
        if let starts, !RoomEra.isPossible(starts) { find("The store counts an impossible number of starts.") }
        for room in wrong {
            for (problem, isWrong) in zip(problems, room.isWrong) where isWrong { find("Room \(room.id) \(problem).") }
        }
    }

    private mutating func checkElements() throws(StoreError) {
        var found: [String] = []
        var count = 0
        try database.each(
            """
            SELECT elements.id, elements.seq, kind, elements.created_by, elements.created_at, version, updated_at,
                updated_by, creation, position_x, position_y, width, height, content, image_url, audio_url, duration,
                z, color, deleted_at, created_seq, rooms.id, era
            FROM elements JOIN rooms ON rooms.key = elements.room
            """, []
        ) { row throws(StoreError) in
            count += 1
            let problem = Self.problem(row)
            if let problem, found.count < Self.findingsMax {
                found.append("Element \(row.text(0)) of room \(row.text(21)) \(problem).")
            }
        }
        elements = count
        for sentence in found { find(sentence) }
    }

    private static func problem(_ row: any SQLRow) -> String? {
        if Element.Kind(rawValue: row.text(2)) == nil { return "is of an unknown kind" }
        let element = ElementColumns.stored(row, from: 0).element
        if !isJSON(element.createdBy) { return "does not say who made it" }
        let isVersion = (1...RoomEra.versionMax).contains(row.int(5)) && RoomEra.isPossible(row.int(22))
        if !isVersion || row.int(20) < 1 || row.int(20) > row.int(1) { return "has an impossible version" }
        let isBuried = !row.isNull(19)
        for field in Element.Field.allCases {
            let value = element.values[field.rawValue]
            if isBuried, !value.isEmpty { return "was deleted and still has \(field)" }
            if !isBuried, value.isEmpty, field.isRequired { return "has no \(field)" }
            if !value.isEmpty, !isJSON(value) { return "has a \(field) that is not JSON" }
        }
        let isUpdated = element.updatedAt != nil
        if isUpdated == element.updatedBy.isEmpty || (isUpdated && !isJSON(element.updatedBy)) {
            return "does not say who changed it"
        }
        return nil
    }

    private static func isJSON(_ bytes: [UInt8]) -> Bool { (try? JSON.validate(bytes.span)) != nil }

    private mutating func checkEntries() throws(StoreError) {
        var found: [String] = []
        var count = 0
        // The journal whose entries are being read: the count of its room, less the entries so far.
        var journal: (key: Int64, room: String, uncounted: Int64)?
        func endJournal() {
            guard let journal, journal.uncounted != 0, found.count < Self.findingsMax else { return }
            found.append("Room \(journal.room) does not count its journal right.")
        }
        try database.each(
            """
            SELECT rooms.id, journal.seq, kind, json, journal_bytes, journal.room
            FROM journal JOIN rooms ON rooms.key = journal.room ORDER BY journal.room
            """, []
        ) { row throws(StoreError) in
            count += 1
            let room = row.text(0)
            let key = row.int(5)
            if journal?.key != key {
                endJournal()
                journal = (key, room, row.int(4))
            }
            journal?.uncounted -= Int64(row.byteCount(3))
            guard row.text(2).isEmpty || !Self.isJSON(row.bytes(3)), found.count < Self.findingsMax else { return }
            found.append("Entry \(row.int(1)) of room \(room) is not an event.")
        }
        endJournal()
        entries = count
        for sentence in found { find(sentence) }
    }

    // MARK: The rest

    private mutating func checkServices() throws(StoreError) {
        let people = try database.rows(
            """
            SELECT id FROM accounts
            WHERE id = '' OR (username IS NULL) <> (first_name IS NULL) OR (username IS NULL) <> (date_of_birth IS NULL)
            """
        ) { $0.text(0) }
        for person in people { find("Account \(person) has half a profile.") }
        let members = try database.rows(
            """
            SELECT rooms.id FROM members JOIN rooms ON rooms.key = members.room GROUP BY rooms.id
            HAVING count(DISTINCT place) <> count(*) OR count(CASE WHEN left_at < joined_at THEN 1 END) > 0
            """
        ) { $0.text(0) }
        for room in members { find("Room \(room) has members in one place, or who left before they came.") }
        let bans = try database.first(
            "SELECT count(*) FROM bans WHERE kind NOT IN ('person', 'address') OR subject = '' OR ends_at < made_at"
        ) { $0.int(0) }
        if let bans, bans > 0 { find("\(bans) bans are of nobody, or end before they begin.") }
        let pushes = try database.first(
            "SELECT count(*) FROM pushes WHERE attempts < 0 OR (done_at IS NOT NULL AND leased_until IS NOT NULL)"
        ) { $0.int(0) }
        if let pushes, pushes > 0 { find("\(pushes) notifications are done with and still being sent.") }
    }

    private mutating func checkLibrary() throws(StoreError) {
        let clock = try database.first("SELECT at, number FROM library_clock") { (at: $0.int(0), number: $0.int(1)) }
        var found: [String] = []
        var (at, number) = (Int64.min, Int64.min)
        try database.each(
            """
            SELECT id, changed_at, number, deleted_at IS NOT NULL AND (title IS NOT NULL OR body IS NOT NULL)
            FROM library ORDER BY number
            """, []
        ) { row throws(StoreError) in
            let isOrdered =
                row.int(1) >= at && row.int(2) > number && row.int(1) <= clock?.at ?? -1
                && row.int(2) <= clock?.number ?? -1
            (at, number) = (row.int(1), row.int(2))
            if !isOrdered { found.append("Item \(row.text(0)) of the library has a change out of order.") }
            if row.bool(3) { found.append("Item \(row.text(0)) of the library was deleted and has a text.") }
        }
        for sentence in found { find(sentence) }
    }
}
