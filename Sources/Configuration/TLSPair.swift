import COpenSSL

/// A certificate chain and its private key, checked like the server will use them.
enum TLSPair {
    enum Finding: Equatable {
        /// `daysLeft` is negative once the certificate has run out.
        case good(daysLeft: Int)
        case noCertificate, noKey, mismatch
    }

    static func check(certificate: String, key: String) -> Finding {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let context = SSL_CTX_new(TLS_server_method()) else { return .noCertificate }
        defer { SSL_CTX_free(context) }
        // OpenSSL would otherwise ask the terminal for the pass phrase of an encrypted key.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else { return .noCertificate }
        guard let own = SSL_CTX_get0_certificate(context) else { return .noCertificate }
        let publicKey = X509_get0_pubkey(own)
        guard let privateKey = readKey(key) else { return .noKey }
        defer { EVP_PKEY_free(privateKey) }
        guard EVP_PKEY_eq(publicKey, privateKey) == 1 else { return .mismatch }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(own)) == 1 else { return .noCertificate }
        return .good(daysLeft: seconds < 0 ? Int(days) - 1 : Int(days))
    }

    private static func readKey(_ path: String) -> OpaquePointer? {
        guard let file = BIO_new_file(path, "r") else { return nil }
        defer { BIO_free(file) }
        return PEM_read_bio_PrivateKey(file, nil, { _, _, _, _ in 0 }, nil)
    }
}
