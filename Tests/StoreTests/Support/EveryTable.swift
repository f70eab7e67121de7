@testable import Store

/// A store with rows in every table that is moved.
enum EveryTable {
    static func fill(_ place: DatabaseStore.Place) async throws {
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

    private static func fillCodes(_ store: DatabaseStore, phone: String, email: String) async throws {
        let recipients = [
            CodeRecipient.signIn(phone: phone), CodeRecipient.newPassword(email: email),
            CodeRecipient.address("eva@example.com", of: "eva"),
        ]
        for recipient in recipients {
            let code = CodeRecord(
                recipient: recipient, signingKey: "k", hash: "h", address: "192.0.2.7", endsAt: 2_000_000)
            try await told { store.keepCode(code, then: $0) }
        }
        let limits = [
            Allowance("owner:192.0.2.7", most: 9, seconds: 1_000_000, person: "eva"),
            Allowance("day:\(recipients[0])", most: 9, seconds: 1_000_000),
        ]
        try await told { store.spend(limits, at: 999_000, then: $0) }
    }

    private static func fillPeople(_ store: DatabaseStore) async throws {
        let person = NewPerson(id: "dan", name: "Dan", email: "dan@example.org", passwordHash: "h", at: 10)
        let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
        let session = NewSession(
            id: "s", person: "dan", app: "rooms", agent: "phone", at: 10, endsAt: 2_000_000,
            refresh: RefreshSecret(key: "k", hash: "h", network: "n", rotatedAt: 10))
        _ = try await told { store.beginSession(session, then: $0) }
        let ban = Ban(BanSubject(.person, "mallory"), reason: "", madeAt: 10, endsAt: 2_000_000)
        try await told { store.keepBan(ban, then: $0) }
        let own = Ban(BanSubject(.person, "eva"), reason: "", madeAt: 10, endsAt: 2_000_000)
        try await told { store.keepBan(own, then: $0) }
        try await told { store.addAudit(.sample("a", at: 999_000_000), then: $0) }
        let key = SigningKeyRecord(id: "k", secret: "s", createdAt: 10)
        try await told { store.addSigningKey(key, isFirst: true, then: $0) }
        let message = Message(id: "m", person: "dan", sender: nil, kind: .info, content: "c", createdAt: 10)
        let _: Message = try await told { store.addMessage(message, then: $0) }
        let word = Message(id: "n", person: "mallory", sender: "dan", kind: .info, content: "c", createdAt: 10)
        let mallory = NewPerson(id: "mallory", name: "", email: "", passwordHash: nil, at: 10)
        let _: AccountHolder = try await told { store.addPerson(mallory, then: $0) }
        let _: Message = try await told { store.addMessage(word, then: $0) }
        let phone = Credential(.phone, "+14155550123", email: "eva@example.com")
        let eva = NewPerson(id: "eva", name: "", email: "", passwordHash: nil, at: 10)
        let _: AccountHolder = try await told { store.person(with: phone, orNew: eva, then: $0) }
        let _: Int64 = try await told { store.number(of: "eva", then: $0) }
        try await fillCodes(store, phone: phone.subject, email: person.email)
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
}
