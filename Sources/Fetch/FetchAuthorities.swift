import COpenSSL

/// The authorities that a server's certificate is checked against.
package enum FetchAuthorities {
    /// Throws unless they can be read. The system's stand for a file that is nil.
    package static func check(_ file: String?) throws(FetchFault) {
        var fault = [CChar](repeating: 0, count: 512)
        guard let context = rooms_tls_client_context(file, &fault, fault.count) else {
            throw FetchFault(String(decoding: fault.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        SSL_CTX_free(context)
    }
}
