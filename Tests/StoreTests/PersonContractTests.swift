import Testing

@testable import Store

/// What every store promises of people with an account of the server.
@Suite("People", .timeLimit(.minutes(1)))
struct PersonContractTests {
    private func add(_ name: String, to store: any ServerStore, at: Int64 = 10) async throws -> AccountHolder {
        let person = NewPerson(
            id: name, name: name.capitalized, email: "\(name)@example.org", passwordHash: "hash of \(name)", at: at)
        return try await told { store.addPerson(person, then: $0) }
    }

    @Test("are found by id and by address, without regard to case", arguments: Backend.allCases)
    func found(backend: Backend) async throws {
        try await withStore(backend) { store in
            let ann = try await add("ann", to: store)
            #expect(
                ann == AccountHolder(id: "ann", name: "Ann", email: "ann@example.org", createdAt: 10, updatedAt: 10))
            #expect(try await told { store.person("ann", then: $0) } == ann)
            #expect(try await told { store.person("ANN", then: $0) } == nil)
            let found = try await told { store.credentials(email: "ANN@Example.org", then: $0) }
            #expect(found == Credentials(person: ann, passwordHash: "hash of ann"))
            #expect(try await told { store.credentials(email: "an@example.org", then: $0) } == nil)
            // With the same id they are a user of rooms.
            let account = try await told { store.account("ann", then: $0) }
            #expect(account?.sub == "ann" && account?.email == "" && account?.profile == nil)
        }
    }

    @Test("have addresses of their own, whatever the case", arguments: Backend.allCases)
    func addresses(backend: Backend) async throws {
        try await withStore(backend) { store in
            _ = try await add("ann", to: store)
            _ = try await add("bob", to: store)
            let twin = NewPerson(id: "x", name: "X", email: "Ann@example.org", passwordHash: nil, at: 10)
            await #expect(throws: StoreError.taken("email")) {
                let _: AccountHolder = try await told { store.addPerson(twin, then: $0) }
            }
            #expect(try await told { store.account("x", then: $0) } == nil)
            func change(_ id: String, _ name: String?, _ email: String?) async throws -> AccountHolder {
                let old = try await told { store.person(id, then: $0) }?.email ?? ""
                let address = email.map { AddressChange(from: old, to: $0) }
                return try await told { store.changePerson(id, name: name, email: address, at: 12, then: $0) }
            }
            await #expect(throws: StoreError.taken("email")) { _ = try await change("bob", nil, "ANN@example.org") }
            await #expect(throws: StoreError.notFound("user")) { _ = try await change("nobody", "N", nil) }
            let changed = try await change("bob", "Robert", nil)
            #expect(changed.name == "Robert" && changed.email == "bob@example.org" && changed.updatedAt == 12)
            #expect(try await change("bob", nil, "BOB@example.org").email == "BOB@example.org")
            #expect(try await told { store.account("bob", then: $0) }?.email == "")
        }
    }

    /// A token of before, and a change that was begun before, made the old address the person's again.
    @Test("keep the address that they have shown", arguments: Backend.allCases)
    func shownAddress(backend: Backend) async throws {
        try await withStore(backend) { store in
            let ann = try await add("ann", to: store)
            let shown: AccountHolder = try await told {
                store.setEmail("new@example.org", of: "ann", at: 20, then: $0)
            }
            #expect(shown.email == "new@example.org" && shown.emailVerifiedAt == 20)
            let account: Account = try await told {
                store.signIn(sub: "ann", email: ann.email, newID: "ann", at: 21, then: $0)
            }
            #expect(account.email == "new@example.org")
            #expect(try await told { store.account("ann", then: $0) }?.email == "new@example.org")
            // As an earlier version may have left it.
            let rows = try #require(store as? DatabaseStore)
            let _: Int = try await told {
                rows.write(then: $0) { (database) throws(StoreError) in
                    try database.run("UPDATE accounts SET email = 'ann@example.org'")
                }
            }
            let mended: Account = try await told {
                store.signIn(sub: "ann", email: ann.email, newID: "ann", at: 21, then: $0)
            }
            #expect(mended.email == "new@example.org")
            await #expect(throws: StoreError.conflict("The e-mail address was changed meanwhile.")) {
                let late = AddressChange(from: ann.email, to: ann.email)
                let _: AccountHolder = try await told {
                    store.changePerson("ann", name: "A", email: late, at: 22, then: $0)
                }
            }
            #expect(try await told { store.person("ann", then: $0) } == shown)
            let letters = AddressChange(from: "new@example.org", to: "New@example.org")
            let _: AccountHolder = try await told {
                store.changePerson("ann", name: nil, email: letters, at: 23, then: $0)
            }
            #expect(try await told { store.account("ann", then: $0) }?.email == "New@example.org")
        }
    }

    @Test("are listed in parts, the first to come first", arguments: Backend.allCases)
    func listed(backend: Backend) async throws {
        try await withStore(backend) { store in
            for (index, name) in ["dan", "ann", "bob", "cat"].enumerated() {
                _ = try await add(name, to: store, at: index < 2 ? 1 : Int64(index))
            }
            func part(_ limit: Int, _ offset: Int) async throws -> ([String], Int) {
                let part = try await told { store.people(PartRequest(limit: limit, offset: offset), then: $0) }
                return (part.items.map(\.id), part.total)
            }
            #expect(try await part(3, 0) == (["ann", "dan", "bob"], 4))
            #expect(try await part(3, 3) == (["cat"], 4))
            #expect(try await part(3, 9) == ([], 4))
        }
    }

    @Test("have a password that is replaced only if it is the one that was checked", arguments: Backend.allCases)
    func passwords(backend: Backend) async throws {
        try await withStore(backend) { store in
            _ = try await add("ann", to: store)
            func set(_ hash: String, insteadOf old: String?) async throws -> String? {
                try await told { store.setPassword(hash, of: "ann", insteadOf: old, then: $0) }
                return try await told { store.credentials(email: "ann@example.org", then: $0) }?.passwordHash
            }
            #expect(try await set("new", insteadOf: "another") == "hash of ann")
            #expect(try await set("new", insteadOf: nil) == "hash of ann")
            #expect(try await set("new", insteadOf: "hash of ann") == "new")
        }
    }

    @Test("are removed with all that is theirs, and stay a former member of rooms", arguments: Backend.allCases)
    func removed(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 20
        try await withStore(backend, limits: limits, now: { 1 }) { store in
            for name in ["ann", "bob"] {
                _ = try await add(name, to: store)
                let profile = Profile(username: name, firstName: name.capitalized, dateOfBirth: 0)
                let _: Account = try await told {
                    store.setProfile(profile, .new(file: nil), of: name, at: 11, then: $0)
                }
            }
            try await store.made("r", by: "ann", with: "bob")
            try await told { store.setDevice("phone", of: "ann", session: nil, at: 1, then: $0) }
            let session = NewSession(
                id: "s", person: "ann", app: "rooms", agent: "", at: 10, endsAt: 99, refresh: nil)
            _ = try await told { store.beginSession(session, then: $0) }
            for (id, person, sender) in [("m1", "ann", "bob"), ("m2", "bob", "ann")] {
                let message = Message(
                    id: id, person: person, sender: sender, kind: .info, content: "c", createdAt: 11)
                let _: Message = try await told { store.addMessage(message, then: $0) }
            }
            for key in ["m", "n"] {
                let file = MediaRecord(
                    key: key, owner: "ann", kind: "avatar", mime: "image/png", byteCount: 9, createdAt: 1)
                try await told { store.addMedia(file, then: $0) }
            }
            try await told { store.setMedia(["m"], shownBy: "avatar:ann", then: $0) }
            try await told { store.setMedia(["n"], shownBy: "next-avatar:ann:1", then: $0) }
            #expect(try await told { store.removeOrphanedMedia(["m", "n"], then: $0) } == [])
            #expect(try await told { store.removePerson("ann", at: 20, then: $0) }.rooms == ["r"])
            #expect(try await told { store.removeOrphanedMedia(["m", "n"], then: $0) } == ["m", "n"])
            #expect(try await told { store.person("ann", then: $0) } == nil)
            #expect(try await told { store.session("s", at: 11, then: $0) } == nil)
            try await eventually("a message is left") { try await told { store.message("m1", then: $0) } == nil }
            #expect(try await told { store.message("m2", then: $0) }?.content == "c")
            #expect(try await told { store.devices(of: "ann", then: $0) } == [])
            let account = try await told { store.account("ann", then: $0) }
            #expect(account?.email == "" && account?.profile == nil)
            let room: RoomRecord? = try await told { store.room("r", then: $0) }
            #expect(room?.members.map(\.leftAt) == [20, nil])
            await #expect(throws: StoreError.notFound("user")) {
                let _: EndedPerson = try await told { store.removePerson("ann", at: 21, then: $0) }
            }
            // The address is free again.
            let other = NewPerson(id: "y", name: "Y", email: "ann@example.org", passwordHash: nil, at: 30)
            let _: AccountHolder = try await told { store.addPerson(other, then: $0) }
        }
    }

    @Test("get roles and keys from an operator while a server uses the store", arguments: Backend.lasting)
    func operated(backend: Backend) async throws {
        let scratch = try Scratch()
        let store = try backend.open(scratch)
        defer { store.close() }
        let place = try backend.place(scratch)
        _ = try await add("ann", to: store)
        #expect(try AccountTool.setRole(.user, of: "ann", in: place).id == "ann")
        #expect(try AccountTool.setRole(.admin, of: "ANN@example.org", in: place).role == .admin)
        #expect(try await told { store.person("ann", then: $0) }?.role == .admin)
        #expect(throws: StoreError.notFound("user")) {
            _ = try AccountTool.setRole(.admin, of: "nobody@example.org", in: place)
        }
        try AccountTool.addKey(SigningKeyRecord(id: "k", secret: "s", createdAt: 1), in: place)
        let keys = try await told { store.signingKeys(then: $0) }
        #expect(keys.map(\.id) == ["k"])
        // The store goes on as before.
        _ = try await add("bob", to: store)
    }

    /// The database ends one of the two transactions. All jobs of its group failed with it, and the store counted as failing.
    @Test("are changed by two nodes that wait for each other's rows")
    func nodes() async throws {
        let scratch = try Scratch()
        let place = DatabaseStore.Place.postgres(try PostgresServer.place(scratch.schema))
        var limits = StoreLimits.quick
        limits.groupMilliseconds = 20
        // PostgreSQL looks for such a circle after a second.
        limits.lockMillisecondsMax = 5_000
        let stores = try (1...2).map { try DatabaseStore(place, limits: limits, node: $0) }
        defer { for store in stores { store.close() } }
        let names = (0..<8).map { "p\($0)" }
        for name in names { _ = try await add(name, to: stores[0]) }
        let failed = await withTaskGroup(of: Bool.self) { group in
            for round in 0..<2 {
                for (index, store) in stores.enumerated() {
                    for name in index == 0 ? names : names.reversed() {
                        group.addTask {
                            let changed: AccountHolder? = try? await told {
                                store.changePerson(name, name: "\(round)", email: nil, at: 30, then: $0)
                            }
                            return changed == nil
                        }
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failed == 0)
    }
}
