import COpenSSL

/// The authorities that servers' certificates are checked against. Made once, for any number of clients.
public final class TLSTrust: @unchecked Sendable {
    let context: OpaquePointer

    /// - Parameter authorities: a file of PEM certificates; nil stands for those of the system.
    public init(authorities: String? = nil) throws(ClientError) {
        var fault = [CChar](repeating: 0, count: 512)
        guard let context = rooms_tls_client_context(authorities, &fault, fault.count) else {
            throw .cannotConnect("\(authorities ?? "the system's authorities"): \(Self.text(fault))")
        }
        self.context = context
    }

    deinit {
        SSL_CTX_free(context)
    }

    static func text(_ fault: [CChar]) -> String {
        String(decoding: fault.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
