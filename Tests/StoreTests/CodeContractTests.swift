import Testing

@testable import Store

/// What every store promises of credentials, one-time codes and limits that nodes share.
@Suite("Codes and credentials", .timeLimit(.minutes(1)))
struct CodeContractTests {
    private let tries = Allowance("tries", most: 100, seconds: 1_000)

    private func person(_ phone: String, orNew id: String, in store: any ServerStore) async throws -> AccountHolder {
        let new = NewPerson(id: id, name: "", email: "", passwordHash: nil, at: 10)
        return try await told { store.person(with: Credential(.phone, phone), orNew: new, then: $0) }
    }

    @Test("make a person once, who has a number and no address", arguments: Backend.allCases)
    func credentials(backend: Backend) async throws {
        try await withStore(backend) { store in
            let ann = try await person("+4915112345678", orNew: "ann", in: store)
            #expect(ann == AccountHolder(id: "ann", name: "", email: "", createdAt: 10, updatedAt: 10))
            #expect(try await person("+4915112345678", orNew: "x", in: store) == ann)
            #expect(try await told { store.person("x", then: $0) } == nil)
            // Several have no address.
            #expect(try await person("+14155550123", orNew: "bob", in: store).id == "bob")
            #expect(try await told { store.credentials(email: "", then: $0) } == nil)
            #expect(try await told { store.credentials(of: "ann", then: $0) } == [Credential(.phone, "+4915112345678")])
            func number(_ id: String) async throws -> Int64 { try await told { store.number(of: id, then: $0) } }
            let first = try await number("ann")
            #expect(try await number("bob") > first)
            #expect(try await number("ann") == first && first > 0)
            await #expect(throws: StoreError.notFound("user")) { _ = try await number("nobody") }
            let changed: AccountHolder = try await told {
                store.changePerson("ann", name: "Ann", email: nil, at: 11, then: $0)
            }
            #expect(changed.name == "Ann" && changed.email == "")
        }
    }

    @Test("go with their person, and the number is given out to nobody else", arguments: Backend.allCases)
    func removed(backend: Backend) async throws {
        try await withStore(backend) { store in
            _ = try await person("+4915112345678", orNew: "ann", in: store)
            let before = try await told { store.number(of: "ann", then: $0) }
            let mood = Mood(id: "m", person: "ann", scale: 3, note: nil, feltAt: 1, createdAt: 1, updatedAt: 1)
            _ = try await told { store.addMood(mood, comparesTime: true, by: nil, then: $0) }
            #expect(try await told { store.removePerson("ann", at: 20, then: $0) }.rooms == [])
            #expect(try await told { store.credentials(of: "ann", then: $0) } == [])
            #expect(try await person("+4915112345678", orNew: "new", in: store).id == "new")
            #expect(try await told { store.number(of: "new", then: $0) } > before)
        }
    }

