import Testing

@testable import Store

/// What every store promises of sessions and keys.
@Suite("Sessions of people", .timeLimit(.minutes(1)))
struct SessionContractTests {
    private func withAnn(
        _ backend: Backend, _ limits: StoreLimits = .quick, now: @escaping @Sendable () -> Int64 = { 1 },
        _ body: (any ServerStore) async throws -> Void
    ) async throws {
        try await withStore(backend, limits: limits, now: now) { store in
            for name in ["ann", "bob"] {
                let person = NewPerson(
                    id: name, name: name, email: "\(name)@example.org", passwordHash: nil, at: 10)
                let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
            }
            try await body(store)
        }
    }

    @discardableResult
    private func begin(
        _ id: String, of person: String = "ann", at: Int64 = 20, in store: any ServerStore, hash: String? = nil,
        password: String? = nil
    ) async throws -> [String] {
        let refresh = hash.map { RefreshSecret(key: "k", hash: $0, network: "n1", rotatedAt: at) }
        let session = NewSession(
            id: id, person: person, app: "rooms", agent: "phone", at: at, endsAt: at + 100, refresh: refresh,
            password: password)
        return try await told { store.beginSession(session, then: $0) }
    }

    @Test("last until their end or their person's word", arguments: Backend.allCases)
    func ends(backend: Backend) async throws {
        try await withAnn(backend) { store in
            try await begin("s", in: store)
            let open = try await told { store.session("s", at: 119, then: $0) }
            #expect(open?.person.id == "ann" && open?.session.agent == "phone" && open?.refresh == nil)
            #expect(try await told { store.session("s", at: 120, then: $0) } == nil)
            #expect(try await told { store.endSession("s", of: "bob", then: $0) } == false)
            #expect(try await told { store.session("s", at: 21, then: $0) } != nil)
            #expect(try await told { store.endSession("s", of: "ann", then: $0) })
            #expect(try await told { store.session("s", at: 21, then: $0) } == nil)
            for (id, at) in [("a", Int64(30)), ("b", 32), ("c", 31)] { try await begin(id, at: at, in: store) }
            try await begin("other", of: "bob", in: store)
            #expect(try await told { store.sessions(of: "ann", at: 40, then: $0) }.map(\.id) == ["b", "c", "a"])
        }
    }

    @Test("stay when they are the newest, also beside others of the same second", arguments: Backend.allCases)
    func newest(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sessionsMax = 3
        try await withAnn(backend, limits) { store in
            for number in 1...4 {
                let ended = try await begin("s\(number)", in: store)
                #expect(ended == (number > 3 ? ["s3"] : []))
            }
            #expect(try await told { store.sessions(of: "ann", at: 20, then: $0) }.map(\.id) == ["s1", "s2", "s4"])
        }
    }

    @Test("take their devices with them, but not when they get too old", arguments: Backend.allCases)
    func devices(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sessionsMax = 3
        limits.sweepMilliseconds = 20
        try await withAnn(backend, limits, now: { 150 }) { store in
            for (id, at) in [("a", Int64(20)), ("b", 60), ("c", 70)] {
                try await begin(id, at: at, in: store)
                try await told { store.setDevice("phone \(id)", of: "ann", session: id, at: at, then: $0) }
            }
            try await told { store.setDevice("another", of: "ann", session: nil, at: 5, then: $0) }
            try await told { store.setDevice("bob's", of: "bob", session: "c", at: 5, then: $0) }
            func phones() async throws -> Set<String> {
                Set(try await told { store.devices(of: "ann", then: $0) }.map(\.token))
            }
            try await eventually("the session is not swept") {
                try await told { store.sessions(of: "ann", at: 0, then: $0) }.map(\.id) == ["c", "b"]
            }
            #expect(try await told { store.endSession("a", of: "ann", then: $0) } == false)
            #expect(try await phones() == ["phone a", "phone b", "phone c", "another"])
            #expect(try await told { store.endSession("b", of: "bob", then: $0) } == false)
            #expect(try await told { store.endSession("b", of: "ann", then: $0) })
            #expect(try await phones() == ["phone a", "phone c", "another"])
            // Too many sessions.
            for (id, at) in [("d", Int64(80)), ("e", 90), ("f", 100)] { try await begin(id, at: at, in: store) }
            #expect(try await phones() == ["phone a", "another"])
            #expect(try await told { store.devices(of: "bob", then: $0) }.count == 1)
        }
    }

