import COpenSSL

/// Certificates and keys that a test makes for itself, so that none lies in the repository and none runs out.
final class TestCertificate {
    private let key: OpaquePointer
    private let certificate: OpaquePointer

    init?(daysLeft: Int) {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_ED25519, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_keygen(context, &made) == 1, let made,
            let blank = X509_new()
        else { return nil }
        key = made
        certificate = blank
        let day = 86_400
        X509_gmtime_adj(X509_getm_notBefore(certificate), -400 * day)
        X509_gmtime_adj(X509_getm_notAfter(certificate), daysLeft * day + 60)
        X509_set_pubkey(certificate, key)
        X509_sign(certificate, key, nil)
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    var certificatePEM: String { Self.text { PEM_write_bio_X509($0, certificate) } }
    var keyPEM: String { Self.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) } }

    var encryptedKeyPEM: String {
        var phrase = Array("phrase".utf8)
        let count = Int32(phrase.count)
        return Self.text { PEM_write_bio_PrivateKey($0, key, EVP_aes_256_cbc(), &phrase, count, nil, nil) }
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
