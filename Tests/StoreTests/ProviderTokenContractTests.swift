import Testing

@testable import Store

/// What every store promises of the tokens of providers.
@Suite("Tokens of providers", .timeLimit(.minutes(1)))
struct ProviderTokenContractTests {
    private func token(_ id: String) -> ProviderToken {
        ProviderToken(id: id, kind: .apple, client: "app", token: "secret \(id)")
    }

    private func ended(_ store: any ServerStore, at now: Int64) async throws -> [String] {
        try await told { store.endedProviderTokens(at: now, next: now + 10, then: $0) }.map(\.id)
    }

    @Test("come when the account has ended, again and again until they are forgotten", arguments: Backend.allCases)
    func life(backend: Backend) async throws {
        try await withStore(backend) { store in
            for id in ["ann", "bob"] {
                let person = NewPerson(id: id, name: id, email: "", passwordHash: nil, at: 10)
                let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
                try await told { store.keepProviderToken(token("\(id) 1"), of: id, then: $0) }
                try await told { store.keepProviderToken(token("\(id) 2"), of: id, then: $0) }
            }
            #expect(try await ended(store, at: 50).isEmpty)
            let _: EndedPerson = try await told { store.removePerson("ann", at: 60, then: $0) }
            #expect(try await ended(store, at: 59).isEmpty)
            // The newest one has taken the place of the other. Whoever has it is alone with it for a while.
            #expect(try await ended(store, at: 60) == ["ann 2"])
            #expect(try await ended(store, at: 69).isEmpty)
            #expect(try await ended(store, at: 70) == ["ann 2"])
            try await told { store.forgetProviderToken("ann 2", then: $0) }
            #expect(try await ended(store, at: 100).isEmpty)
            await #expect(throws: StoreError.notFound("user")) {
                try await told { store.keepProviderToken(token("x"), of: "ann", then: $0) }
            }
        }
    }

    @Test("go when they were tried often enough")
    func attempts() async throws {
        var limits = StoreLimits.quick
        limits.providerTokenAttemptsMax = 2
        let store = try DatabaseStore(.memory, limits: limits)
        defer { store.close() }
        let person = NewPerson(id: "ann", name: "Ann", email: "", passwordHash: nil, at: 10)
        let _: AccountHolder = try await told { store.addPerson(person, then: $0) }
        try await told { store.keepProviderToken(token("t"), of: "ann", then: $0) }
        let _: EndedPerson = try await told { store.removePerson("ann", at: 20, then: $0) }
        for now in [20, 30] as [Int64] { #expect(try await ended(store, at: now) == ["t"]) }
        #expect(try await ended(store, at: 40).isEmpty)
    }
}
