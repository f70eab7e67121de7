import COpenSSL

/// A certificate with its key, ready for handshakes. Connections that were made with it keep it over a reload.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ files: TLSFiles) throws(TransportError) {
        var fault = [CChar](repeating: 0, count: 512)
        guard let context = rooms_tls_context(files.certificate, files.key, files.requireTLS13, &fault, fault.count)
        else {
            let reason = String(decoding: fault.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw TransportError(description: "\(files.certificate), \(files.key): \(reason)")
        }
        pointer = context
    }

    deinit {
        SSL_CTX_free(pointer)
    }
}
