import Testing

@testable import Store

/// What every store promises of profiles, what is connected to them, and settings.
@Suite("Profiles of people", .timeLimit(.minutes(1)))
struct ProfileContractTests {
    private func withAnn(
        _ backend: Backend, _ limits: StoreLimits = .quick, _ body: (any ServerStore) async throws -> Void
    ) async throws {
        try await withStore(backend, limits: limits) { store in
            for name in ["ann", "bob"] {
                let person = NewPerson(id: name, name: name, email: "", passwordHash: nil, at: 10)
                let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
            }
            try await body(store)
        }
    }

    private func add(_ id: String, of person: String = "ann", to store: any ServerStore) async throws -> AppProfile {
        let new = AppProfile(
            id: id, person: person, username: "user_\(id)", displayName: id, bio: "b", createdAt: 20, updatedAt: 20)
        return try await told { store.addProfile(new, by: nil, then: $0) }
    }

    private func profiles(of person: String = "ann", in store: any ServerStore) async throws -> [AppProfile] {
        try await told { store.profiles(of: person, then: $0) }
    }

    @Test("are in the order in which they were made, and one is preferred", arguments: Backend.allCases)
    func preferred(backend: Backend) async throws {
        try await withAnn(backend) { store in
            for id in ["c", "a", "b"] { _ = try await add(id, to: store) }
            _ = try await add("z", of: "bob", to: store)
            func shown() async throws -> [String] {
                try await profiles(in: store).map { $0.id + ($0.isPreferred ? "!" : "") }
            }
            let first = try await shown()
            #expect(first == ["c!", "a", "b"])
            var change = ProfileChange()
            change.isPreferred = true
            let changed: AppProfile = try await told { [change] in
                store.changeProfile("b", of: "ann", change, by: nil, at: 30, then: $0)
            }
            #expect(changed.isPreferred && changed.updatedAt == 30)
            let second = try await shown()
            #expect(second == ["c", "a", "b!"])
            #expect(try await told { store.removeProfile("b", of: "bob", by: nil, then: $0) } == false)
            #expect(try await told { store.removeProfile("b", of: "ann", by: nil, then: $0) })
            let third = try await shown()
            #expect(third == ["c!", "a"])
            #expect(try await profiles(of: "bob", in: store).first?.isPreferred == true)
        }
    }

