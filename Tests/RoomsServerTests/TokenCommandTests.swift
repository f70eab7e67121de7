import Configuration
import Identity
import Logging
import TestSupport
import Testing
import Threads
import Transport

@testable import RoomsServer

@Suite("rooms token")
struct TokenCommandTests {
    private let environment = ["ROOMS_AUTH_SECRET": goodSecret]

    /// What a server with these settings makes of a token.
    private func verified(_ token: String, _ report: ConfigurationReport) throws -> VerifiedToken {
        #expect(report.faults.isEmpty)
        let verifier = try report.configuration.tokenVerifier(nil, Logger(report.configuration, environment: [:]))
        let answer = Locked<Result<VerifiedToken, TokenError>?>(nil)
        verifier.verify(token.filter { $0 != "\n" }, now: Int64(Timestamp.now().seconds)) { result in
            answer.withLock { $0 = result }
        }
        return try #require(answer.withLock { $0 }).get()
    }

    @Test("makes a token that a server with the same settings takes")
    func good() throws {
        let made = run(
            "token", "--sub", "alice", "--name=Alice A.", "--email", "a@example.org", environment: environment)
        #expect(made.code == .ok)
        #expect(made.err == "")
        let token = try verified(made.out, report(["--auth", "hs256"], environment: environment))
        #expect(token.subject == "alice")
        #expect(token.name == "Alice A.")
        #expect(token.email == "a@example.org")
        #expect(abs(try #require(token.expiresAt) - Int64(Timestamp.now().seconds) - 3_600) < 10)
    }

    @Test("takes audience and issuer from the server's settings, by their short names too")
    func parties() throws {
        let settings = ["--auth=hs256", "--auth-audience", "rooms", "--auth-issuer=me"]
        let server = report(settings, environment: environment)
        for options in [settings, ["--audience", "rooms", "--issuer=me"]] {
            let made = run(["token", "--sub", "a", "--expires", "5m"] + options, environment: environment)
            #expect(try verified(made.out, server).subject == "a")
        }
        let other = run("token", "--sub", "a", environment: environment)
        #expect(throws: TokenError.self) { try verified(other.out, server) }
    }

    @Test("reads the server's file, whatever else is wrong with the server")
    func file() throws {
        let scratch = try Scratch()
        let secretFile = try scratch.write("secret", goodSecret + "\n")
        let file = try scratch.write(
            "rooms.conf",
            "auth = hs256\nauth-secret-file = \(secretFile)\ntls-cert = /no/such/file\nlisten = nonsense\n")
        let made = run("token", "--sub", "a", "--config", file)
        #expect(made.code == .ok)
        #expect(try verified(made.out, report(["--auth=hs256"], environment: environment)).subject == "a")
    }

    @Test("is refused without a secret, for another mode, and with options that mean nothing")
    func faults() throws {
        #expect(run("token", "--sub", "a").code == .configuration)
        #expect(run("token", "--sub", "a").err.contains("hs256 needs a shared secret"))
        #expect(run("token", "--sub", "a", "--auth", "open", environment: environment).code == .configuration)
        #expect(run("token", "--sub", "a", "--auth", "jwks").code == .configuration)
        for wrong in [
            [], ["--sub"], ["--sub", ""], ["--sub", "a", "--sub", "b"], ["--sub", String(repeating: "x", count: 129)],
            ["--sub", "a", "--expires", "0s"], ["--sub", "a", "--expires", "-5s"], ["--sub", "a", "--nonsense", "x"],
            ["--sub", "a", "x"], ["--sub", "a", "--audience"],
        ] {
            let result = run(["token"] + wrong, environment: environment)
            #expect(result.code == .usage, "\(wrong)")
            #expect(result.out == "")
            #expect(!result.err.contains(goodSecret))
        }
    }
}
