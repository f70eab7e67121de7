import COpenSSL
import Foundation
import TestSupport
import Wire

/// A blocking client on loopback, plain or TLS.
final class Client: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    struct Response {
        var status = 0
        var headers: [String: String] = [:]
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private(set) var fd: Int32
    private(set) var ssl: OpaquePointer?
    private var buffer: [UInt8] = []
    private(set) var sawReset = false

    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard fd >= 0 else { throw Failure(description: "no socket: \(errno)") }
        configure(receiveBuffer)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(description: "no connection: \(errno)") }
    }

    init(unixPath: String) throws {
        fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard fd >= 0 else { throw Failure(description: "no socket: \(errno)") }
        configure(nil)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: unixPath.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw Failure(description: "no connection: \(errno)") }
    }

    deinit {
        if let ssl { SSL_free(ssl) }
        if fd >= 0 { Foundation.close(fd) }
    }

    private func configure(_ receiveBuffer: Int32?) {
        var patience = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        if var receiveBuffer {
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
    }

    // MARK: TLS

    /// Shakes hands; false when the server refuses.
    func startTLS(alpn: [String] = [], version: Int? = nil) -> Bool {
        guard let context = SSL_CTX_new(TLS_client_method()) else { return false }
        defer { SSL_CTX_free(context) }
        if let version {
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, version, nil)
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, version, nil)
        }
        var wire: [UInt8] = []
        for name in alpn { wire += [UInt8(name.utf8.count)] + name.utf8 }
        if !wire.isEmpty { SSL_CTX_set_alpn_protos(context, wire, UInt32(wire.count)) }
        guard let ssl = SSL_new(context) else { return false }
        self.ssl = ssl
        SSL_set_fd(ssl, fd)
        ERR_clear_error()
        return SSL_connect(ssl) == 1
    }

    var chosenProtocol: String {
        var bytes: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        if let ssl { SSL_get0_alpn_selected(ssl, &bytes, &count) }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }

    /// The serial number of the server's certificate.
    var serverSerial: Int {
        guard let ssl, let certificate = SSL_get1_peer_certificate(ssl) else { return -1 }
        defer { X509_free(certificate) }
        return ASN1_INTEGER_get(X509_get_serialNumber(certificate))
    }

    // MARK: Bytes

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { piece in
                if let ssl { return Int(SSL_write(ssl, piece.baseAddress, Int32(min(piece.count, 1 << 20)))) }
                return Foundation.send(fd, piece.baseAddress, piece.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "cannot send: \(errno)") }
            sent += count
        }
    }

    /// What comes next; empty at the end of the connection.
    private func receive() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = bytes.withUnsafeMutableBytes { space in
            if let ssl { return Int(SSL_read(ssl, space.baseAddress, Int32(space.count))) }
            return recv(fd, space.baseAddress, space.count, 0)
        }
        if count > 0 { return Array(bytes.prefix(count)) }
        if ssl == nil, count < 0 {
            guard errno == ECONNRESET else { throw Failure(description: "nothing came: \(errno)") }
            sawReset = true
        }
        return []
    }

    func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            let more = try receive()
            guard !more.isEmpty else {
                throw Failure(description: "the end after \(buffer.count) of \(count) bytes")
            }
            buffer += more
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    func readLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                let line = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                return String(decoding: line.last == 13 ? Array(line.dropLast()) : line, as: UTF8.self)
            }
            let more = try receive()
            guard !more.isEmpty else { throw Failure(description: "the end within a line of \(buffer.count) bytes") }
            buffer += more
        }
    }

    /// Everything up to the end of the connection.
    func readToEnd() throws -> [UInt8] {
        while true {
            let more = try receive()
            if more.isEmpty { break }
            buffer += more
        }
        defer { buffer = [] }
        return buffer
    }

    /// Whether the connection ends, without another byte, within the patience of a test.
    func isEnded() -> Bool {
        (try? readToEnd())?.isEmpty ?? false
    }

    func shutdownSending() {
        shutdown(fd, Int32(SHUT_WR))
    }

    /// Closes with a reset.
    func reset() {
        var linger = Foundation.linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
        Foundation.close(fd)
        fd = -1
    }

    /// TCP segments with data that came so far.
    var segmentsReceived: UInt32 {
        // Linux: `tcpi_data_segs_in` of `struct tcp_info`, which glibc's header does not have.
        var info = [UInt32](repeating: 0, count: 64)
        var length = socklen_t(info.count * MemoryLayout<UInt32>.size)
        getsockopt(fd, Int32(IPPROTO_TCP), TCP_INFO, &info, &length)
        return info[38]
    }

    // MARK: HTTP

    func get(_ target: String, headers: String = "") throws -> Response {
        try send("GET \(target) HTTP/1.1\r\nHost: h\r\n\(headers)\r\n")
        return try readResponse()
    }

    func readResponse(isHead: Bool = false) throws -> Response {
        let head = try HTTPResponse.head(from: &buffer) { buffer in
            let more = try receive()
            buffer += more
            return !more.isEmpty
        }
        guard let head else { throw Failure(description: "the end within a head of \(buffer.count) bytes") }
        let headers = Dictionary(head.headers.map { ($0.name, $0.value) }) { $1 }
        var response = Response(status: head.status, headers: headers)
        if !isHead, let length = response.headers["content-length"].flatMap(Int.init) {
            response.body = try read(length)
        }
        return response
    }
}

func post(_ target: String, _ body: String, headers: String = "") -> String {
    "POST \(target) HTTP/1.1\r\nHost: h\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}

func get(_ target: String, headers: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: h\r\n\(headers)\r\n"
}