    @Test("keep what a change does not name, and have names of their own", arguments: Backend.allCases)
    func changed(backend: Backend) async throws {
        try await withAnn(backend) { store in
            let before = try await add("a", to: store)
            func change(_ id: String, of person: String = "ann", _ set: (inout ProfileChange) -> Void) async throws
                -> AppProfile
            {
                var change = ProfileChange()
                set(&change)
                return try await told { [change] in
                    store.changeProfile(id, of: person, change, by: nil, at: 30, then: $0)
                }
            }
            let settings = Array(#"{"é":"x"}"#.utf8)
            let after = try await change("a") {
                $0.bio = ""
                $0.settings = settings
            }
            #expect(after.bio == nil && after.settings == settings)
            #expect(try await told { store.profile(ProfileID(of: "ann", "a"), then: $0) } == after)
            #expect(try await told { store.profile(ProfileID(of: "bob", "a"), then: $0) } == nil)
            #expect(after.displayName == before.displayName && after.isPreferred)
            _ = try await add("z", of: "bob", to: store)
            await #expect(throws: StoreError.taken("username")) { _ = try await change("a") { $0.username = "USER_Z" } }
            #expect(try await change("a") { $0.username = "USER_A" }.username == "USER_A")
            await #expect(throws: StoreError.notFound("profile")) { _ = try await change("z") { $0.bio = "x" } }
        }
    }

    @Test("have social accounts and applications, which go with them", arguments: Backend.allCases)
    func connections(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.connectionsOfProfileMax = 2
        try await withAnn(backend, limits) { store in
            _ = try await add("a", to: store)
            let (own, others) = (ProfileID(of: "ann", "a"), ProfileID(of: "bob", "a"))
            func link(_ id: String, _ account: String, to profile: ProfileID) async throws {
                let social = SocialAccount(id: id, platform: "x", account: account, username: "@\(id)", connectedAt: 30)
                try await told { store.link(social, to: profile, by: nil, then: $0) }
            }
            try await link("s1", "1", to: own)
            await #expect(throws: StoreError.taken("accountId")) { try await link("s2", "1", to: own) }
            await #expect(throws: StoreError.notFound("profile")) { try await link("s2", "2", to: others) }
            try await link("s2", "2", to: own)
            await #expect(throws: StoreError.conflict("A profile has at most 2 of these.")) {
                try await link("s3", "3", to: own)
            }
            let app = ConnectedApp(
                id: "p", name: "App", icon: nil, permissions: Array(#"["read"]"#.utf8), connectedAt: 30)
            try await told { store.connect(app, to: own, then: $0) }
            #expect(try await told { store.connectedApps(of: own, then: $0) } == [app])
            #expect(try await told { store.disconnect(.app, "s1", from: own, by: nil, then: $0) } == false)
            #expect(try await told { store.disconnect(.socialAccount, "s1", from: own, by: nil, then: $0) })
            #expect(try await profiles(in: store).first?.socialAccounts.map(\.id) == ["s2"])
            #expect(try await told { store.removeProfile("a", of: "ann", by: nil, then: $0) })
            _ = try await add("a", to: store)
            #expect(try await profiles(in: store).first?.socialAccounts == [])
            #expect(try await told { store.connectedApps(of: own, then: $0) } == [])
        }
    }

    @Test("are bounded for each person, and go with it", arguments: Backend.allCases)
    func bounded(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.profilesMax = 2
        try await withAnn(backend, limits) { store in
            for id in ["a", "b"] { _ = try await add(id, to: store) }
            await #expect(throws: StoreError.conflict("A person has at most 2 profiles.")) {
                _ = try await add("c", to: store)
            }
            for change in [#"{"b":2,"a":0,"c":3}"#, #"{"a":0,"a":1,"b":null}"#, #"{"c":null}"#] {
                try await told { store.changeSettings(Array(change.utf8), of: "ann", then: $0) }
            }
            #expect(try await told { store.settings(of: "ann", then: $0) } == Array(#"{"a":1}"#.utf8))
            #expect(try await told { store.settings(of: "bob", then: $0) } == [])
            #expect(try await told { store.removePerson("ann", at: 40, then: $0) }.rooms == [])
            #expect(try await profiles(in: store) == [])
            #expect(try await told { store.settings(of: "ann", then: $0) } == [])
            _ = try await add("a", of: "bob", to: store)
        }
    }

    @Test("belong to the person for whose address two different providers vouch", arguments: Backend.allCases)
    func joined(backend: Backend) async throws {
        try await withAnn(backend) { store in
            func signIn(_ kind: Credential.Kind, _ subject: String, _ id: String, _ email: String) async throws
                -> String
            {
                let new = NewPerson(
                    id: id, name: "", email: email, emailVerifiedAt: 50, passwordHash: nil, at: 50)
                let credential = Credential(kind, subject, email: email)
                let person: AccountHolder = try await told { store.person(with: credential, orNew: new, then: $0) }
                return person.id
            }
            func show(_ email: String, by id: String) async throws {
                let _: AccountHolder = try await told { store.setEmail(email, of: id, at: 60, then: $0) }
            }
            let taken = StoreError.taken("email")
            #expect(try await signIn(.google, "g", "eve", "eve@example.org") == "eve")
            #expect(try await told { store.account("eve", then: $0) }?.email == "eve@example.org")
            // A code has shown another address, for which no provider has vouched.
            try await show("other@example.org", by: "eve")
            await #expect(throws: taken) { _ = try await signIn(.apple, "o", "y", "other@example.org") }
            // The address for which one has vouched is not the person's any more: it is somebody else's.
            #expect(try await signIn(.apple, "a", "fay", "eve@example.org") == "fay")
            #expect(try await signIn(.google, "h", "x", "EVE@example.org") == "fay")
            // A provider has given the address to the next holder, who is another subject there.
            await #expect(throws: taken) { _ = try await signIn(.google, "i", "y", "eve@example.org") }
            await #expect(throws: taken) { _ = try await signIn(.apple, "b", "y", "eve@example.org") }
            #expect(
                try await told { store.credentials(of: "fay", then: $0) } == [
                    Credential(.apple, "a", email: "eve@example.org"),
                    Credential(.google, "h", email: "EVE@example.org"),
                ])
            // Somebody has shown an address by a code, and a provider has vouched there for another.
            try await show("fay@example.org", by: "ann")
            await #expect(throws: taken) { _ = try await signIn(.google, "f", "y", "fay@example.org") }
            let unverified = NewPerson(id: "dan", name: "", email: "dan@example.org", passwordHash: "h", at: 10)
            let _: AccountHolder = try await told { store.addPerson(unverified, then: $0) }
            await #expect(throws: taken) { _ = try await signIn(.google, "d", "y", "dan@example.org") }
            #expect(try await told { store.person("y", then: $0) } == nil)
        }
    }
}
