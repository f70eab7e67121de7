import COpenSSL

/// The client's side of a TLS connection: records in, plain bytes out, and the reverse, through the loop's buffers.
final class TLSChannel {
    enum Failure: Error {
        case ended
        case failed(String)
    }

    private let ssl: OpaquePointer
    private let trust: TLSTrust
    private let io: UnsafeMutablePointer<rooms_tls_io>
    private(set) var isEstablished = false

    init?(_ trust: TLSTrust, _ url: ServerURL, _ loop: ClientLoop) {
        guard let ssl = rooms_tls_new(trust.context, loop.tlsIO, true) else { return nil }
        self.ssl = ssl
        self.trust = trust
        io = loop.tlsIO
        guard rooms_tls_expect_host(ssl, url.host, url.isAddress) else { return nil }
    }

    deinit {
        SSL_free(ssl)
    }

    /// Continues the handshake with the received bytes. Records to send are appended to `records`.
    func shakeHands(_ records: inout [UInt8]) throws(Failure) {
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        let error = status == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl, status)
        takeRecords(&records)
        if status == 1 {
            isEstablished = true
        } else if error == SSL_ERROR_WANT_WRITE {
            // The output is free again: once more.
            try shakeHands(&records)
        } else if error != SSL_ERROR_WANT_READ {
            throw .failed("the TLS handshake failed: \(fault())")
        }
    }

    /// Passes received bytes to the library. `read` then returns their content.
    func provide(_ input: UnsafeRawBufferPointer) {
        io.pointee.input = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        io.pointee.input_count = input.count
    }

    /// The next plain bytes; nil where more records have to come first.
    func read(into buffer: UnsafeMutableRawBufferPointer, _ records: inout [UInt8]) throws(Failure) -> Int? {
        ERR_clear_error()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        if count > 0 { return Int(count) }
        let error = SSL_get_error(ssl, count)
        takeRecords(&records)
        switch error {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return nil
        case SSL_ERROR_ZERO_RETURN: throw .ended
        default: throw .failed("TLS failed: \(fault())")
        }
    }

    func write(_ plain: [UInt8], _ records: inout [UInt8]) throws(Failure) {
        // The shared buffer may have another connection's input, which this one must not read.
        let input = io.pointee.input_count
        io.pointee.input_count = 0
        defer { io.pointee.input_count = input }
        var sent = 0
        while sent < plain.count {
            ERR_clear_error()
            let count = plain.withUnsafeBytes { bytes in
                SSL_write(ssl, bytes.baseAddress.map { $0 + sent }, Int32(clamping: bytes.count - sent))
            }
            if count > 0 {
                sent += Int(count)
                continue
            }
            guard SSL_get_error(ssl, count) == SSL_ERROR_WANT_WRITE else { throw .failed("TLS failed: \(fault())") }
            takeRecords(&records)
        }
        takeRecords(&records)
    }

    private func takeRecords(_ records: inout [UInt8]) {
        let count = io.pointee.output_count
        io.pointee.output_count = 0
        records.append(contentsOf: UnsafeBufferPointer(start: io.pointee.output, count: count))
    }

    private func fault() -> String {
        var fault = [CChar](repeating: 0, count: 256)
        rooms_tls_client_fault(ssl, &fault, fault.count)
        return TLSTrust.text(fault)
    }
}
