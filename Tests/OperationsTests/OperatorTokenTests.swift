import Testing
import Transport

@testable import Operations

@Suite("The operators' token")
struct OperatorTokenTests {
    private let right = "Bearer " + String(repeating: "r", count: 32)
    private let wrong = "Bearer " + String(repeating: "w", count: 32)

    private func token(wrongMax: Int = 3) -> OperatorToken {
        OperatorToken(
            Array(String(repeating: "r", count: 32).utf8), limits: OperatorLimits(wrongTokensPerMinuteMax: wrongMax))
    }

    @Test("is compared no more when an address has shown too many wrong ones, until it has waited")
    func limited() throws {
        let (token, one, other) = (token(), IPAddress("192.0.2.1"), IPAddress("192.0.2.2"))
        for _ in 0..<3 { #expect(token.compare(wrong, from: one, nowMilliseconds: 0) == .wrong) }
        guard case .limited(let wait) = token.compare(right, from: one, nowMilliseconds: 0) else {
            Issue.record("the right token was compared")
            return
        }
        #expect(wait > 0 && wait <= 60_000)
        #expect(token.compare(right, from: other, nowMilliseconds: 0) == .right)
        #expect(token.compare(right, from: one, nowMilliseconds: Int64(wait)) == .right)
    }

    @Test("uses nothing up when it is right, and a request without one neither")
    func uncounted() throws {
        let (token, address) = (token(), IPAddress("192.0.2.1"))
        for _ in 0..<9 {
            #expect(token.compare(right, from: address, nowMilliseconds: 0) == .right)
            #expect(token.compare(nil, from: address, nowMilliseconds: 0) == .wrong)
        }
        // An address that the server does not count, such as loopback.
        for _ in 0..<9 { #expect(token.compare(wrong, from: nil, nowMilliseconds: 0) == .wrong) }
        #expect(token.compare(right, from: nil, nowMilliseconds: 0) == .right)
    }

    @Test("is nothing that can be shown where operators have none")
    func missing() {
        for header in ["Bearer ", "Bearer", "", right] {
            #expect(OperatorToken(nil).compare(header, from: nil, nowMilliseconds: 0) == .wrong, "\(header)")
        }
    }
}
