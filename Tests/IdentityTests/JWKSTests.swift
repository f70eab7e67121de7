import Testing
import Transport

@testable import Identity

private let issuer = "https://issuer.example/"
private let claims = #"{"sub":"alice","iss":"https://issuer.example/","aud":["rooms","x"],"exp":1700000100}"#

/// Fast enough for tests.
private func limits() -> IdentityLimits {
    var limits = IdentityLimits()
    limits.refetchMilliseconds = 200
    limits.refreshMilliseconds = 60_000
    limits.fetchMilliseconds = 20_000
    return limits
}

private func makeVerifier(
    _ url: String, caFile: String? = nil, limits: IdentityLimits = limits(), notices: Answers<KeyNotice>? = nil
) throws -> JWKSVerifier {
    try JWKSVerifier(url: url, issuers: [issuer], audiences: ["rooms"], caFile: caFile, limits: limits) {
        notices?.add($0)
    }
}

@Suite("Tokens of a provider")
struct JWKSTests {
    @Test("are taken under its RSA and its P-256 key")
    func good() async throws {
        let (rsa, curve) = (try #require(TestKey(id: "r")), try #require(TestKey(.p256, id: "c")))
        let server = try TestKeyServer()
        defer { server.stop() }
        server.publish(rsa, curve)
        let verifier = try makeVerifier(server.url())
        #expect(try await verifier.verify(rsa.token(claims)).get().subject == "alice")
        for _ in 0..<50 { #expect(try await verifier.verify(curve.token(claims)).get().subject == "alice") }
        // Not once a token. A download that a busy machine lets run out of time is tried again.
        #expect(server.requestCount <= 2)
    }

    @Test("are refused when anything about the signature is wrong")
    func signatures() async throws {
        let (rsa, curve) = (try #require(TestKey(id: "r")), try #require(TestKey(.p256, id: "c")))
        let stranger = try #require(TestKey(id: "r"))
        let server = try TestKeyServer()
        defer { server.stop() }
        server.publish(rsa, curve)
        let verifier = try makeVerifier(server.url())
        #expect(await verifier.fault(rsa.token(claims)) == nil)

        #expect(await verifier.fault(stranger.token(claims)) == .signature)
        let asCurve = #"{"alg":"RS256","kid":"r"}"#
        #expect(await verifier.fault(curve.token(claims, header: asCurve)) == .signature)
        for header in [#"{"alg":"none","kid":"r"}"#, #"{"alg":"RS512","kid":"r"}"#, #"{"alg":"PS256","kid":"r"}"#] {
            #expect(await verifier.fault(rsa.token(claims, header: header)) == .algorithm)
        }
        let confused = secretToken(claims, header: #"{"alg":"HS256","kid":"r"}"#, secret: rsa.publicPEM)
        #expect(await verifier.fault(confused) == .algorithm)
        let unsigned = signedToken(header: #"{"alg":"RS256","kid":"r"}"#, claims) { _ in [] }
        #expect(await verifier.fault(unsigned) == .signature)
        for count in [0, 63, 65, 128] {
            let header = #"{"alg":"ES256","kid":"c"}"#
            let zeroes = signedToken(header: header, claims) { _ in .init(repeating: 0, count: count) }
            #expect(await verifier.fault(zeroes) == .signature)
        }
        let zero = signedToken(header: #"{"alg":"ES256","kid":"c"}"#, claims) { _ in .init(repeating: 0, count: 64) }
        #expect(await verifier.fault(zero) == .signature)
    }

    @Test("are refused after any change of a single bit")
    func bitFlips() async throws {
        for key in [try #require(TestKey(id: "k")), try #require(TestKey(.p256, id: "k"))] {
            let server = try TestKeyServer(keySet([key.jwk()]))
            defer { server.stop() }
            // The changes to the key's id would each wait for a fetch.
            var limits = limits()
            limits.refetchMilliseconds = 1
            let verifier = try makeVerifier(server.url(), limits: limits)
            let good = Array(key.token(claims).utf8)
            #expect(await verifier.fault(String(decoding: good, as: UTF8.self)) == nil)
            for index in good.indices {
                var changed = good
                changed[index] ^= 1 << UInt8(index % 7)
                #expect(await verifier.fault(String(decoding: changed, as: UTF8.self)) != nil)
            }
        }
    }

    @Test("are held against claims, and must say when they expire")
    func claimsCount() async throws {
        let key = try #require(TestKey(.p256, id: "k"))
        let server = try TestKeyServer(keySet([key.jwk()]))
        defer { server.stop() }
        let verifier = try makeVerifier(server.url())
        #expect(await verifier.fault(key.token(claims), now: now + 159) == nil)
        #expect(await verifier.fault(key.token(claims), now: now + 160) == .expired)
        #expect(await verifier.fault(key.token(claims.replacing(#","exp":1700000100"#, with: ""))) == .malformed)
        #expect(await verifier.fault(key.token(claims.replacing("rooms", with: "other"))) == .audience)
        #expect(await verifier.fault(key.token(claims.replacing("issuer", with: "evil"))) == .issuer)
        #expect(await verifier.fault(nil) == .missing)
    }
}

@Suite("The provider's keys", .timeLimit(.minutes(1)))
struct KeyRotationTests {
    @Test("may change: a token under a new key is taken without a restart, one under an old key no longer")
    func rotation() async throws {
        let (old, new) = (try #require(TestKey(id: "old")), try #require(TestKey(.p256, id: "new")))
        let server = try TestKeyServer(keySet([old.jwk()]))
        defer { server.stop() }
        let verifier = try makeVerifier(server.url())
        #expect(await verifier.fault(old.token(claims)) == nil)
        #expect(await verifier.fault(new.token(claims)) == .unknownKey)
        server.publish(new)
        #expect(await verifier.fault(new.token(claims)) == nil)
        #expect(await verifier.fault(old.token(claims)) == .unknownKey)
    }

    @Test("are dropped some time after they were withdrawn, though no token names another one")
    func withdrawal() async throws {
        let (old, new) = (try #require(TestKey(.p256, id: "old")), try #require(TestKey(.p256, id: "new")))
        let server = try TestKeyServer(keySet([old.jwk()]))
        defer { server.stop() }
        var limits = limits()
        limits.refreshMilliseconds = 400
        let verifier = try makeVerifier(server.url(), limits: limits)
        #expect(await verifier.fault(old.token(claims)) == nil)
        server.publish(new)
        // The suite's time limit ends this if it never comes.
        var fault = await verifier.fault(old.token(claims))
        while fault == nil {
            try await Task.sleep(for: .milliseconds(10))
            fault = await verifier.fault(old.token(claims))
        }
        #expect(fault == .unknownKey)
    }

    @Test("are kept while the key server is down, and new ones taken when it is back")
    func outage() async throws {
        let (old, new) = (try #require(TestKey(.p256, id: "old")), try #require(TestKey(.p256, id: "new")))
        let server = try TestKeyServer(keySet([old.jwk()]))
        defer { server.stop() }
        let notices = Answers<KeyNotice>()
        let verifier = try makeVerifier(server.url(), notices: notices)
        #expect(await verifier.fault(old.token(claims)) == nil)
        server.set { $0.status = 500 }
        #expect(await verifier.fault(new.token(claims)) == .keysUnavailable)
        #expect(await verifier.fault(old.token(claims)) == nil)
        #expect(notices.all.contains(.failed("the answer has status 500")))
        server.publish(old, new)
        #expect(await verifier.fault(new.token(claims)) == nil)
    }

    @Test("are not believed past their most age")
    func age() async throws {
        let key = try #require(TestKey(.p256, id: "k"))
        let server = try TestKeyServer(keySet([key.jwk()]))
        defer { server.stop() }
        var limits = limits()
        limits.refreshMilliseconds = 400
        limits.keysAgeMillisecondsMax = 700
        let verifier = try makeVerifier(server.url(), limits: limits)
        #expect(await verifier.fault(key.token(claims)) == nil)
        server.set { $0.status = 503 }
        try await Task.sleep(for: .milliseconds(900))
        #expect(await verifier.fault(key.token(claims)) == .keysUnavailable)
    }

    @Test("are fetched at a bounded rate however many unknown keys are named, and once for all waiting tokens")
    func rate() async throws {
        let (key, other) = (try #require(TestKey(.p256, id: "k")), try #require(TestKey(.p256, id: "other")))
        let server = try TestKeyServer(keySet([key.jwk()]))
        defer { server.stop() }
        let verifier = try makeVerifier(server.url())
        let token = other.token(claims)
        let began = ContinuousClock.now
        for _ in 0..<4 {
            await withTaskGroup(of: TokenError.Kind?.self) { group in
                for _ in 0..<200 { group.addTask { await verifier.fault(token) } }
                for await fault in group { #expect(fault == .unknownKey) }
            }
        }
        let elapsed = ContinuousClock.now - began
        // The first one when it began, and each other a pause of 200 ms after the one before.
        #expect(Double(server.requestCount) <= 2 + elapsed / .milliseconds(200))
        #expect(server.requestCount >= 2)
    }

    @Test("are waited for by a bounded number of tokens; any more are told so at once")
    func waiters() async throws {
        let key = try #require(TestKey(.p256, id: "k"))
        let server = try TestKeyServer()
        defer { server.stop() }
        server.set { $0.isSilent = true }
        var limits = limits()
        limits.waitersMax = 10
        limits.fetchMilliseconds = 3_000
        let verifier = try makeVerifier(server.url(), limits: limits)
        let answers = Answers<TokenError.Kind?>()
        let token = key.token(claims)
        for _ in 0..<15 { verifier.verify(token, now: now) { answers.add($0.fault) } }
        #expect(answers.all == .init(repeating: .keysUnavailable, count: 5))
        await answers.wait(15)
        #expect(answers.all == .init(repeating: .keysUnavailable, count: 15))
    }

    @Test("are no longer waited for when the verifier goes")
    func stop() async throws {
        let key = try #require(TestKey(.p256, id: "k"))
        let server = try TestKeyServer()
        defer { server.stop() }
        server.set { $0.isSilent = true }
        let answers = Answers<TokenError.Kind?>()
        do {
            let verifier = try makeVerifier(server.url())
            verifier.verify(key.token(claims), now: now) { answers.add($0.fault) }
        }
        #expect(answers.all == [.keysUnavailable])
    }
}
