import COpenSSL
import Wire

@testable import Identity

/// A key pair that a test makes for itself, with what a provider publishes of it.
final class TestKey: @unchecked Sendable {
    enum Kind {
        case rsa(bits: Int32)
        case p256
    }

    let id: String?
    let kind: Kind
    private let key: OpaquePointer

    init?(_ kind: Kind = .rsa(bits: 2048), id: String? = nil) {
        self.kind = kind
        self.id = id
        let name =
            switch kind {
            case .rsa: EVP_PKEY_RSA
            case .p256: EVP_PKEY_EC
            }
        guard let context = EVP_PKEY_CTX_new_id(name, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_keygen_init(context) == 1 else { return nil }
        switch kind {
        case .rsa(let bits): EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits)
        case .p256: EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1)
        }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen(context, &made) == 1, let made else { return nil }
        key = made
    }

    deinit {
        EVP_PKEY_free(key)
    }

    var algorithm: String {
        switch kind {
        case .rsa: "RS256"
        case .p256: "ES256"
        }
    }

    /// The public key in PEM, which an attacker may try as the secret of HS256.
    var publicPEM: [UInt8] { Self.pem { PEM_write_bio_PUBKEY($0, key) } }

    var privatePEM: [UInt8] { Self.pem { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) } }

    private static func pem(_ write: (OpaquePointer) -> Int32) -> [UInt8] {
        guard let memory = BIO_new(BIO_s_mem()) else { return [] }
        defer { BIO_free(memory) }
        guard write(memory) == 1 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = BIO_read(memory, &bytes, 4096)
        return Array(bytes.prefix(Int(max(0, count))))
    }

    // MARK: JWK

    /// As a provider publishes it; `extra` are further members with a comma before each.
    func jwk(_ extra: String = "") -> String {
        let id = id.map { #","kid":"\#($0)""# } ?? ""
        switch kind {
        case .rsa: return #"{"kty":"RSA","n":"\#(number("n"))","e":"\#(number("e"))"\#(id)\#(extra)}"#
        case .p256:
            return
                #"{"kty":"EC","crv":"P-256","x":"\#(number("qx", 32))","y":"\#(number("qy", 32))"\#(id)\#(extra)}"#
        }
    }

    private func number(_ name: String, _ size: Int? = nil) -> String {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(key, name, &number) == 1, let number else { return "" }
        defer { BN_free(number) }
        let count = size ?? Int(BN_num_bits(number) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: count)
        BN_bn2binpad(number, &bytes, Int32(count))
        return base64URL(bytes)
    }

    // MARK: Signing

    /// A signature as a JWT has it.
    func sign(_ message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else { return [] }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return [] }
        signature.removeLast(signature.count - count)
        if case .p256 = kind { return Self.raw(signature) }
        return signature
    }

    private static func raw(_ der: [UInt8]) -> [UInt8] {
        der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &start, bytes.count) else { return [] }
            defer { ECDSA_SIG_free(signature) }
            var raw = [UInt8](repeating: 0, count: 64)
            raw.withUnsafeMutableBufferPointer { raw in
                guard let base = raw.baseAddress else { return }
                BN_bn2binpad(ECDSA_SIG_get0_r(signature), base, 32)
                BN_bn2binpad(ECDSA_SIG_get0_s(signature), base + 32, 32)
            }
            return raw
        }
    }

    func token(_ claims: String, header: String? = nil) -> String {
        let id = id.map { #","kid":"\#($0)""# } ?? ""
        return signedToken(header: header ?? #"{"alg":"\#(algorithm)"\#(id)}"#, claims, sign)
    }
}

func base64URL(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    Base64URL.append(bytes.span, to: &text)
    return String(decoding: text, as: UTF8.self)
}

func decoded(_ text: String) -> [UInt8]? { Base64URL.decode(text.utf8.span) }

func signedToken(header: String, _ claims: String, _ sign: ([UInt8]) -> [UInt8]) -> String {
    let signed = base64URL(Array(header.utf8)) + "." + base64URL(Array(claims.utf8))
    return signed + "." + base64URL(sign(Array(signed.utf8)))
}

/// A token for HS256.
func secretToken(_ claims: String, header: String = #"{"alg":"HS256"}"#, secret: [UInt8]) -> String {
    signedToken(header: header, claims) { HMACSHA256.code(key: secret, message: $0) ?? [] }
}

func keySet(_ keys: [String]) -> [UInt8] { Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8) }
