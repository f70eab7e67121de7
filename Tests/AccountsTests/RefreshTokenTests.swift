import Identity
import Testing

@testable import Accounts

@Suite("Refresh tokens")
struct RefreshTokenTests {
    private let key = "the key of a session"

    @Test("are read as they were written, and nothing else is")
    func form() throws {
        let token = try #require(RefreshToken(session: "session", key: key))
        #expect(RefreshToken(token.text) == token && token.isGenuine(key: key))
        let secret = token.text.split(separator: ".").last.map(String.init) ?? ""
        for text in [
            "", ".", "session", "session.", ".\(secret)", "a.b.\(secret)", "session.\(secret)A",
            "session.\(secret.dropLast(2))",
        ] {
            #expect(RefreshToken(text) == nil, "\(text)")
        }
        #expect(RefreshToken(String(repeating: "x", count: 300) + "." + secret) == nil)
    }

    @Test("of another session's key, or with another secret, are not genuine")
    func genuine() throws {
        let token = try #require(RefreshToken(session: "session", key: key))
        #expect(!token.isGenuine(key: "another key"))
        let guess = "session." + Base64URL.text([UInt8](repeating: 7, count: 48))
        #expect(RefreshToken(guess)?.isGenuine(key: key) == false)
    }

    @Test("are followed by the same token each time, which only the session's key can make")
    func next() throws {
        let token = try #require(RefreshToken(session: "session", key: key))
        let next = try #require(token.next(key: key))
        #expect(next == token.next(key: key) && next != token && next.isGenuine(key: key))
        #expect(next.hash != token.hash && next.secret != token.next(key: "another key")?.secret)
    }
}
