import COpenSSL
import Testing

/// A certificate authority that a test makes for itself, and servers' certificates of it.
final class TestAuthority {
    private let key: OpaquePointer
    private let certificate: OpaquePointer

    init?() {
        guard let key = Self.makeKey() else { return nil }
        let certificate = Self.certificate(
            for: key, name: "Test authority",
            extensions: [(NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign")],
            issuer: nil, signer: key, daysLeft: 2)
        guard let certificate else { return nil }
        self.key = key
        self.certificate = certificate
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    var pem: String { Self.text { PEM_write_bio_X509($0, certificate) } }

    /// Certificate and key in PEM for these names, written like `DNS:localhost,IP:127.0.0.1`.
    func issue(_ names: String, daysLeft: Int = 1) throws -> (certificate: String, key: String) {
        let key = try #require(Self.makeKey())
        defer { EVP_PKEY_free(key) }
        let issued = Self.certificate(
            for: key, name: "Test server", extensions: [(NID_subject_alt_name, names)],
            issuer: X509_get_subject_name(self.certificate), signer: self.key, daysLeft: daysLeft)
        let certificate = try #require(issued)
        defer { X509_free(certificate) }
        return (
            Self.text { PEM_write_bio_X509($0, certificate) },
            Self.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        )
    }

    private static func makeKey() -> OpaquePointer? {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &made) == 1
        else { return nil }
        return made
    }

    private static func certificate(
        for key: OpaquePointer, name: String, extensions: [(Int32, String)], issuer: OpaquePointer?,
        signer: OpaquePointer, daysLeft: Int
    ) -> OpaquePointer? {
        guard let certificate = X509_new() else { return nil }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...1 << 40))
        X509_gmtime_adj(X509_getm_notBefore(certificate), -10 * 86_400)
        X509_gmtime_adj(X509_getm_notAfter(certificate), daysLeft * 86_400)
        let title = Array(name.utf8)
        X509_NAME_add_entry_by_txt(
            X509_get_subject_name(certificate), "CN", MBSTRING_FLAG | 1, title, Int32(title.count), -1, 0)
        X509_set_issuer_name(certificate, issuer ?? X509_get_subject_name(certificate))
        X509_set_pubkey(certificate, key)
        for (kind, text) in extensions {
            guard let made = X509V3_EXT_conf_nid(nil, nil, kind, text) else { return nil }
            X509_add_ext(certificate, made, -1)
            X509_EXTENSION_free(made)
        }
        return X509_sign(certificate, signer, EVP_sha256()) > 0 ? certificate : nil
    }

    private static func text(_ write: (OpaquePointer) -> Int32) -> String {
        guard let memory = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(memory) }
        guard write(memory) == 1 else { return "" }
        var bytes = [UInt8](repeating: 0, count: 16 * 1024)
        let count = BIO_read(memory, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
    }
}
