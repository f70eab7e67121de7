import Testing
import Transport

@testable import Accounts

@Suite("Attempts to sign in")
struct AttemptLimitsTests {
    private let limits = AttemptLimits(AccountLimits())
    private let home = IPAddress("192.0.2.1")

    /// The attempts out of `count` that were not refused.
    private func allowed(_ count: Int, _ email: String, _ address: (Int) -> IPAddress?, at now: Int64 = 0) -> Int {
        (0..<count).count { (try? limits.count(email, address($0), nowMilliseconds: now)) != nil }
    }

    @Test("with one e-mail address from one network address are ten at once, and one more each six seconds")
    func pair() {
        #expect(allowed(14, "ann@example.com", { _ in home }) == 10)
        #expect(allowed(4, "ANN@example.com", { _ in home }, at: 5_000) == 0)
        #expect(allowed(4, "ann@example.com", { _ in home }, at: 6_000) == 1)
        #expect(allowed(14, "bob@example.com", { _ in home }, at: 6_000) == 10)
        #expect(throws: AccountFault.tooManyAttempts(waitSeconds: 6)) {
            try limits.count("bob@example.com", home, nowMilliseconds: 6_000)
        }
    }

    @Test("from one network address are sixty at once, whatever the e-mail addresses are")
    func address() {
        let attempts = (0..<70).count { (try? limits.count("\($0)@example.com", home, nowMilliseconds: 0)) != nil }
        #expect(attempts == 60)
    }

    @Test("of strangers are thirty for one e-mail address, which the owner's network address is not among")
    func strangers() throws {
        try limits.count("ann@example.com", home, nowMilliseconds: 0)
        limits.succeeded("Ann@example.com", home)
        #expect(allowed(40, "ann@example.com", { IPAddress("203.0.113.\($0)") }) == 29)
        #expect(allowed(20, "ann@example.com", { _ in home }) == 9)
    }
}