    @Test("are good once, until their end", arguments: Backend.allCases)
    func codes(backend: Backend) async throws {
        try await withStore(backend) { store in
            func keep(_ hash: String, until end: Int64 = 100) async throws {
                let code = CodeRecord(recipient: "ann", signingKey: "k", hash: hash, address: "", endsAt: end)
                try await told { store.keepCode(code, then: $0) }
            }
            func attempt(_ hash: String, at now: Int64 = 50) async throws -> Bool {
                try await told {
                    store.tryCode(of: "ann", hashes: ["k": hash], from: "", counting: tries, at: now, then: $0)
                }
            }
            #expect(try await !attempt("h"))
            try await keep("h")
            #expect(try await !attempt("x"))
            #expect(try await !attempt("h", at: 100))
            #expect(try await attempt("h", at: 99))
            #expect(try await !attempt("h"))
            // One under another key, and one under a key that is not there any more.
            try await keep("h")
            for hashes in [[:], ["other": "h"], ["k": ""], ["k": "x", "other": "h"]] {
                #expect(
                    try await !told {
                        store.tryCode(of: "ann", hashes: hashes, from: "", counting: tries, at: 50, then: $0)
                    })
            }
            #expect(try await attempt("h"))
            // The newest code takes the place of the one before.
            try await keep("old")
            try await keep("new")
            #expect(try await !attempt("old"))
            #expect(try await attempt("new"))
        }
    }

    @Test("are of no use after five tries, those of their own address and of others apart", arguments: Backend.allCases)
    func tries(backend: Backend) async throws {
        try await withStore(backend) { store in
            let code = CodeRecord(recipient: "ann", signingKey: "k", hash: "h", address: "home", endsAt: 100)
            func attempt(_ hash: String, from address: String) async throws -> Bool {
                try await told {
                    store.tryCode(of: "ann", hashes: ["k": hash], from: address, counting: tries, at: 50, then: $0)
                }
            }
            for (address, other) in [("home", "away"), ("away", "home"), ("", "home")] {
                try await told { store.keepCode(code, then: $0) }
                for _ in 0..<5 { #expect(try await !attempt("x", from: address)) }
                #expect(try await !attempt("h", from: address))
                #expect(try await attempt("h", from: other))
            }
            try await told { store.keepCode(code, then: $0) }
            for _ in 0..<4 { #expect(try await !attempt("x", from: "home")) }
            #expect(try await attempt("h", from: "home"))
        }
    }

    @Test("count each wrong try before they are compared, with and without a code", arguments: Backend.allCases)
    func countedTries(backend: Backend) async throws {
        try await withStore(backend) { store in
            let code = CodeRecord(recipient: "ann", signingKey: "k", hash: "h", address: "home", endsAt: 100)
            let two = Allowance("tries", most: 2, seconds: 1_000)
            func attempt(_ recipient: String, _ hash: String, at now: Int64 = 50) async throws -> Bool {
                try await told {
                    store.tryCode(of: recipient, hashes: ["k": hash], from: "home", counting: two, at: now, then: $0)
                }
            }
            // A right one uses nothing.
            for _ in 0..<3 {
                try await told { store.keepCode(code, then: $0) }
                #expect(try await attempt("ann", "h"))
            }
            try await told { store.keepCode(code, then: $0) }
            let before = store.counters
            #expect(try await !attempt("nobody", "h"))
            #expect(store.counters.groups == before.groups + 1 && store.counters.jobs == before.jobs + 1)
            #expect(try await !attempt("ann", "x"))
            #expect(store.counters.groups == before.groups + 2 && store.counters.jobs == before.jobs + 2)
            // Nothing is left: a right one is not compared, and not used up either.
            for _ in 0..<7 {
                await #expect(throws: StoreError.usedUp("tries", waitSeconds: 1_000)) { try await attempt("ann", "h") }
            }
            try await told { store.keepCode(code, then: $0) }
            await #expect(throws: StoreError.usedUp("tries", waitSeconds: 990)) {
                try await attempt("ann", "h", at: 60)
            }
            let later = CodeRecord(recipient: "ann", signingKey: "k", hash: "h", address: "home", endsAt: 2_000)
            try await told { store.keepCode(later, then: $0) }
            #expect(try await attempt("ann", "h", at: 1_050))
        }
    }

    @Test("of many who try at once no more are compared than the limits allow", arguments: Backend.allCases)
    func concurrentTries(backend: Backend) async throws {
        try await withStore(backend) { store in
            let few = Allowance("tries", most: 3, seconds: 1_000)
            let outcomes = await withTaskGroup(of: String.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        do {
                            let isRight: Bool = try await told {
                                store.tryCode(
                                    of: "recipient \(number)", hashes: ["k": "x"], from: "", counting: few, at: 50,
                                    then: $0)
                            }
                            return isRight ? "right" : "wrong"
                        } catch {
                            return "refused"
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(outcomes == ["wrong": 3, "refused": 17])
        }
    }

    @Test("are sent as often as all limits allow", arguments: Backend.allCases)
    func allowances(backend: Backend) async throws {
        try await withStore(backend) { store in
            let (few, many) = (Allowance("few", most: 2, seconds: 10), Allowance("many", most: 4, seconds: 30))
            func expect(_ expected: StoreError?, _ allowances: [Allowance], at now: Int64) async throws {
                for isCheck in [true, false] {
                    var fault: StoreError?
                    do {
                        try await told {
                            isCheck
                                ? store.check(allowances, at: now, then: $0)
                                : store.spend(allowances, at: now, then: $0)
                        }
                    } catch let error as StoreError {
                        fault = error
                    }
                    #expect(fault == expected, "at \(now)")
                }
            }
            try await expect(nil, [few, many], at: 100)
            try await expect(nil, [few, many], at: 105)
            try await expect(.usedUp("few", waitSeconds: 4), [few, many], at: 106)
            // What was refused used nothing.
            try await expect(nil, [many], at: 107)
            try await expect(nil, [many], at: 108)
            try await expect(.usedUp("many", waitSeconds: 21), [few, many], at: 109)
            try await expect(nil, [few], at: 110)
            try await expect(nil, [few, many], at: 130)
            try await expect(nil, [], at: 130)
        }
    }

    @Test("are swept when they have ended", arguments: Backend.allCases)
    func swept(backend: Backend) async throws {
        var limits = StoreLimits.quick
        limits.sweepMilliseconds = 20
        limits.endedAllowanceSecondsMax = 0
        try await withStore(backend, limits: limits, now: { 200 }) { store in
            for (name, end) in [("old", Int64(200)), ("new", 201)] {
                let code = CodeRecord(recipient: name, signingKey: "k", hash: "h", address: "", endsAt: end)
                try await told { store.keepCode(code, then: $0) }
                let allowance = Allowance(name, most: 1, seconds: end)
                try await told { store.spend([allowance], at: 0, then: $0) }
            }
            try await eventually("the allowance is kept") {
                let old = [Allowance("old", most: 1, seconds: 1)]
                return (try? await told { store.check(old, at: 0, then: $0) }) != nil
            }
            // One statement of the sweep is for codes, which came before.
            for (name, isKept) in [("old", false), ("new", true)] {
                #expect(
                    try await told {
                        store.tryCode(of: name, hashes: ["k": "h"], from: "", counting: tries, at: 0, then: $0)
                    } == isKept)
            }
            await #expect(throws: StoreError.usedUp("new", waitSeconds: 201)) {
                try await told { store.check([Allowance("new", most: 1, seconds: 1)], at: 0, then: $0) }
            }
        }
    }

    @Test("are counted exactly when nodes count at the same time")
    func nodes() async throws {
        let scratch = try Scratch()
        let place = DatabaseStore.Place.postgres(try PostgresServer.place(scratch.schema))
        let stores = try (1...2).map { try DatabaseStore(place, limits: .quick, node: $0) }
        defer { for store in stores { store.close() } }
        let allowances = (0..<4).map { Allowance("a\($0)", most: $0 == 2 ? 30 : 100, seconds: 1_000) }
        // Either node takes one, whichever is faster afterwards.
        for store in stores { try await told { store.spend(allowances, at: 5, then: $0) } }
        let spent = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<80 {
                let (node, mixed) = (number % 2, number % 2 == 0 ? allowances : allowances.reversed())
                group.addTask { (try? await told { stores[node].spend(mixed, at: 5, then: $0) }) != nil }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(spent == 28)
    }
}
