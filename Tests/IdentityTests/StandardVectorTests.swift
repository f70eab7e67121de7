import Testing
import Wire

@testable import Identity

@Suite("The examples of RFC 7515")
struct StandardVectorTests {
    static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    private func token(_ header: String, _ signature: String) throws -> CompactToken {
        try CompactToken("\(header).\(Self.payload).\(signature)", IdentityLimits())
    }

    private func bytes(_ text: String) throws -> [UInt8] {
        try #require(decoded(text))
    }

    @Test("A.1: HS256")
    func hs256() throws {
        let token = try token(
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        let key = try bytes("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
        #expect(token.algorithm == "HS256")
        #expect(token.keyID == nil)
        #expect(HMACSHA256.matches(token.signature, key: key, message: token.signedBytes))
        #expect(!HMACSHA256.matches(token.signature, key: key + [0], message: token.signedBytes + [0]))
        let claims = try #require(UniqueMembers(token.claims))
        #expect(claims["iss"]?.string == "joe")
        #expect(claims["exp"]?.int == 1_300_819_380)
    }

    @Test("A.2: RS256")
    func rs256() throws {
        let token = try token(
            "eyJhbGciOiJSUzI1NiJ9",
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9C"
                + "UAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcO"
                + "Ln6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlV"
                + "mtVrBp0igcN_IoypGlUPQGe77Rw")
        let modulus = try bytes(
            "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2l"
                + "ZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WT"
                + "BEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs9"
                + "1kzk2PAcDTW9gb54h4FRWyuXpoQ")
        let key = try #require(PublicKey(modulus: modulus, exponent: bytes("AQAB"), IdentityLimits()))
        #expect(key.isSignature(token.signature, of: token.signedBytes))
        #expect(!key.isSignature(token.signature, of: token.signedBytes + [0]))
    }

    @Test("A.3: ES256")
    func es256() throws {
        let token = try token(
            "eyJhbGciOiJFUzI1NiJ9",
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
        let x = try bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        let y = try bytes("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        let key = try #require(PublicKey(x: x, y: y))
        #expect(key.isSignature(token.signature, of: token.signedBytes))
        #expect(!key.isSignature(token.signature.reversed(), of: token.signedBytes))
    }
}

@Suite("Base64url")
struct Base64URLTests {
    @Test("comes back as it was, at every length")
    func roundTrip() throws {
        for count in 0...300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
            let text = base64URL(bytes)
            #expect(!text.contains("=") && !text.contains("+") && !text.contains("/"))
            #expect(decoded(text) == bytes)
        }
    }

    @Test(
        "is refused with padding, the other alphabet, blanks, and bits beyond the end",
        arguments: ["YQ==", "YQ=", "_-8+", "/w", "+w", "YQ\n", " YQ", "Y", "YR", "YWJ", "YWE\u{0}", "é"])
    func refused(text: String) {
        #expect(decoded(text) == nil)
    }
}
