import Fetch
import Testing

@testable import Identity

@Suite("A set of keys")
struct KeySetTests {
    let limits = IdentityLimits()

    private func set(_ keys: String...) -> Result<KeySet, FetchFault> {
        Result { () throws(FetchFault) in try KeySet(keySet(keys), limits) }
    }

    @Test("gives the key that a token names, for its algorithm alone")
    func lookup() throws {
        let rsa = try #require(TestKey(id: "r"))
        let curve = try #require(TestKey(.p256, id: "c"))
        let keys = try set(rsa.jwk(), curve.jwk()).get()
        #expect(keys.key(Array("r".utf8), .rs256) != nil)
        #expect(keys.key(Array("r".utf8), .es256) == nil)
        #expect(keys.key(Array("c".utf8), .es256) != nil)
        #expect(keys.key(Array("c".utf8), .rs256) == nil)
        #expect(keys.key(Array("x".utf8), .rs256) == nil)
    }

    @Test("gives the only key there is to a token that names none")
    func withoutID() throws {
        let (one, two) = (try #require(TestKey(.p256, id: "1")), try #require(TestKey(.p256)))
        #expect(try set(one.jwk()).get().key(nil, .es256) != nil)
        #expect(try set(two.jwk()).get().key(nil, .es256) != nil)
        #expect(try set(one.jwk(), two.jwk()).get().key(nil, .es256) == nil)
    }

    @Test("leaves out what is for something else or wrong, and keeps the rest")
    func others() throws {
        let good = try #require(TestKey(.p256, id: "good"))
        let other = try #require(TestKey(.p256, id: "other"))
        let small = try #require(TestKey(.rsa(bits: 1024), id: "small"))
        let wrong = [
            other.jwk(#","use":"enc""#), other.jwk(#","alg":"ES512""#), other.jwk(#","alg":"RS256""#),
            other.jwk(#","key_ops":["sign"]"#), other.jwk(#","key_ops":"verify""#), other.jwk(#","kty":"EC""#),
            small.jwk(), "5", "null", "{}", #"{"kty":"oct","k":"AAAA","kid":"other"}"#,
            #"{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"other"}"#, #"{"kty":"RSA","n":"","e":"","kid":"other"}"#,
            #"{"kty":"RSA","n":"\#(base64URL([UInt8](repeating: 0xff, count: 2_000)))","e":"AQAB"}"#,
            #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"AAAA","kid":"other"}"#,
            #"{"kty":"EC","crv":"P-384","x":"AAAA","y":"AAAA","kid":"other"}"#,
            // A point that is not on the curve.
            #"{"kty":"EC","crv":"P-256","x":"\#(base64URL(.init(repeating: 1, count: 32)))","#
                + #""y":"\#(base64URL(.init(repeating: 1, count: 32)))"}"#,
        ]
        for jwk in wrong { #expect(throws: FetchFault.self, "\(jwk)") { try set(jwk).get() } }
        let keys = try KeySet(keySet(wrong + [good.jwk(#","use":"sig","alg":"ES256","key_ops":["verify"]"#)]), limits)
        #expect(keys.entries.count == 1)
        #expect(keys.key(Array("good".utf8), .es256) != nil)
    }

    @Test("is refused when it is none", arguments: ["", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, "<html>"])
    func notASet(text: String) {
        #expect(throws: FetchFault.self) { try KeySet(Array(text.utf8), limits) }
    }

    @Test("is refused with more keys than the bound")
    func tooMany() throws {
        let key = try #require(TestKey(.p256, id: "x")).jwk()
        #expect(try KeySet(keySet(.init(repeating: key, count: 64)), limits).entries.count == 64)
        #expect(throws: FetchFault.self) { try KeySet(keySet(.init(repeating: key, count: 65)), limits) }
    }
}

@Suite("The cache of keys")
struct KeyCacheTests {
    private let limits = IdentityLimits()

    private func keys(_ id: String) throws -> KeySet {
        try KeySet(keySet([#require(TestKey(.p256, id: id)).jwk()]), limits)
    }

    private func kind(_ answer: KeyCache.Answer) -> String {
        switch answer {
        case .key: "key"
        case .unknown: "unknown"
        case .unavailable: "unavailable"
        case .afterFetch: "afterFetch"
        }
    }

    private func ask(_ cache: inout KeyCache, _ id: String, _ now: Int64) -> String {
        kind(cache.key(Array(id.utf8), .es256, now: now))
    }

    @Test("wants the first fetch at once, and none more often than the bound, whatever tokens arrive")
    func rate() throws {
        var cache = KeyCache(limits)
        var now: Int64 = 1_000
        var fetches = 0
        #expect(cache.nextFetch.map { $0 <= now } == true)
        let keys = try keys("a")
        for _ in 0..<60_000 {
            #expect(ask(&cache, "unknown", now) == "afterFetch")
            if let begin = cache.nextFetch, begin <= now {
                cache.beginFetch(now: now)
                fetches += 1
                #expect(cache.nextFetch == nil, "one fetch at a time")
                cache.endFetch(.success(keys), now: now)
            }
            now += 10
        }
        #expect(fetches == 600_000 / 5_000)
    }

    @Test("answers from what it has without a fetch until the keys are to be refreshed")
    func refresh() throws {
        var cache = KeyCache(limits)
        cache.beginFetch(now: 0)
        cache.endFetch(.success(try keys("a")), now: 0)
        #expect(ask(&cache, "a", limits.refreshMilliseconds - 1) == "key")
        #expect(cache.nextFetch == nil)
        #expect(ask(&cache, "a", limits.refreshMilliseconds) == "key")
        #expect(cache.nextFetch != nil)
    }

    @Test("forgets a key that is no longer published")
    func withdrawn() throws {
        var cache = KeyCache(limits)
        cache.endFetch(.success(try keys("a")), now: 0)
        cache.endFetch(.success(try keys("b")), now: 1)
        #expect(ask(&cache, "a", 2) == "afterFetch")
        #expect(kind(cache.keyAfterFetch(Array("a".utf8), .es256)) == "unknown")
        #expect(ask(&cache, "b", 2) == "key")
    }

    @Test("keeps its keys through failures up to their most age, and not a moment longer")
    func outage() throws {
        var cache = KeyCache(limits)
        cache.endFetch(.success(try keys("a")), now: 0)
        let most = limits.keysAgeMillisecondsMax
        for time in stride(from: 0, through: most, by: 3_600_000) {
            cache.endFetch(.failure(FetchFault("down")), now: time)
            #expect(ask(&cache, "a", time) == "key")
        }
        #expect(kind(cache.keyAfterFetch(Array("b".utf8), .es256)) == "unavailable")
        #expect(ask(&cache, "a", most + 1) == "afterFetch")
        #expect(kind(cache.keyAfterFetch(Array("a".utf8), .es256)) == "unavailable")
    }

    @Test("does not fetch for a token that names no key when it has keys")
    func withoutID() throws {
        var cache = KeyCache(limits)
        #expect(kind(cache.key(nil, .es256, now: 0)) == "afterFetch")
        cache.beginFetch(now: 0)
        cache.endFetch(.success(try keys("a")), now: 0)
        #expect(kind(cache.key(nil, .es256, now: 1)) == "key")
        #expect(kind(cache.key(nil, .rs256, now: 1)) == "unknown")
        #expect(cache.nextFetch == nil)
    }
}