    private func change(
        _ old: String, to new: String, keeping session: String, in store: any ServerStore
    ) async throws -> Set<String> {
        Set(
            try await told {
                store.changePassword(new, of: "ann", insteadOf: old, keeping: session, at: 50, then: $0)
            })
    }

    private func reset(_ email: String, to new: String, in store: any ServerStore) async throws -> Set<String> {
        Set(try await told { store.resetPassword(new, of: "ann", showing: email, at: 60, then: $0) })
    }

    private func code(_ recipient: String) -> CodeRecord {
        CodeRecord(recipient: recipient, signingKey: "k", hash: "h", address: "", endsAt: 1_000)
    }

    @Test("end with a new password, and none begins with the one before", arguments: Backend.allCases)
    func passwords(backend: Backend) async throws {
        try await withAnn(backend) { store in
            _ = try await reset("ANN@example.org", to: "one", in: store)
            for id in ["a", "b", "c"] { try await begin(id, in: store, password: "one") }
            try await begin("other", of: "bob", in: store)
            await #expect(throws: StoreError.notFound("user")) {
                try await change("none", to: "two", keeping: "c", in: store)
            }
            #expect(try await change("one", to: "two", keeping: "c", in: store) == ["a", "b"])
            await #expect(throws: StoreError.notFound("user")) { try await begin("d", in: store, password: "one") }
            #expect(try await told { store.sessions(of: "ann", at: 40, then: $0) }.map(\.id) == ["c"])
            #expect(try await reset("ann@example.org", to: "three", in: store) == ["c"])
            #expect(try await told { store.sessions(of: "bob", at: 40, then: $0) }.count == 1)
            await #expect(throws: StoreError.notFound("user")) {
                try await reset("bob@example.org", to: "four", in: store)
            }
            #expect(try await told { store.credentials(email: "ann@example.org", then: $0) }?.passwordHash == "three")
        }
    }

    @Test(
        "are those of whoever shows the address: other credentials of an unverified one go", arguments: Backend.allCases
    )
    func shown(backend: Backend) async throws {
        try await withAnn(backend) { store in
            let phone = Credential(.phone, "+14155550123")
            let eve = NewPerson(id: "eve", name: "", email: "", passwordHash: nil, at: 10)
            let _: AccountHolder = try await told { store.person(with: phone, orNew: eve, then: $0) }
            let address = AddressChange(from: "", to: "vic@example.org")
            let _: AccountHolder = try await told {
                store.changePerson("eve", name: nil, email: address, at: 11, then: $0)
            }
            let _: [String] = try await told {
                store.resetPassword("p", of: "eve", showing: "vic@example.org", at: 12, then: $0)
            }
            #expect(try await told { store.credentials(of: "eve", then: $0) } == [])
            #expect(try await told { store.person("eve", then: $0) }?.emailVerifiedAt == 12)
            #expect(try await told { store.account("eve", then: $0) }?.email == "vic@example.org")
            // Now it is verified: what is added stays.
            let passkey = Passkey(
                id: "p", person: "eve", name: "", algorithm: -7, publicKey: "", signatures: 0, createdAt: 13, usedAt: 13
            )
            try await begin("s", of: "eve", in: store, password: "p")
            let proof = PersonProof(password: "p", session: "s")
            try await told { store.addPasskey(passkey, showing: proof, then: $0) }
            let _: [String] = try await told {
                store.resetPassword("q", of: "eve", showing: "vic@example.org", at: 14, then: $0)
            }
            #expect(try await told { store.passkeys(of: "eve", then: $0) } == [passkey])
        }
    }

    @Test("and addresses change: the codes that were sent for them before are of no use", arguments: Backend.allCases)
    func spoiled(backend: Backend) async throws {
        try await withAnn(backend) { store in
            let codes = [
                CodeRecipient.newPassword(email: "ann@example.org"),
                CodeRecipient.address("new@example.org", of: "ann"),
            ]
            let others = [
                CodeRecipient.newPassword(email: "bob@example.org"),
                CodeRecipient.address("new@example.org", of: "bob"), CodeRecipient.signIn(phone: "+14155550123"),
            ]
            for step in 0..<3 {
                for recipient in codes + others { try await told { store.keepCode(code(recipient), then: $0) } }
                switch step {
                case 0: _ = try await reset("ann@example.org", to: "p", in: store)
                case 1: _ = try await change("p", to: "q", keeping: "", in: store)
                default:
                    let changed = try await told { store.setEmail("ann@b.org", of: "ann", at: 70, then: $0) }
                    #expect(changed.email == "ann@b.org" && changed.emailVerifiedAt == 70)
                }
                for recipient in codes + others {
                    let tries = Allowance("tries", most: 100, seconds: 1_000)
                    let isKept = try await told {
                        store.tryCode(of: recipient, hashes: ["k": "h"], from: "", counting: tries, at: 1, then: $0)
                    }
                    #expect(isKept == others.contains(recipient), "\(step)")
                }
            }
            await #expect(throws: StoreError.taken("email")) {
                let _: AccountHolder = try await told { store.setEmail("bob@example.org", of: "ann", at: 71, then: $0) }
            }
        }
    }

    @Test("are bounded for each person", arguments: Backend.allCases)
    func bounded(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sessionsMax = 3
        try await withAnn(backend, limits) { store in
            var removed: [String] = []
            for number in 0..<5 { removed += try await begin("s\(number)", at: 20 + Int64(number), in: store) }
            #expect(removed == ["s0", "s1"])
            try await begin("other", of: "bob", at: 1, in: store)
            let ids = try await told { store.sessions(of: "ann", at: 30, then: $0) }.map(\.id)
            #expect(ids == ["s4", "s3", "s2"])
            #expect(try await told { store.sessions(of: "bob", at: 30, then: $0) }.count == 1)
        }
    }

    @Test("are refreshed once by each token", arguments: Backend.allCases)
    func rotated(backend: Backend) async throws {
        try await withAnn(backend) { store in
            try await begin("s", in: store, hash: "h1")
            func rotate(_ old: String, _ new: String, key: String = "k", at now: Int64 = 50) async throws -> Bool {
                let new = RefreshSecret(key: key, hash: new, network: "n2", rotatedAt: now)
                return try await told {
                    store.rotateSession("s", from: old, to: new, by: "tablet", until: 500, then: $0)
                }
            }
            func secret() async throws -> RefreshSecret? {
                try await told { store.session("s", at: 100, then: $0) }?.refresh
            }
            #expect(try await secret() == RefreshSecret(key: "k", hash: "h1", network: "n1", rotatedAt: 20))
            #expect(try await !rotate("h1", "h2", key: "another"))
            #expect(try await rotate("h1", "h2"))
            #expect(try await !rotate("h1", "h3"))
            #expect(try await told { store.session("s", at: 400, then: $0) }?.session.agent == "tablet")
            #expect(try await secret() == RefreshSecret(key: "k", hash: "h2", network: "n2", rotatedAt: 50))
            #expect(try await !rotate("h2", "h3", at: 500))
        }
    }

    @Test("are swept when they have ended", arguments: Backend.allCases)
    func swept(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 20
        try await withAnn(backend, limits, now: { 200 }) { store in
            try await begin("s", in: store)
            try await begin("t", at: 150, in: store)
            try await eventually("the session is kept") {
                try await told { store.sessions(of: "ann", at: 0, then: $0) }.map(\.id) == ["t"]
            }
        }
    }

    @Test("have keys, of which the newest comes first", arguments: Backend.allCases)
    func keys(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.signingKeysMax = 2
        try await withAnn(backend, limits) { store in
            func add(_ id: String, at: Int64, isFirst: Bool = false) async throws -> [String] {
                let key = SigningKeyRecord(id: id, secret: "secret", createdAt: at)
                try await told { store.addSigningKey(key, isFirst: isFirst, then: $0) }
                return try await told { store.signingKeys(then: $0) }.map(\.id)
            }
            let first = try await add("a", at: 1, isFirst: true)
            #expect(first == ["a"])
            #expect(try await add("b", at: 2, isFirst: true) == ["a"])
            #expect(try await add("c", at: 3) == ["c", "a"])
            #expect(try await add("d", at: 4) == ["d", "c"])
        }
    }

    @Test("lose a key when the last token of it has ended", arguments: Backend.allCases)
    func retiredKeys(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 20
        let (now, kept) = (Int64(1_000_000), limits.replacedKeySecondsMax)
        try await withAnn(backend, limits, now: { now }) { store in
            // The second took the place of the first long ago, and the third that of the second not yet so long ago.
            for (id, at) in [("a", now - 2 * kept), ("b", now - kept - 1), ("c", now - kept + 60), ("d", now)] {
                let key = SigningKeyRecord(id: id, secret: "secret", createdAt: at)
                try await told { store.addSigningKey(key, isFirst: false, then: $0) }
            }
            try await eventually("the key is kept") {
                try await told { store.signingKeys(then: $0) }.map(\.id) == ["d", "c", "b"]
            }
        }
    }
}
