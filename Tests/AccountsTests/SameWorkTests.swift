import Store
import Testing
import Threads
import Transport

@testable import Accounts

/// A client that measures the time of an answer must not learn who has an account. No test measures time; these count what
/// takes it: the questions to the store, and its transactions.
@Suite("The work of an answer", .timeLimit(.minutes(1)))
struct SameWorkTests {
    /// What the store did for a request, and what the client was told.
    private struct Work: Equatable {
        var fault: AccountFault?
        var reads: UInt64
        var transactions: UInt64
        var jobs: UInt64
    }

    private let now: Int64 = 1_000_000

    private func withAccounts(_ body: (Accounts, DatabaseStore) async throws -> Void) async throws {
        var costs = PasswordHasher.Costs()
        costs.memoryKibibytes = 64
        let store = try DatabaseStore(.memory, now: { 1_000_000 })
        let accounts = Accounts(store, PasswordHasher(costs: costs))
        defer {
            accounts.stop()
            store.close()
        }
        try await body(accounts, store)
    }

    private func client(_ address: String?) -> AccountClient {
        AccountClient(.rooms, address: address.flatMap { IPAddress($0) }, agent: "test", now: now)
    }

    private func work(
        of request: () async throws(AccountFault) -> Void, in store: DatabaseStore
    ) async -> Work {
        let before = store.counters
        var fault: AccountFault?
        do throws(AccountFault) { try await request() } catch { fault = error }
        let after = store.counters
        return Work(
            fault: fault, reads: after.reads - before.reads, transactions: after.groups - before.groups,
            jobs: after.jobs - before.jobs)
    }

    private func keep(_ recipient: String, in accounts: Accounts, _ client: AccountClient) async throws {
        let code = try await accounts.newCode("111111", for: recipient, client)
        try await accounts.store.told { $0.keepCode(code.record, then: $1) }
    }

    /// Of an account with a password, of one without, and of nobody.
    private func addresses(in accounts: Accounts, _ client: AccountClient) async throws -> [String] {
        _ = try await accounts.signUp(name: "Ann", email: "ann@example.com", password: "a good password", client)
        let bob = NewPerson(id: "bob", name: "Bob", email: "bob@example.com", passwordHash: nil, at: now)
        _ = try await accounts.store.told { $0.addPerson(bob, then: $1) }
        return ["ann@example.com", "bob@example.com", "nobody@example.com"]
    }

    @Test("for a wrong code is the same with and without a code", arguments: ["192.0.2.1", nil])
    func wrongCodes(address: String?) async throws {
        try await withAccounts { (accounts, store) async throws in
            let client = client(address)
            let (known, unknown) = (PhoneNumber("+14155550123"), PhoneNumber("+14155550124"))
            let (one, other) = (try #require(known), try #require(unknown))
            try await keep(CodeRecipient.signIn(phone: one.text), in: accounts, client)
            var works: [Work] = []
            for phone in [one, other, one, other] {
                works.append(
                    await work(
                        of: { () async throws(AccountFault) in
                            _ = try await accounts.signIn(phone, code: "222222", client)
                        }, in: store))
            }
            let first = try #require(works.first)
            #expect(first.fault == .wrongCode && first.transactions == 1 && first.jobs == 1)
            #expect(works.allSatisfy { $0 == first }, "\(works)")
        }
    }

    @Test("for a wrong code for a new password is the same with and without an account, a password and a code")
    func newPasswords() async throws {
        try await withAccounts { (accounts, store) async throws in
            let client = client("192.0.2.1")
            let emails = try await addresses(in: accounts, client)
            var works: [Work] = []
            func attempt() async {
                for email in emails {
                    works.append(
                        await work(
                            of: { () async throws(AccountFault) in
                                _ = try await accounts.resetPassword(
                                    email: email, code: "222222", "another good password", client)
                            }, in: store))
                }
            }
            await attempt()
            for email in emails {
                try await keep(CodeRecipient.newPassword(email: email), in: accounts, client)
            }
            await attempt()
            let first = try #require(works.first)
            #expect(first.fault == .wrongCode && first.transactions == 1)
            #expect(works.count == 6 && works.allSatisfy { $0 == first }, "\(works)")
        }
    }

    @Test("for a wrong password is the same with and without an account and a password")
    func wrongPasswords() async throws {
        try await withAccounts { (accounts, store) async throws in
            let client = client("192.0.2.1")
            var works: [Work] = []
            for email in try await addresses(in: accounts, client) {
                works.append(
                    await work(
                        of: { () async throws(AccountFault) in
                            _ = try await accounts.signIn(email: email, password: "wrong", client)
                        }, in: store))
            }
            let first = try #require(works.first)
            #expect(first.fault == .wrongCredentials && first.transactions == 1)
            #expect(works.count == 3 && works.allSatisfy { $0 == first }, "\(works)")
        }
    }
}
