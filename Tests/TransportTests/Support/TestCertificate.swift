import COpenSSL
import Foundation

@testable import Transport

/// A self-signed certificate with its key in a directory of its own, which goes with it.
final class TestCertificate: Sendable {
    let directory = TemporaryDirectory()

    init(serial: Int = 1) throws {
        try write(serial: serial)
    }

    var files: TLSFiles { TLSFiles(certificate: directory.path("cert.pem"), key: directory.path("key.pem")) }

    /// Replaces both files by new ones.
    func write(serial: Int) throws {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw Client.Failure(description: "no key") }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &made) == 1, let key = made, let certificate = X509_new()
        else { throw Client.Failure(description: "no key") }
        defer {
            EVP_PKEY_free(key)
            X509_free(certificate)
        }
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial)
        X509_gmtime_adj(X509_getm_notBefore(certificate), -86_400)
        X509_gmtime_adj(X509_getm_notAfter(certificate), 86_400)
        X509_set_pubkey(certificate, key)
        X509_sign(certificate, key, EVP_sha256())
        try directory.write("cert.pem", Self.text { PEM_write_bio_X509($0, certificate) })
        try directory.write("key.pem", Self.text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) })
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

/// A directory that goes with the test.
final class TemporaryDirectory: Sendable {
    let root: String

    init() {
        var template = Array("/tmp/transport-tests-XXXXXX".utf8CString)
        mkdtemp(&template)
        root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root)
    }

    func path(_ name: String) -> String { root + "/" + name }

    func write(_ name: String, _ text: String) throws {
        let path = path(name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}
