import COpenSSL

/// The authorities that a server's certificate is held against.
package final class ClientTrust {
    let context: OpaquePointer

    package init(caFile: String?) throws(FetchFault) {
        var fault = [CChar](repeating: 0, count: 512)
        guard let context = rooms_tls_client_context(caFile, &fault, fault.count) else {
            throw FetchFault(Self.text(fault))
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

/// The client's side of a TLS connection whose peer has proved to be the host that was asked for.
final class ClientTLS: FetchConnection {
    private static let bufferBytes = 32 * 1024

    private let socket: ClientSocket
    private let trust: ClientTrust
    private let ssl: OpaquePointer
    private let io: UnsafeMutablePointer<rooms_tls_io>
    private let input: UnsafeMutableRawBufferPointer
    private let output: UnsafeMutableRawBufferPointer

    init(_ socket: ClientSocket, _ trust: ClientTrust, _ url: FetchURL) throws(FetchFault) {
        let io = UnsafeMutablePointer<rooms_tls_io>.allocate(capacity: 1)
        let input = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 16)
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 16)
        io.initialize(
            to: rooms_tls_io(
                input: nil, input_count: 0, output: output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                output_count: 0, output_capacity: output.count))
        guard let ssl = rooms_tls_new(trust.context, io, true) else {
            io.deallocate()
            input.deallocate()
            output.deallocate()
            throw FetchFault("no TLS connection could be made")
        }
        self.socket = socket
        self.trust = trust
        self.ssl = ssl
        self.io = io
        self.input = input
        self.output = output
        guard rooms_tls_expect_host(ssl, url.host, url.isAddress) else {
            throw FetchFault("the server's name cannot be checked")
        }
        _ = try advance("the TLS handshake with the server failed") { SSL_do_handshake(ssl) }
    }

    deinit {
        SSL_free(ssl)
        io.deallocate()
        input.deallocate()
        output.deallocate()
    }

    var deadline: Int64 {
        get { socket.deadline }
        set { socket.deadline = newValue }
    }

    func send(_ bytes: UnsafeRawBufferPointer) throws(FetchFault) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try advance("the TLS connection to the server failed") {
                SSL_write(ssl, rest.baseAddress, Int32(clamping: rest.count))
            }
            guard count > 0 else { throw FetchFault("the server ended the connection") }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        try sendRecords()
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(FetchFault) -> Int {
        try advance("the TLS connection to the server failed") {
            SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        }
    }

    /// Repeats a step of the library, with records sent and received in between as it needs them.
    private func advance(_ failure: String, _ step: () -> Int32) throws(FetchFault) -> Int {
        while true {
            ERR_clear_error()
            let count = step()
            if count > 0 {
                try sendRecords()
                return Int(count)
            }
            let error = SSL_get_error(ssl, count)
            switch error {
            case SSL_ERROR_ZERO_RETURN: return 0
            case SSL_ERROR_WANT_READ:
                try sendRecords()
                try receiveRecords()
            case SSL_ERROR_WANT_WRITE: try sendRecords()
            default:
                var fault = [CChar](repeating: 0, count: 256)
                rooms_tls_client_fault(ssl, &fault, fault.count)
                // The alert that tells the server; that it does not get there changes nothing.
                try? sendRecords()
                throw FetchFault("\(failure): \(ClientTrust.text(fault))")
            }
        }
    }

    private func sendRecords() throws(FetchFault) {
        let count = io.pointee.output_count
        io.pointee.output_count = 0
        try socket.send(UnsafeRawBufferPointer(rebasing: output[..<count]))
    }

    private func receiveRecords() throws(FetchFault) {
        let count = try socket.receive(into: input)
        guard count > 0 else { throw FetchFault("the server ended the connection") }
        io.pointee.input = UnsafePointer(input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        io.pointee.input_count = count
    }
}
