import Testing

@testable import Store

/// What every store promises of wallets.
@Suite("Wallets", .timeLimit(.minutes(1)))
struct WalletContractTests {
    private func wallet(_ id: String, of person: String, address: String? = nil, at now: Int64 = 10) -> Wallet {
        Wallet(id: id, person: person, address: address ?? "0x\(id)", kind: "metamask", createdAt: now, usedAt: now)
    }

    /// A person with a password and a session.
    private func signUp(_ id: String, in store: any ServerStore) async throws {
        let new = NewPerson(id: id, name: id, email: "\(id)@example.org", passwordHash: "h", at: 10)
        let _: AccountHolder = try await told { store.addPerson(new, then: $0) }
        try await beginSession("session of \(id)", of: id, password: "h", in: store)
    }

    private func beginSession(
        _ session: String, of person: String, password: String? = nil, wallet: String? = nil, at now: Int64 = 10,
        in store: any ServerStore
    ) async throws {
        let new = NewSession(
            id: session, person: person, app: "rooms", agent: "a", at: now, endsAt: 100, refresh: nil,
            password: password, wallet: wallet)
        _ = try await told { store.beginSession(new, then: $0) }
    }

    private func connect(
        _ wallet: Wallet, password: String? = nil, to store: any ServerStore
    ) async throws -> Wallet {
        let proof = password.map { PersonProof(password: $0, session: "session of \(wallet.person)") }
        return try await told { store.connectWallet(wallet, showing: proof, then: $0) }
    }

    private func wallets(of person: String, in store: any ServerStore) async throws -> [Wallet] {
        try await told { store.wallets(of: person, then: $0) }
    }

    @Test("make a person, who signs in with it", arguments: Backend.allCases)
    func added(backend: Backend) async throws {
        try await withStore(backend) { store in
            let new = NewPerson(id: "ann", name: "Ann", email: "", passwordHash: nil, at: 10)
            let ann: AccountHolder = try await told { store.addPerson(new, with: wallet("1", of: "ann"), then: $0) }
            let known = try await told { store.wallet(address: "0x1", then: $0) }
            #expect(known?.person == ann && known?.wallet.isPrimary == true && known?.wallet.signsIn == true)
            try await beginSession("s", of: "ann", wallet: "1", at: 20, in: store)
            #expect(try await wallets(of: "ann", in: store).map(\.usedAt) == [20])
            let other = NewPerson(id: "bob", name: "Bob", email: "", passwordHash: nil, at: 10)
            await #expect(throws: StoreError.taken("wallet")) {
                let twice = wallet("2", of: "bob", address: "0x1")
                let _: AccountHolder = try await told { store.addPerson(other, with: twice, then: $0) }
            }
            #expect(try await told { store.person("bob", then: $0) } == nil)
        }
    }

    @Test("sign in only when what the person has shown is so", arguments: Backend.allCases)
    func shown(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await signUp("ann", in: store)
            #expect(try await connect(wallet("1", of: "ann"), to: store).signsIn == false)
            #expect(try await connect(wallet("2", of: "ann"), password: "old", to: store).signsIn == false)
            await #expect(throws: StoreError.notFound("user")) {
                try await beginSession("s", of: "ann", wallet: "1", in: store)
            }
            // The same address again, now with the password, and then without: it is one wallet, which may sign in.
            for password in ["h", nil] as [String?] {
                let again = wallet("3", of: "ann", address: "0x1", at: 30)
                let known = try await connect(again, password: password, to: store)
                #expect(known.id == "1" && known.signsIn && known.createdAt == 10 && known.usedAt == 30)
            }
            try await beginSession("s", of: "ann", wallet: "1", in: store)
        }
    }

    @Test("belong to one person each, who has a bound of them", arguments: Backend.allCases)
    func refused(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await signUp("ann", in: store)
            try await signUp("bob", in: store)
            for number in 1...20 { _ = try await connect(wallet("\(number)", of: "ann"), to: store) }
            await #expect(throws: StoreError.conflict("A person has at most 20 wallets.")) {
                _ = try await connect(wallet("21", of: "ann"), to: store)
            }
            await #expect(throws: StoreError.taken("wallet")) {
                _ = try await connect(wallet("b", of: "bob", address: "0x1"), to: store)
            }
            await #expect(throws: StoreError.notFound("user")) {
                _ = try await connect(wallet("x", of: "nobody"), to: store)
            }
        }
    }

    @Test(
        "have a primary one, and go unless one is the only way in, and with their person", arguments: Backend.allCases)
    func removed(backend: Backend) async throws {
        try await withStore(backend) { store in
            let new = NewPerson(id: "ann", name: "Ann", email: "", passwordHash: nil, at: 10)
            let _: AccountHolder = try await told { store.addPerson(new, with: wallet("1", of: "ann"), then: $0) }
            for number in 2...3 {
                _ = try await connect(wallet("\(number)", of: "ann", at: Int64(10 + number)), to: store)
            }
            func primary() async throws -> [String] {
                try await wallets(of: "ann", in: store).filter(\.isPrimary).map(\.id)
            }
            func remove(_ id: String, of person: String) async throws -> Bool {
                try await told { store.removeWallet(id, of: person, then: $0) }
            }
            #expect(try await primary() == ["1"])
            let third = try await told { store.preferWallet("3", of: "ann", then: $0) }
            #expect(third?.isPrimary == true && third?.id == "3")
            #expect(try await told { store.preferWallet("x", of: "ann", then: $0) } == nil)
            #expect(try await primary() == ["3"])
            await #expect(throws: StoreError.conflict("The wallet is the only way to sign in to the account.")) {
                _ = try await remove("1", of: "ann")
            }
            try await signUp("bob", in: store)
            #expect(try await remove("3", of: "bob") == false)
            #expect(try await remove("3", of: "ann"))
            #expect(try await primary() == ["1"])
            #expect(try await told { store.removePerson("ann", at: 20, then: $0) }.rooms == [])
            #expect(try await wallets(of: "ann", in: store) == [])
            // Somebody else may have the address then.
            #expect(try await connect(wallet("b", of: "bob", address: "0x1"), to: store).isPrimary)
        }
    }

    @Test("go with a new password for an address that nobody had shown", arguments: Backend.allCases)
    func reset(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await signUp("eve", in: store)
            _ = try await connect(wallet("1", of: "eve"), password: "h", to: store)
            let ended = try await told {
                store.resetPassword("two", of: "eve", showing: "eve@example.org", at: 20, then: $0)
            }
            #expect(ended == ["session of eve"])
            #expect(try await wallets(of: "eve", in: store) == [])
        }
    }

    @Test("keep their balances, and tell whether they have changed", arguments: Backend.allCases)
    func balances(backend: Backend) async throws {
        try await withStore(backend) { store in
            try await signUp("ann", in: store)
            _ = try await connect(wallet("1", of: "ann"), to: store)
            func keep(_ json: String, of id: String) async throws -> Bool {
                try await told { store.keepBalances(Array(json.utf8), of: id, then: $0) }
            }
            #expect(try await keep(#"{"ETH":"1.5"}"#, of: "1"))
            #expect(try await keep(#"{"ETH":"1.5"}"#, of: "1") == false)
            #expect(try await keep(#"{"ETH":"2"}"#, of: "1"))
            #expect(try await keep(#"{"ETH":"2"}"#, of: "x") == false)
        }
    }
}
