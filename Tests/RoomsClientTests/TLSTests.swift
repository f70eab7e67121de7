import Foundation
import RoomsClient
import Testing

@Suite("A client of a server with TLS")
struct TLSTests {
    private let folder = NSTemporaryDirectory() + "rooms-client-\(UUID().uuidString)"

    private func write(_ name: String, _ text: String) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func server(_ names: String, _ authority: TestAuthority) throws -> LocalServer {
        let issued = try authority.issue(names)
        let (certificate, key) = (try write("c.pem", issued.certificate), try write("k.pem", issued.key))
        return try LocalServer {
            $0.tlsCert = certificate
            $0.tlsKey = key
        }
    }

    @Test("talks to one whose certificate its authorities vouch for", arguments: ClientTransport.allCases)
    func trusted(_ transport: ClientTransport) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let authority = try #require(TestAuthority())
        let server = try server("DNS:localhost,IP:127.0.0.1", authority)
        let trust = try TLSTrust(authorities: write("ca.pem", authority.pem))
        for host in ["localhost", "127.0.0.1"] {
            let ada = try await participant("ada", "wss://\(host):\(server.port)") {
                $0.trust = trust
                $0.transport = transport
            }
            try await ada.join("lobby")
            let long = String(repeating: "\u{E9}", count: 5_000)
            for _ in 0..<20 { try await ada.create(.sample(long), in: "lobby") }
            let isComplete = await eventually { await ada.room("lobby")?.elements.count == 20 }
            #expect(isComplete)
            #expect(await ada.room("lobby")?.elements.values.allSatisfy { $0.content == long } == true)
            for element in await ada.room("lobby")?.elements.keys.sorted() ?? [] {
                try await ada.delete(element, in: "lobby")
            }
            await ada.close()
        }
    }

    @Test("does not talk to another")
    func notTrusted() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let authority = try #require(TestAuthority())
        let other = try #require(TestAuthority())
        let server = try server("DNS:example.org", authority)
        let trusts = [
            try TLSTrust(), try TLSTrust(authorities: write("other.pem", other.pem)),
            // The right authority, and the wrong name.
            try TLSTrust(authorities: write("ca.pem", authority.pem)),
        ]
        for trust in trusts {
            var configuration = ClientConfiguration()
            configuration.trust = trust
            let client = try RoomsClient("wss://localhost:\(server.port)", configuration: configuration)
            let told = Told(client)
            await #expect(throws: ClientError.timedOut) { try await client.connect(within: .seconds(5)) }
            try await told.wait { event in
                if case .disconnected(let reason, _) = event { reason.contains("TLS") } else { false }
            }
        }
        #expect(throws: ClientError.self) { try TLSTrust(authorities: "\(folder)/nothing") }
    }
}
