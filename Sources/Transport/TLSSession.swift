import COpenSSL

/// The TLS side of a connection: records in, plain bytes out, and the reverse, through the shard's shared buffers.
final class TLSSession {
    private let ssl: OpaquePointer
    /// Kept so that a reload does not release the certificate during a handshake.
    private let context: TLSContext
    private var io: UnsafeMutablePointer<rooms_tls_io>
    private var isEstablished = false

    init?(_ context: TLSContext, _ shard: Shard) {
        guard let ssl = rooms_tls_new(context.pointer, shard.tlsIO, false) else { return nil }
        self.ssl = ssl
        self.context = context
        io = shard.tlsIO
    }

    deinit {
        SSL_free(ssl)
    }

    func arrive(on shard: Shard) {
        io = shard.tlsIO
        rooms_tls_set_io(ssl, io)
    }

    // MARK: In

    func receive(_ bytes: UnsafeMutableRawBufferPointer, on connection: Connection) {
        io.pointee.input = UnsafePointer(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        io.pointee.input_count = bytes.count
        defer { io.pointee.input_count = 0 }
        if !isEstablished, !shakeHands(on: connection) { return }
        let plain = connection.shard.plainBuffer
        while connection.state != .closed {
            ERR_clear_error()
            let count = SSL_read(ssl, plain.baseAddress, Int32(plain.count))
            // Reading can cause records to send, such as a change of keys. They are in the buffer that all connections
            // share.
            if io.pointee.output_count > 0, sendRecords(on: connection) == .closed, !connection.isBroken { return }
            if count > 0 {
                connection.receivedPlain(UnsafeMutableRawBufferPointer(rebasing: plain[..<Int(count)]))
                // Most often one record came, and all of it has been read. To ask once more costs as much as a record.
                if io.pointee.input_count == 0, SSL_has_pending(ssl) == 0 { return }
                continue
            }
            readEnded(SSL_get_error(ssl, count), connection)
            return
        }
    }

    private func readEnded(_ error: Int32, _ connection: Connection) {
        switch error {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
        case SSL_ERROR_ZERO_RETURN: connection.peerEnded()
        default: connection.end(.tlsError)
        }
    }

    private func shakeHands(on connection: Connection) -> Bool {
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        let error = status == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl, status)
        guard sendRecords(on: connection) != .closed || connection.isBroken else { return false }
        if status == 1 {
            isEstablished = true
            return true
        }
        if error != SSL_ERROR_WANT_READ { connection.end(.tlsError) }
        return false
    }

    // MARK: Out

    /// Encrypts the pieces into the shared buffer and sends it whenever it is full: many records in one system call.
    func send(_ pieces: Span<UnsafeRawBufferPointer>, on connection: Connection) -> SendResult {
        guard isEstablished else { return .closed }
        // A handler may write to this connection while another connection's input is in the shared buffer. This one
        // must not read it.
        let input = io.pointee.input_count
        io.pointee.input_count = 0
        defer { io.pointee.input_count = input }
        for index in pieces.indices where !encrypt(pieces[index], on: connection) { return .closed }
        return sendRecords(on: connection)
    }

    /// Answers false when the connection has ended.
    private func encrypt(_ piece: UnsafeRawBufferPointer, on connection: Connection) -> Bool {
        var rest = piece
        while !rest.isEmpty {
            ERR_clear_error()
            let count = SSL_write(ssl, rest.baseAddress, Int32(min(rest.count, 1 << 20)))
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[Int(count)...])
                continue
            }
            guard SSL_get_error(ssl, count) == SSL_ERROR_WANT_WRITE else {
                _ = sendRecords(on: connection)
                connection.end(.tlsError)
                return false
            }
            guard sendRecords(on: connection) != .closed else { return false }
        }
        return true
    }

    func sendClose(on connection: Connection) -> SendResult {
        if isEstablished {
            let input = io.pointee.input_count
            io.pointee.input_count = 0
            defer { io.pointee.input_count = input }
            ERR_clear_error()
            SSL_shutdown(ssl)
        }
        return sendRecords(on: connection)
    }

    private func sendRecords(on connection: Connection) -> SendResult {
        let count = io.pointee.output_count
        io.pointee.output_count = 0
        let records: InlineArray<1, UnsafeRawBufferPointer> = [
            UnsafeRawBufferPointer(start: io.pointee.output, count: count)
        ]
        return connection.sendRaw(records.span)
    }
}
