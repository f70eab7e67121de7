import Rooms
import Testing

@testable import Store

/// A driver may store the appends of a group together. Nobody may see that.
@Suite("Appends of a group", .timeLimit(.minutes(1)))
struct GroupAppendTests {
    /// Random changes of a room that follow from a seed.
    private struct Changes {
        var random: SplitMix
        var logs: [String: SampleLog] = [:]
        var alive: [String: [String]] = [:]
        var versions: [String: Int] = [:]

        mutating func append(to room: String, entries count: Int) -> RoomAppend {
            var log = logs[room] ?? SampleLog()
            let entries = (0..<count).map { _ in entry(room, &log) }
            logs[room] = log
            return RoomAppend(room: room, entries: entries)
        }

        private mutating func entry(_ room: String, _ log: inout SampleLog) -> JournalEntry {
            let media = random.below(3) == 0 ? ["m\(random.below(3))"] : []
            let kind: Element.Kind = media.isEmpty ? .note : .photo
            let person = "p\(random.below(3))"
            let id = alive[room, default: []].isEmpty ? nil : alive[room]?[random.below(alive[room]?.count ?? 1)]
            switch random.below(8) {
            case 0:
                let presence = Presence(
                    person, slot: random.below(2) == 0 ? nil : random.below(9), joinedAt: Int64(random.below(9)),
                    profile: Array(#"{"id":1}"#.utf8))
                return log.entry("user:joined", "{}", .came(presence))
            case 1: return log.entry("user:left", "{}", .left(person))
            case 2 where random.below(4) == 0: return log.entry("room:closed", "{}", .closed)
            case 3: return log.entry("touch:ended", #"{"x":"\u0000"}"#)
            case 4, 5:
                if let id {
                    versions[id, default: 1] += 1
                    return log.updated(id, content: "\(random.below(100))", version: versions[id] ?? 2, media: media)
                }
            case 6:
                if let id {
                    alive[room]?.removeAll { $0 == id }
                    return log.deleted(id, version: (versions[id] ?? 1) + 1)
                }
            default: break
            }
            let new = "e\(room)\(log.seq)"
            alive[room, default: []].append(new)
            return log.created(new, kind: kind, creation: random.below(2) == 0 ? "c\(log.seq)" : nil, media: media)
        }
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    /// All that a database holds of rooms, as texts.
    private func contents(_ database: any SQLConnection) throws -> [String] {
        func shown(_ sql: StaticString, _ columns: Int32) throws -> [String] {
            try database.rows(sql) { row in
                (0..<columns).map { row.isNull($0) ? "-" : row.text($0) }.joined(separator: " ")
            }
        }
        return try shown(
            """
            SELECT id, created_at, active_at, seq, element_count, tombstone_count, forgotten_seq, journal_count,
                journal_bytes, journal_oldest_at FROM rooms ORDER BY id
            """, 10)
            + shown(
                """
                SELECT rooms.id, journal.seq, kind, json, at, except_for, incarnation
                FROM journal JOIN rooms ON key = room ORDER BY rooms.id, journal.seq
                """, 7)
            + shown(
                """
                SELECT rooms.id, elements.id, elements.seq, created_seq, kind, elements.created_by, version, updated_at, updated_by,
                    creation, deleted_at, position_x, content, image_url
                FROM elements JOIN rooms ON key = room ORDER BY rooms.id, elements.id
                """, 14)
            + shown(
                "SELECT id, person, coalesce(slot, -1), joined_at, coalesce(profile, '') FROM present JOIN rooms ON key = room ORDER BY id, person",
                5)
            + shown("SELECT holder, media FROM media_uses ORDER BY holder, media", 2)
    }

    private func append(
        _ appends: [RoomAppend], to database: any SQLConnection, _ limits: StoreLimits, together: Bool
    ) throws -> [Result<UInt64, StoreError>] {
        let writing = JournalWriting(database, limits, notifies: false)
        guard !together else {
            return try database.transaction { () throws(StoreError) in try database.append(appends, writing) }
        }
        return appends.map { append in
            do throws(StoreError) {
                return try database.transaction { () throws(StoreError) in
                    try database.append([append], writing).first ?? .failure(.closed)
                }
            } catch {
                return .failure(error)
            }
        }
    }

    @Test("leave the same as one after another", arguments: Backend.allCases, 0..<6)
    func sameAsAlone(backend: Backend, seed: Int) throws {
        var limits = StoreLimits.quick
        limits.journalEntriesMax = 24
        limits.tombstonesMax = 3
        let reference = try SQLiteDriver(limits: limits).openWriter()
        let scratch = try Scratch()
        let driver = try backend.driver(scratch)
        defer { driver.release() }
        let database = try driver.openWriter()
        var changes = Changes(random: SplitMix(state: UInt64(seed)))
        for _ in 0..<20 {
            var group: [RoomAppend] = []
            for _ in 0..<(1 + changes.random.below(6)) {
                let room = "r\(changes.random.below(4))\0"
                group.append(changes.append(to: room, entries: 1 + changes.random.below(5)))
                // Once more, as a home does that does not know whether it was stored.
                if changes.random.below(4) == 0, let again = group.randomElement(using: &changes.random) {
                    group.append(again)
                }
            }
            let results = try append(group, to: database, limits, together: true)
            #expect(try append(group, to: reference, limits, together: false) == results)
        }
        #expect(try contents(database) == contents(reference))
    }

    @Test("are refused alone", arguments: Backend.allCases)
    func refused(backend: Backend) throws {
        let scratch = try Scratch()
        let driver = try backend.driver(scratch)
        defer { driver.release() }
        let database = try driver.openWriter()
        var (one, other) = (SampleLog(seq: 5, at: 10), SampleLog())
        let group = [
            RoomAppend(room: "gap", entries: [one.entry()]), RoomAppend(room: "good", entries: [other.created("e")]),
        ]
        let writing = JournalWriting(database, .quick, notifies: false)
        do throws(StoreError) {
            let results = try database.transaction { () throws(StoreError) in try database.append(group, writing) }
            #expect(results == [.failure(.outOfOrder(stored: 0)), .success(1)])
        } catch {
            // A driver may throw the refusal instead. Then nothing is stored.
            #expect(error == .outOfOrder(stored: 0))
            #expect(try database.rows("SELECT id FROM elements") { $0.text(0) } == [])
        }
    }
}
