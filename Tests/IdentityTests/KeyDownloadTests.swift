import Fetch
import Testing
import Transport

@testable import Identity

@Suite("A download of keys", .timeLimit(.minutes(1)))
struct KeyDownloadTests {
    private func download(
        _ url: String, caFile: String? = nil, change: (inout IdentityLimits) -> Void = { _ in }
    ) throws -> Result<[UInt8], FetchFault> {
        var limits = IdentityLimits()
        limits.fetchMilliseconds = 20_000
        change(&limits)
        let download = KeyDownload(url: try #require(FetchURL(url)), caFile: caFile, limits: limits)
        return Result { () throws(FetchFault) in try download.run() }
    }

    private func reason(_ result: Result<[UInt8], FetchFault>) -> String {
        if case .failure(let fault) = result { fault.reason } else { "none" }
    }

    // MARK: TLS

    @Test("trusts the authority that it is given, by name and by address", arguments: ["localhost", "127.0.0.1"])
    func trusted(host: String) throws {
        let authority = try #require(TestAuthority())
        let file = try ScratchFile(authority.pem)
        let body = [UInt8](repeating: 0x61, count: 100_000)
        let server = try TestKeyServer(body, tls: authority.issue("DNS:localhost,IP:127.0.0.1"))
        defer { server.stop() }
        #expect(try download(server.url(host), caFile: file.path).get() == body)
    }

    @Test("refuses a certificate for another host, name and address")
    func otherHost() throws {
        let authority = try #require(TestAuthority())
        let file = try ScratchFile(authority.pem)
        for names in ["DNS:example.org", "IP:127.0.0.2", "DNS:127.0.0.1", "DNS:*.localhost"] {
            let server = try TestKeyServer([1], tls: authority.issue(names))
            defer { server.stop() }
            for host in ["localhost", "127.0.0.1"] {
                let reason = reason(try download(server.url(host), caFile: file.path))
                #expect(reason.contains("mismatch"), "\(names) \(host): \(reason)")
            }
        }
    }

    @Test("refuses an authority that it does not know, and a certificate that has run out")
    func untrusted() throws {
        let (authority, other) = (try #require(TestAuthority()), try #require(TestAuthority()))
        let (file, otherFile) = (try ScratchFile(authority.pem), try ScratchFile(other.pem))
        let server = try TestKeyServer([1], tls: authority.issue("DNS:localhost"))
        defer { server.stop() }
        for wrong in [nil, otherFile.path] {
            #expect(reason(try download(server.url("localhost"), caFile: wrong)).contains("handshake"))
        }
        let late = try TestKeyServer([1], tls: authority.issue("DNS:localhost", daysLeft: -1))
        defer { late.stop() }
        #expect(reason(try download(late.url("localhost"), caFile: file.path)).contains("expired"))
    }

    @Test("of a whole set over https lets a token in")
    func endToEnd() async throws {
        let authority = try #require(TestAuthority())
        let file = try ScratchFile(authority.pem)
        let key = try #require(TestKey(id: "k"))
        let server = try TestKeyServer(keySet([key.jwk()]), tls: authority.issue("DNS:localhost"))
        defer { server.stop() }
        let verifier = try JWKSVerifier(
            url: server.url("localhost"), issuers: ["i"], audiences: ["a"], caFile: file.path)
        let token = key.token(#"{"sub":"s","iss":"i","aud":"a","exp":1700000100}"#)
        #expect(try await verifier.verify(token).get().subject == "s")
    }

    // MARK: Answers

    @Test("follows no redirect and takes no status but 200", arguments: [201, 204, 301, 302, 307, 308, 304, 404, 500])
    func statuses(status: Int) throws {
        let server = try TestKeyServer([1])
        defer { server.stop() }
        server.set {
            $0.status = status
            $0.headers = [("Location", "/keys.json")]
            if status == 204 || status == 304 { $0.body = [] }
        }
        #expect(reason(try download(server.url())).contains("status \(status)"))
        #expect(server.requestCount == 1)
    }

    @Test("refuses a larger answer than the bound")
    func size() throws {
        let server = try TestKeyServer(.init(repeating: 0x20, count: 262_145))
        defer { server.stop() }
        #expect(reason(try download(server.url())) == "the answer is larger than 262144 bytes")
        #expect(try download(server.url()) { $0.keySetBytesMax += 1 }.get().count == 262_145)
    }

    @Test("ends by its deadline when nothing comes")
    func deadline() throws {
        let server = try TestKeyServer()
        defer { server.stop() }
        server.set { $0.isSilent = true }
        #expect(reason(try download(server.url()) { $0.fetchMilliseconds = 300 }) == "the server took too long")
    }

    @Test("says so when no server listens")
    func nobody() throws {
        let server = try TestKeyServer()
        let url = server.url()
        server.stop()
        #expect(reason(try download(url)).contains("cannot be reached"))
    }
}
