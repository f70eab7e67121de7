import Identity
import Store
import Testing
import Transport
import Wire

@testable import Accounts

@Suite("Attempts to sign in", .timeLimit(.minutes(1)))
struct AttemptTests {
    private let home = "192.0.2.1"

    private func withAccounts(
        _ limits: AccountLimits = AccountLimits(), _ body: (Accounts) async throws -> Void
    ) async throws {
        // The store sweeps allowances that ended long ago by its own clock.
        let store = try DatabaseStore(.memory, now: { 1_000 })
        var costs = PasswordHasher.Costs()
        costs.memoryKibibytes = 64
        let accounts = Accounts(store, PasswordHasher(costs: costs), limits: limits)
        defer {
            accounts.stop()
            store.close()
        }
        try await body(accounts)
    }

    private func client(_ address: String, at now: Int64 = 1_000) -> AccountClient {
        AccountClient(.rooms, address: IPAddress(address), agent: "test", now: now)
    }

    /// The attempts out of `count` that were not refused.
    private func allowed(
        _ count: Int, with name: String, of person: String? = nil, in accounts: Accounts,
        from address: (Int) -> String, at now: Int64 = 1_000
    ) async throws -> Int {
        var allowed = 0
        for number in 0..<count {
            do throws(AccountFault) {
                try await accounts.countAttempt(with: name, of: person, client(address(number), at: now))
                allowed += 1
            } catch {
                guard case .tooManyAttempts(let seconds) = error, 1...60 ~= seconds else { throw error }
            }
        }
        return allowed
    }

    /// A stranger's attempt, where there may be one.
    private func useUp(_ person: String, in accounts: Accounts) async throws {
        try await accounts.countAttempt(with: person + "@example.com", of: person, client("203.0.113.1"))
    }

    @Test("with one e-mail address from one network address are ten a minute")
    func pair() async throws {
        try await withAccounts { (accounts) async throws in
            func attempts(_ count: Int, _ name: String, at now: Int64) async throws -> Int {
                try await allowed(count, with: name, in: accounts, from: { _ in home }, at: now)
            }
            #expect(try await attempts(14, "ann@example.com", at: 1_000) == 10)
            #expect(try await attempts(4, "ANN@example.com", at: 1_059) == 0)
            #expect(try await attempts(14, "bob@example.com", at: 1_059) == 10)
            #expect(try await attempts(14, "ann@example.com", at: 1_060) == 10)
            await #expect(throws: AccountFault.tooManyAttempts(waitSeconds: 50)) {
                try await accounts.countAttempt(with: "ann@example.com", of: nil, client(home, at: 1_070))
            }
        }
    }

    @Test("from one network address are sixty a minute, whatever the e-mail addresses are")
    func address() async throws {
        try await withAccounts { (accounts) async throws in
            var count = 0
            for number in 0..<70 {
                count += try await allowed(1, with: "\(number)@example.com", in: accounts, from: { _ in home })
            }
            #expect(count == 60)
            await #expect(throws: AccountFault.tooManyAttempts(waitSeconds: 60)) {
                try await accounts.countAttempt(client(home))
            }
        }
    }

    @Test("of strangers are thirty for one e-mail address, which the owner's network address is not among")
    func strangers() async throws {
        try await withAccounts { (accounts) async throws in
            try await accounts.countAttempt(with: "ann@example.com", of: "ann", client(home))
            try await accounts.remember(client(home), of: "ann")
            try await accounts.remember(client(home), of: "ann")
            func attempts(_ count: Int, _ address: (Int) -> String, at now: Int64 = 1_000) async throws -> Int {
                try await allowed(count, with: "ann@example.com", of: "ann", in: accounts, from: address, at: now)
            }
            #expect(try await attempts(40, { "203.0.113.\($0)" }) == 29)
            #expect(try await attempts(20, { _ in home }) == 9)
            // The address is remembered for a month.
            let later: Int64 = 1_000 + 30 * 86_400
            let late = later - 60
            #expect(try await attempts(40, { "203.0.113.\($0)" }, at: late) == 30)
            #expect(try await attempts(1, { _ in home }, at: late) == 1)
            #expect(try await attempts(40, { "203.0.113.\($0)" }, at: later) == 30)
            #expect(try await attempts(1, { _ in home }, at: later) == 0)
        }
    }

    @Test("with a name that a stranger has computed do not count as those of somebody else")
    func computedNames() async throws {
        // Without a secret the stranger finds a name whose attempts have the first bits of the owner's hash.
        func bits(_ address: String, _ name: String) -> UInt32 {
            let hash = SHA256Digest.of(Array("pair \(address) \(name)".utf8)) ?? []
            return hash.prefix(3).reduce(0) { $0 << 8 | UInt32($1) } >> 6
        }
        let (away, owner) = ("203.0.113.1", bits(home, "ann@example.com"))
        let name = try #require((0..<10_000_000).lazy.map { "\($0)@e.org" }.first { bits(away, $0) == owner })
        try await withAccounts { (accounts) async throws in
            #expect(try await allowed(20, with: name, in: accounts, from: { _ in away }) == 10)
            #expect(try await allowed(10, with: "ann@example.com", in: accounts, from: { _ in home }) == 10)
        }
    }

    @Test("are counted apart for some network addresses of a person, and no more")
    func bounded() async throws {
        var limits = AccountLimits()
        limits.ownAddressesMax = 2
        limits.emailAttemptsPerMinuteMax = 1
        try await withAccounts(limits) { (accounts) async throws in
            try await useUp("ann", in: accounts)
            for number in 1...3 { try await accounts.remember(client("192.0.2.\(number)"), of: "ann") }
            func isOwner(_ number: Int) async throws -> Bool {
                try await allowed(
                    1, with: "ann@example.com", of: "ann", in: accounts, from: { _ in "192.0.2.\(number)" }) == 1
            }
            for number in 1...3 { #expect(try await isOwner(number) == (number < 3)) }
        }
    }

    @Test("are forgotten with the account")
    func forgotten() async throws {
        var limits = AccountLimits()
        limits.emailAttemptsPerMinuteMax = 1
        try await withAccounts(limits) { (accounts) async throws in
            let bob = NewPerson(id: "bob", name: "Bob", email: "bob@example.com", passwordHash: nil, at: 1_000)
            _ = try await accounts.store.told { $0.addPerson(bob, then: $1) }
            for person in ["bob", "ann"] {
                try await useUp(person, in: accounts)
                try await accounts.remember(client(home), of: person)
            }
            _ = try await accounts.remove("bob", now: 1_000)
            let left = try await allowed(1, with: "bob@example.com", of: "bob", in: accounts, from: { _ in home })
            let kept = try await allowed(1, with: "ann@example.com", of: "ann", in: accounts, from: { _ in home })
            #expect(left == 0 && kept == 1)
        }
    }
}
