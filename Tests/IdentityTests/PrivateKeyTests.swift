import Testing
import Wire

@testable import Identity

@Suite("Tokens for other servers")
struct PrivateKeyTests {
    @Test("are verified with the public half of their key, RSA or on P-256")
    func signed() throws {
        for key in [try #require(TestKey(id: "k")), try #require(TestKey(.p256, id: "k"))] {
            let signer = try #require(PrivateKey(pem: key.privatePEM))
            let text = try #require(signer.token(keyID: "k") { $0.member("iss", "a \"team\"") })
            let token = try CompactToken(text, IdentityLimits())
            let keys = try KeySet(keySet([key.jwk()]), IdentityLimits())
            #expect(token.algorithm == key.algorithm && token.keyID == Array("k".utf8))
            #expect(UniqueMembers(token.claims)?["iss"]?.string == "a \"team\"")
            let half = try #require(keys.key(Array("k".utf8), signer.algorithm))
            #expect(half.isSignature(token.signature, of: token.signedBytes))
            #expect(!half.isSignature(token.signature, of: token.signedBytes + [0]))
        }
    }

    @Test("have no key id unless one is given")
    func withoutKeyID() throws {
        let key = try #require(TestKey(.p256))
        let text = try #require(PrivateKey(pem: key.privatePEM)?.token { _ in })
        #expect(try CompactToken(text, IdentityLimits()).keyID == nil)
    }

    @Test("need an RSA key of at least 2,048 bits, or one on P-256")
    func unusable() throws {
        let (key, short) = (try #require(TestKey()), try #require(TestKey(.rsa(bits: 1024))))
        #expect(key.publicPEM.starts(with: Array("-----BEGIN PUBLIC KEY-----".utf8)))
        #expect(short.privatePEM.starts(with: Array("-----BEGIN PRIVATE KEY-----".utf8)))
        for pem in [key.publicPEM, short.privatePEM, Array("nonsense".utf8), []] {
            #expect(PrivateKey(pem: pem) == nil)
        }
    }
}
