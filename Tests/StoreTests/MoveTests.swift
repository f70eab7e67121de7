import Foundation
import Rooms
import Testing

@testable import Store

@Suite("Moves", .timeLimit(.minutes(1)))
struct MoveTests {
    /// A store with rows in every table.
    private func fill(_ place: DatabaseStore.Place) async throws {
        let store = try DatabaseStore(place, limits: .quick, notifies: true, now: { 1_000_000 })
        defer { store.close() }
        try await store.people("ann", "bob", "cleo\u{1}")
        try await store.made("r", by: "ann", with: "bob")
        try await store.made("r\0", by: "bob")
        var log = SampleLog()
        try await store.appended([
            log.entry("user:joined", "{}", .came("ann")), log.created("e1", creation: "c\0"),
            log.created("e2", kind: .photo, media: ["m"]), log.updated("e1", content: "\\u0000", version: 2),
            log.deleted("e2"),
        ])
        try await store.appended((0..<1_200).map { log.created("x\($0)") })
        try await told { store.setDevice("d", of: "bob", session: nil, at: 5, then: $0) }
        let preferences = PushPreferences(types: ["a": true, "b": false], mutedRooms: ["r"])
        try await told { store.setPushPreferences(preferences, of: "bob", then: $0) }
        let push = Push(account: "bob", room: "r", type: "t", at: 100, dueAt: 100, json: Array("{}".utf8))
        let _: Int = try await told { store.enqueue([push], then: $0) }
        let phone = NewDevice(
            token: "t", platform: .ios, account: "bob", app: "app", appVersion: "1", newName: "n", session: "s")
        let _: Device = try await told { store.registerDevice(phone, at: 5, then: $0) }
        _ = try await told { store.beginDelivery(1, to: "t", counts: true, then: $0) }
        let upload = Upload(
            id: "u", account: "bob", filename: "f", mime: "m", byteCount: 9, chunkBytes: 4, createdAt: 1,
            endsAt: 2_000_000)
        try await told { store.beginUpload(upload, then: $0) }
        let _: Int64? = try await told { store.noteChunk(3, bytes: 1, of: "u", "bob", at: 2, then: $0) }
        store.sit(Seat(pid: "p", person: "ann", room: "r", incarnation: 7))
        let key = IdempotencyKey(key: "k", fingerprint: "f")
        try await told { store.keep("answer", as: key, of: "ann", at: 999_999, then: $0) }
        let media = MediaRecord(
            key: "m", owner: "ann", kind: "photo", mime: "image/png", byteCount: 9, width: 1, height: nil,
            duration: 0.1, createdAt: 10)
        try await told { store.addMedia(media, then: $0) }
        try await told { store.setMedia(["m"], shownBy: "x", then: $0) }
        let invitation = Invitation(id: "i", room: "r", maker: "ann", createdAt: 10, endsAt: 2_000_000, usesMax: 3)
        try await told { store.addInvitation(invitation, hash: "h", then: $0) }
        let recording = Recording(
            id: "rec", room: "r", starter: "ann", writer: ClusterNode(id: 0, boot: 7), startedAt: 10_000)
        try await told { store.beginRecording(recording, fence: nil, then: $0) }
        try await fillPeople(store)
        let dan = LibraryActor(id: "dan", name: "Dan")
        let story = try await LibraryContractTests.change(store, LibraryContractTests.story("One"), by: dan)
        try await LibraryContractTests.change(store, .like(.story, story.id, true), by: dan)
        let eva = LibraryActor(id: "eva", name: "Eva")
        try await LibraryContractTests.change(store, .follow("dan", true), by: eva)
    }

