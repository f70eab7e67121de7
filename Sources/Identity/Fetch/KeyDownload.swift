/// One GET of a key set over a connection of its own.
struct KeyDownload: Sendable {
    let url: KeyServerURL
    let caFile: String?
    let limits: IdentityLimits

    /// Whether the authorities can be used. They are read again for each fetch, so that a new file takes effect.
    func check() throws(IdentityFault) {
        guard url.isSecure else { return }
        do throws(FetchFault) {
            _ = try ClientTrust(caFile: caFile)
        } catch {
            throw IdentityFault(error.reason)
        }
    }

    func run() throws(FetchFault) -> [UInt8] {
        let deadline = Clock.milliseconds() + limits.fetchMilliseconds
        var addresses = try ServerAddress.find(host: url.host, port: url.port, deadline: deadline)
        // What is not encrypted stays on this machine, whatever "localhost" leads to.
        if !url.isSecure { addresses = addresses.filter(\.isLoopback) }
        let socket = try ClientSocket.connect(to: addresses, deadline: deadline)
        guard url.isSecure else { return try body(over: socket) }
        return try body(over: ClientTLS(socket, ClientTrust(caFile: caFile), url))
    }

    private func body(over connection: any KeyServerConnection) throws(FetchFault) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        // An address is far shorter than the buffer.
        buffer.copyBytes(from: request.prefix(buffer.count))
        try connection.send(UnsafeRawBufferPointer(rebasing: buffer[..<min(request.count, buffer.count)]))
        var response = ResponseReader(headBytesMax: limits.responseHeadBytesMax, bodyBytesMax: limits.keySetBytesMax)
        while true {
            let count = try connection.receive(into: buffer)
            guard count > 0 else { throw FetchFault("the key server ended the connection within its answer") }
            if let body = try response.take(buffer[..<count]) { return body }
        }
    }

    private var request: [UInt8] {
        Array(
            """
            GET \(url.target) HTTP/1.1\r
            Host: \(url.authority)\r
            Accept: application/jwk-set+json, application/json\r
            Accept-Encoding: identity\r
            User-Agent: rooms\r
            Connection: close\r
            \r\n
            """.utf8)
    }
}
