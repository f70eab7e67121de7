import Testing

@testable import Accounts

@Suite("The places where passkeys and wallets are good")
struct PasskeySiteTests {
    @Test(
        "on a developer's machine are those of any port",
        arguments: ["http://localhost", "https://localhost", "http://localhost:1", "http://localhost:65535"])
    func local(origin: String) {
        #expect(PasskeySite.local.allows(origin))
    }

    @Test(
        "are no other host's, whatever stands where the port is",
        arguments: [
            "http://localhost:8080@evil.example", "http://localhost:@evil.example", "http://localhost:",
            "http://localhost:1 ", "http://localhost:123456", "http://localhost.evil.example", "http://localhost:１",
        ])
    func others(origin: String) {
        #expect(!PasskeySite.local.allows(origin))
        #expect(!PasskeySite(domain: "rooms.example", origins: []).allows(origin))
    }
}