    private func fillPeople(_ store: DatabaseStore) async throws {
        let person = NewPerson(id: "dan", name: "Dan", email: "dan@example.org", passwordHash: "h", at: 10)
        let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
        let session = NewSession(
            id: "s", person: "dan", app: "rooms", agent: "phone", at: 10, endsAt: 2_000_000,
            refresh: RefreshSecret(key: "k", hash: "h", network: "n", rotatedAt: 10))
        _ = try await told { store.beginSession(session, then: $0) }
        let ban = Ban(BanSubject(.person, "mallory"), reason: "", madeAt: 10, endsAt: 2_000_000)
        try await told { store.keepBan(ban, then: $0) }
        try await told { store.addAudit(.sample("a", at: 999_000_000), then: $0) }
        let key = SigningKeyRecord(id: "k", secret: "s", createdAt: 10)
        try await told { store.addSigningKey(key, isFirst: true, then: $0) }
        let message = Message(id: "m", person: "dan", sender: nil, kind: .info, content: "c", createdAt: 10)
        let _: Message = try await told { store.addMessage(message, then: $0) }
        let phone = Credential(.phone, "+14155550123", email: "eva@example.com")
        let eva = NewPerson(id: "eva", name: "", email: "", passwordHash: nil, at: 10)
        let _: AccountHolder = try await told { store.person(with: phone, orNew: eva, then: $0) }
        let _: Int64 = try await told { store.number(of: "eva", then: $0) }
        let gil = NewPerson(id: "gil", name: "Gil", email: "", passwordHash: nil, at: 10)
        let passkey = Passkey(
            id: "p", person: "gil", name: "Phone", algorithm: -7, publicKey: "k", signatures: 3, createdAt: 10,
            usedAt: 10)
        let _: AccountHolder = try await told { store.addPerson(gil, with: passkey, then: $0) }
        let wallet = Wallet(id: "w", person: "gil", address: "0x1", kind: "metamask", createdAt: 10, usedAt: 10)
        let _: Wallet = try await told { store.connectWallet(wallet, showing: nil, then: $0) }
        let given = ProviderToken(id: "t", kind: .apple, client: "c", token: "t")
        try await told { store.keepProviderToken(given, of: "gil", then: $0) }
        let mood = Mood(id: "m", person: "eva", scale: 1, note: "n", feltAt: 1, createdAt: 1, updatedAt: 1)
        _ = try await told { store.addMood(mood, comparesTime: true, by: nil, then: $0) }
        let profile = AppProfile(
            id: "p", person: "eva", username: "eva", displayName: "Eva", createdAt: 1, updatedAt: 1)
        _ = try await told { store.addProfile(profile, by: nil, then: $0) }
        let (id, social) = (
            ProfileID(of: "eva", "p"),
            SocialAccount(id: "s", platform: "x", account: "1", username: "@e", connectedAt: 1)
        )
        try await told { store.link(social, to: id, by: nil, then: $0) }
        let app = ConnectedApp(id: "a", name: "App", icon: nil, permissions: Array("[]".utf8), connectedAt: 1)
        try await told { store.connect(app, to: id, then: $0) }
        try await told { store.changeSettings(Array("{}".utf8), of: "eva", then: $0) }
        let gone = NewPerson(id: "gone", name: "", email: "", passwordHash: nil, at: 10)
        let _: AccountHolder = try await told { store.addPerson(gone, then: $0) }
        let _: EndedPerson = try await told { store.removePerson("gone", at: 20, then: $0) }
    }

    private func place(_ backend: Backend, _ scratch: Scratch) throws -> DatabaseStore.Place {
        backend == .postgres ? .postgres(try PostgresServer.place(scratch.schema)) : .directory(scratch.path)
    }

    @Test("bring every row to a database of any kind and back", arguments: Backend.lasting, Backend.lasting)
    func all(from: Backend, to: Backend) async throws {
        let (first, second, third) = (try Scratch(), try Scratch(), try Scratch())
        let (source, target) = (try place(from, first), try place(to, second))
        try await fill(source)
        let counts = try StoreMove.run(from: source, to: target) { () throws(StoreError) in }
        #expect(counts.allSatisfy { $0.rows > 0 }, "\(counts)")
        #expect(counts.first { $0.table == "elements" }?.rows == 1_202)
        #expect(try StoreCheck.run(target).findings == [])
        // The new store goes on where the old one was.
        let store = try DatabaseStore(target, limits: .quick, now: { 1_000_000 })
        var log = SampleLog(seq: 1_205)
        #expect(try await store.appended([log.entry()]) == 1_206)
        try await store.made("new", by: "ann")
        let numbers = [
            try await told { store.number(of: "eva", then: $0) }, try await told { store.number(of: "dan", then: $0) },
        ]
        #expect(numbers == [1, 2])
        store.close()
        let back = try StoreMove.run(from: target, to: place(from, third)) { () throws(StoreError) in }
        #expect(back.first { $0.table == "rooms" }?.rows == 3)
        #expect(throws: StoreError.self) { try StoreMove.run(from: source, to: target) { () throws(StoreError) in } }
    }

