import TestSupport
import Testing

@testable import Configuration

@Suite("Settings of identity")
struct IdentitySettingsTests {
    private let jwks = [
        "--auth=jwks", "--auth-issuer=https://i.example/", "--auth-audience=rooms",
        "--auth-jwks-url=https://i.example/keys",
    ]

    @Test("have the authorities of a key server only where there is one")
    func authorities() throws {
        let scratch = try Scratch()
        let certificate = try #require(TestCertificate(daysLeft: 10))
        let file = try scratch.write("ca.pem", certificate.certificatePEM)
        #expect(report(jwks + ["--auth-ca-file", file]).texts == [])
        #expect(report(["--auth-ca-file", file]).texts.count == 1)
        #expect(
            report(jwks.dropLast() + ["--auth-jwks-url=http://127.0.0.1/", "--auth-ca-file", file]).texts.count == 1)
        let empty = try scratch.write("empty.pem", "nothing")
        #expect(report(jwks + ["--auth-ca-file", empty]).texts.first?.contains("no certificate in PEM") == true)
        #expect(report(jwks + ["--auth-ca-file", "/no/such/file"]).texts.first?.contains("does not exist") == true)
    }
}
