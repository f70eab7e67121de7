import Configuration
import Foundation
import Identity
import RoomsServer
import Testing
import Threads

@testable import RoomsClient

@Suite("A client with tokens")
struct TokenTests {
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    private func server() throws -> LocalServer {
        try LocalServer {
            $0.auth = .hs256
            $0.authSecret = Secret(Self.secret)
            $0.authClockSkew = .zero
        }
    }

    /// Its end is a whole second: it lasts up to a second less.
    private static func token(_ name: String, seconds: Int64) -> String {
        let now = Int64(Date().timeIntervalSince1970)
        return TestToken(subject: name, issuedAt: now, expiresAt: now + seconds).signed(secret: secret) ?? ""
    }

    @Test("is told what is wrong with one that is not good")
    func refused() async throws {
        let server = try server()
        for token in ["nonsense", Self.token("ada", seconds: -5)] {
            let client = try RoomsClient(server.url, token: token)
            let told = Told(client)
            await #expect {
                try await client.connect()
            } throws: {
                guard case .notAdmitted(let code, _) = $0 as? ClientError else { return false }
                return code == (token == "nonsense" ? "TOKEN_INVALID" : "TOKEN_EXPIRED")
            }
            try await told.wait { if case .closed(.notAdmitted) = $0 { true } else { false } }
        }
    }

    @Test("asks for the next one before the last one ends, and stays")
    func refreshed() async throws {
        let server = try server()
        let asked = Locked(0)
        let client = try RoomsClient(
            server.url,
            tokens: {
                asked.withLock { $0 += 1 }
                return Self.token("ada", seconds: asked.withLock { $0 } == 1 ? 8 : 600)
            })
        let told = Told(client)
        try await client.connect()
        try await client.join("lobby")
        try await told.wait { if case .tokenExpiring = $0 { true } else { false } }
        try await Task.sleep(for: .seconds(9))
        #expect(await client.isConnected)
        #expect(asked.withLock { $0 } == 2)
        #expect(await told.count { if case .disconnected = $0 { true } else { false } } == 0)
    }

    @Test("fetches a new one when that which it has is refused on coming back")
    func renewed() async throws {
        let server = try server()
        let proxy = try Proxy(to: server.port)
        defer { proxy.close() }
        let asked = Locked(0)
        var configuration = ClientConfiguration()
        configuration.backoff = Backoff(firstMilliseconds: 20, maxMilliseconds: 200)
        let client = try RoomsClient(
            proxy.url, configuration: configuration,
            tokens: {
                // The second, asked for on the live connection, never comes in time.
                let number = asked.withLock { count in
                    count += 1
                    return count
                }
                if number == 2 { try await Task.sleep(for: .seconds(86_400)) }
                return Self.token("ada", seconds: number == 1 ? 8 : 600)
            })
        let told = Told(client)
        try await client.connect()
        try await client.join("lobby")
        try await Task.sleep(for: .seconds(9))
        proxy.cut()
        try await told.wait { if case .disconnected = $0 { true } else { false } }
        let isBack = await eventually { await client.isConnected }
        #expect(isBack)
        #expect(asked.withLock { $0 } >= 3)
    }
}