    @Test("go on where they were interrupted, and no server starts before their end", arguments: Backend.lasting)
    func interrupted(to: Backend) async throws {
        let (first, second) = (try Scratch(), try Scratch())
        let (source, target) = (try place(.file, first), try place(to, second))
        try await fill(source)
        for pages in [1, 3] {
            var left = pages
            #expect(throws: StoreError.closed) {
                try StoreMove.run(from: source, to: target) { () throws(StoreError) in
                    left -= 1
                    if left == 0 { throw .closed }
                }
            }
            #expect(throws: StoreError.self) { try DatabaseStore(target, limits: .quick) }
        }
        let other = try place(.file, Scratch())
        #expect(throws: StoreError.self) { try StoreMove.run(from: other, to: target) { () throws(StoreError) in } }
        var pages = 0
        _ = try StoreMove.run(from: source, to: target) { () throws(StoreError) in pages += 1 }
        // Most pages were there already.
        #expect(pages < MovedTable.all.count)
        try DatabaseStore(target, limits: .quick).close()
    }

    @Test("that are refused take neither place from its server, and change nothing", arguments: Backend.lasting)
    func refused(from: Backend) async throws {
        let (first, second) = (try Scratch(), try Scratch())
        let (source, target) = (try place(from, first), try place(.postgres, second))
        try DatabaseStore(source, limits: .quick).close()
        let store = try DatabaseStore(target, limits: .quick)
        defer { store.close() }
        var log = SampleLog()
        try await store.appended([log.entry()])
        let before = try owner(second)
        #expect(throws: StoreError.conflict("\(try target.driver(.quick).shown) is not empty.")) {
            try move(source, target)
        }
        #expect(try owner(second) == before)
        #expect(try await store.appended([log.entry()]) == 2)
        // The source of a move that is refused keeps its server, too.
        let other = try place(.file, Scratch())
        let occupied = try DatabaseStore(other, limits: .quick)
        #expect(throws: StoreError.self) { try move(target, other) }
        occupied.close()
        #expect(try await store.appended([log.entry()]) == 3)
    }

    @Test("leave a database alone that nodes use, and so does a server without them")
    func nodes() async throws {
        let (scratch, other) = (try Scratch(), try Scratch())
        let (cluster, empty) = (try place(.postgres, scratch), try place(.postgres, other))
        try DatabaseStore(empty, limits: .quick).close()
        let store = try DatabaseStore(cluster, limits: .quick, node: 1)
        defer { store.close() }
        _ = try await told { store.write(then: $0, begin) }
        let refusal = StoreError.failed(try cluster.driver(.quick).shown, detail: "node 1 of a cluster uses it")
        #expect(throws: refusal) { try move(empty, cluster) }
        #expect(throws: refusal) { try move(cluster, empty) }
        #expect(throws: refusal) { try DatabaseStore(cluster, limits: .quick) }
        // A directory that a server has used is left as it was, too.
        let directory = try place(.file, Scratch())
        try DatabaseStore(directory, limits: .quick).close()
        #expect(throws: refusal) { try move(cluster, directory) }
        try DatabaseStore(directory, limits: .quick).close()
        #expect(try owner(scratch) == PostgresDriver.cluster)
        _ = try await told {
            store.write(then: $0) { (database) throws(StoreError) in
                try HomeTable(database).end(ClusterNode(id: 1, boot: 1))
            }
        }
        store.close()
        _ = try move(cluster, place(.file, Scratch()))
        try DatabaseStore(cluster, limits: .quick).close()
    }

    @Test("need a source that is there")
    func nothing() throws {
        let (first, second) = (try Scratch(), try Scratch())
        let missing = first.path + "/romos"
        #expect(throws: StoreError.self) { try move(.directory(missing), place(.postgres, second)) }
        #expect(!FileManager.default.fileExists(atPath: missing))
        let blank = try place(.postgres, Scratch())
        #expect(throws: StoreError.notAStore(try blank.driver(.quick).shown)) {
            try move(blank, place(.postgres, second))
        }
        let reader = try PostgresConnection(PostgresServer.place(second.schema), .quick, isReader: true)
        #expect(try PostgresMigrations.version(reader) == 0)
    }

    @Test("that are under way keep the place when a server tries to start on it")
    func underWay() async throws {
        let (first, second) = (try Scratch(), try Scratch())
        let (source, target) = (try place(.file, first), try place(.postgres, second))
        try await fill(source)
        var attempts = 0
        _ = try StoreMove.run(from: source, to: target) { () throws(StoreError) in
            guard attempts < 2 else { return }
            attempts += 1
            #expect(throws: StoreError.self) {
                try DatabaseStore(target, limits: .quick, node: attempts == 1 ? 1 : nil)
            }
        }
        #expect(attempts == 2)
    }

    private func move(_ from: DatabaseStore.Place, _ to: DatabaseStore.Place) throws(StoreError) -> [StoreMove.Count] {
        try StoreMove.run(from: from, to: to) { () throws(StoreError) in }
    }

    @Test("wait for a node that was killed, and so does a server without nodes")
    func killedNodes() async throws {
        let scratch = try Scratch()
        let cluster = try place(.postgres, scratch)
        let store = try DatabaseStore(cluster, limits: .quick, node: 1)
        _ = try await told {
            store.write(then: $0) { (database) throws(StoreError) in try begin(database, lease: 700) }
        }
        store.close()
        var patient = StoreLimits.quick
        patient.leaseMillisecondsMax = 60_000
        try DatabaseStore(cluster, limits: patient).close()
        #expect(try owner(scratch) != PostgresDriver.cluster)
        let database = try PostgresConnection(PostgresServer.place(scratch.schema), .quick, isReader: true)
        // Its lease has ended in the table: the next server does not wait.
        #expect(try database.first("SELECT lease_until FROM nodes") { $0.int(0) } == 0)
    }

    private func begin(_ database: any SQLConnection) throws(StoreError) -> ClusterNode? {
        try begin(database, lease: 60_000)
    }

    private func begin(_ database: any SQLConnection, lease: Int64) throws(StoreError) -> ClusterNode? {
        try HomeTable(database).begin(1, version: "1", links: 1...1, lease: lease)
    }

    /// The number of the server that has a database.
    private func owner(_ scratch: Scratch) throws -> Int64? {
        let database = try PostgresConnection(PostgresServer.place(scratch.schema), .quick, isReader: true)
        return try database.first("SELECT server FROM rooms_schema") { $0.int(0) }
    }

    @Test("know every table and every column")
    func tables() throws {
        let database = try SQLiteDriver(limits: .quick).openWriter()
        let names = try database.rows(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table'
                AND name NOT IN ('probe', 'moves', 'starts', 'nodes', 'codes', 'allowances', 'sqlite_sequence')
            """
        ) { $0.text(0) }
        #expect(Set(MovedTable.all.map(\.name)) == Set(names))
        for table in MovedTable.all {
            let columns = try database.first(
                """
                SELECT count(*) FROM pragma_table_info($1)
                -- Homes belong to one database.
                WHERE name NOT IN ('home', 'home_boot', 'epoch', 'fence', 'node')
                """, .text(table.name)
            ) { $0.int(0) }
            #expect(columns == Int64(table.columns.count), "\(table.name)")
        }
    }
}
