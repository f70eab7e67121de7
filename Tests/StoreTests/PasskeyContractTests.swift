import Testing

@testable import Store

/// What every store promises of passkeys.
@Suite("Passkeys", .timeLimit(.minutes(1)))
struct PasskeyContractTests {
    private func passkey(_ id: String, of person: String, signatures: Int64 = 0, at now: Int64 = 10) -> Passkey {
        Passkey(
            id: id, person: person, name: "Phone", algorithm: -7, publicKey: "key", signatures: signatures,
            createdAt: now, usedAt: now)
    }

    private func signUp(_ id: String, with passkey: Passkey, in store: any ServerStore) async throws -> AccountHolder {
        let new = NewPerson(id: id, name: "Ann", email: "", passwordHash: nil, at: 10)
        let person: AccountHolder = try await told { store.addPerson(new, with: passkey, then: $0) }
        let session = NewSession(
            id: "session of \(id)", person: id, app: "rooms", agent: "a", at: 10, endsAt: 100, refresh: nil,
            passkey: passkey.id)
        _ = try await told { store.beginSession(session, then: $0) }
        return person
    }

    private func add(_ passkey: Passkey, password: String? = nil, to store: any ServerStore) async throws {
        let proof = PersonProof(password: password, session: "session of \(passkey.person)")
        try await told { store.addPasskey(passkey, showing: proof, then: $0) }
    }

    @Test("make a person, who may have more of them", arguments: Backend.allCases)
    func added(backend: Backend) async throws {
        try await withStore(backend) { store in
            let ann = try await signUp("ann", with: passkey("one", of: "ann"), in: store)
            #expect(ann == AccountHolder(id: "ann", name: "Ann", email: "", createdAt: 10, updatedAt: 10))
            let more = passkey("two", of: "ann", at: 11)
            try await add(more, to: store)
            let known = try await told { store.passkey("two", then: $0) }
            #expect(known?.passkey == more && known?.person.id == "ann")
            #expect(try await told { store.passkeys(of: "ann", then: $0) }.map(\.id) == ["one", "two"])
            #expect(try await told { store.passkey("three", then: $0) } == nil)
        }
    }

    @Test("belong to one person each, who has a bound of them", arguments: Backend.allCases)
    func refused(backend: Backend) async throws {
        try await withStore(backend) { store in
            _ = try await signUp("ann", with: passkey("one", of: "ann"), in: store)
            await #expect(throws: StoreError.taken("passkey")) {
                _ = try await signUp("bob", with: passkey("one", of: "bob"), in: store)
            }
            #expect(try await told { store.person("bob", then: $0) } == nil)
            await #expect(throws: StoreError.notFound("user")) {
                try await add(passkey("x", of: "nobody"), to: store)
            }
            for number in 2...20 {
                try await add(passkey("\(number)", of: "ann"), to: store)
            }
            await #expect(throws: StoreError.conflict("A person has at most 20 passkeys.")) {
                try await add(passkey("last", of: "ann"), to: store)
            }
        }
    }

    @Test("count on with each use, or not at all", arguments: Backend.allCases)
    func used(backend: Backend) async throws {
        try await withStore(backend) { store in
            _ = try await signUp("ann", with: passkey("one", of: "ann"), in: store)
            func use(_ signatures: Int64, at now: Int64) async throws -> Bool {
                try await told { store.usePasskey("one", signatures: signatures, at: now, then: $0) }
            }
            for now in 20...21 as ClosedRange<Int64> { #expect(try await use(0, at: now)) }
            #expect(try await use(5, at: 22))
            for signatures in [5, 4, 0] as [Int64] { #expect(try await use(signatures, at: 23) == false) }
            let known = try await told { store.passkey("one", then: $0) }?.passkey
            #expect(known?.signatures == 5 && known?.usedAt == 22)
        }
    }

    @Test("go unless they are the only way in, and with their person", arguments: Backend.allCases)
    func removed(backend: Backend) async throws {
        try await withStore(backend) { store in
            _ = try await signUp("ann", with: passkey("one", of: "ann"), in: store)
            func remove(_ id: String, of person: String) async throws -> Bool {
                try await told { store.removePasskey(id, of: person, then: $0) }
            }
            await #expect(throws: StoreError.conflict("The passkey is the only way to sign in to the account.")) {
                _ = try await remove("one", of: "ann")
            }
            #expect(try await told { store.passkeys(of: "ann", then: $0) }.count == 1)
            try await add(passkey("two", of: "ann"), to: store)
            let bob = NewPerson(id: "bob", name: "Bob", email: "bob@example.org", passwordHash: "h", at: 10)
            let _: AccountHolder = try await told { store.addPerson(bob, then: $0) }
            #expect(try await remove("one", of: "bob") == false)
            #expect(try await remove("one", of: "ann"))
            let session = NewSession(
                id: "session of bob", person: "bob", app: "rooms", agent: "a", at: 10, endsAt: 100, refresh: nil,
                password: "h")
            _ = try await told { store.beginSession(session, then: $0) }
            try await add(passkey("three", of: "bob"), password: "h", to: store)
            #expect(try await remove("three", of: "bob"))
            #expect(try await told { store.removePerson("ann", at: 20, then: $0) }.rooms == [])
            #expect(try await told { store.passkey("two", then: $0) } == nil)
        }
    }

    @Test("come and let in only while what was shown is still so", arguments: Backend.allCases)
    func overtaken(backend: Backend) async throws {
        try await withStore(backend) { store in
            let eve = NewPerson(id: "eve", name: "Eve", email: "eve@example.org", passwordHash: "one", at: 10)
            let _: AccountHolder = try await told { store.addPerson(eve, then: $0) }
            let session = NewSession(
                id: "session of eve", person: "eve", app: "rooms", agent: "a", at: 10, endsAt: 100, refresh: nil,
                password: "one")
            _ = try await told { store.beginSession(session, then: $0) }
            for wrong in ["two", nil] as [String?] {
                await #expect(throws: StoreError.notFound("user")) {
                    try await add(passkey("one", of: "eve"), password: wrong, to: store)
                }
            }
            try await add(passkey("one", of: "eve"), password: "one", to: store)
            // A reset of an address that nobody had shown takes passkeys away, and ends the sessions.
            let ended = try await told {
                store.resetPassword("two", of: "eve", showing: "eve@example.org", at: 20, then: $0)
            }
            #expect(ended == ["session of eve"])
            #expect(try await told { store.passkeys(of: "eve", then: $0) } == [])
            await #expect(throws: StoreError.notFound("user")) {
                try await add(passkey("two", of: "eve"), password: "two", to: store)
            }
            let late = NewSession(
                id: "late", person: "eve", app: "rooms", agent: "a", at: 20, endsAt: 100, refresh: nil, passkey: "one")
            await #expect(throws: StoreError.notFound("user")) {
                _ = try await told { store.beginSession(late, then: $0) }
            }
        }
    }
}
