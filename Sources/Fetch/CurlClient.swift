import CCurl
import COpenSSL
import Glibc

/// What clients of libcurl have in common: the server that they talk to, and how far they trust it. For one thread.
package class CurlClient {
    fileprivate let host: String
    /// Whether every connection is encrypted. Otherwise what is sent stays on this machine.
    fileprivate let isSecure: Bool
    fileprivate let caFile: String?
    /// Whether the server's name has led to an address.
    fileprivate var hasAddress = false

    init(host: String, isSecure: Bool, caFile: String?) {
        self.host = host
        self.isSecure = isSecure
        self.caFile = caFile
    }

    func makeHandle(milliseconds: Int64) throws(FetchFault) -> CurlHandle {
        let handle = try CurlHandle()
        // No proxy, not even one that the environment names.
        try handle.set(CURLOPT_PROXY, "")
        // The authorities come from `setTrust`. A certificate is checked for each connection, up to one that signed itself.
        try handle.unset(CURLOPT_CAINFO)
        try handle.unset(CURLOPT_CAPATH)
        try handle.set(CURLOPT_SSL_OPTIONS, Int(CURLSSLOPT_NO_PARTIALCHAIN))
        try handle.set(CURLOPT_SSL_SESSIONID_CACHE, 0)
        // Each connection is made with the authorities as they are then: libcurl would keep its own for a day.
        try handle.set(CURLOPT_CA_CACHE_TIMEOUT, 0)
        // An address that does not answer leaves time for the next: libcurl gives each a share of this.
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(milliseconds))
        // Several threads: no signals. A name that is still looked up at the deadline is not waited for.
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_QUICK_EXIT, 1)
        let callbacks = rooms_curl_callbacks(
            head: takeHead, body: takeBody, open_socket: openSocket, set_trust: setTrust)
        try handle.set(callbacks, owner: Unmanaged.passUnretained(self).toOpaque())
        return handle
    }

    // MARK: What libcurl tells

    /// A line of an answer's head. False when it is not taken, which ends the request.
    func take(head bytes: UnsafeRawBufferPointer) -> Bool { true }
    /// A part of an answer's body. False when it is not taken, which ends the request.
    func take(body bytes: UnsafeRawBufferPointer) -> Bool { true }

    func fault(_ code: CURLcode, _ handle: CurlHandle) -> FetchFault {
        switch code {
        case CURLE_OPERATION_TIMEDOUT where !hasAddress: FetchFault("looking up the server's name took too long")
        case CURLE_OPERATION_TIMEDOUT: FetchFault("the server took too long")
        case CURLE_COULDNT_RESOLVE_HOST: FetchFault("the server's name leads nowhere")
        case CURLE_COULDNT_CONNECT:
            FetchFault("the server cannot be reached: \(String(cString: strerror(handle.systemError)))")
        case CURLE_SSL_CACERT_BADFILE: FetchFault("the certificate authorities cannot be read")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION:
            FetchFault("the TLS handshake with the server failed: \(handle.reason(code))")
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE:
            FetchFault("the server ended the connection within its answer")
        default: FetchFault("the connection to the server failed: \(handle.reason(code))")
        }
    }
}

// MARK: Called by libcurl

private func client(_ owner: UnsafeMutableRawPointer?) -> CurlClient? {
    owner.map { Unmanaged<CurlClient>.fromOpaque($0).takeUnretainedValue() }
}

private func takeHead(
    _ line: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int {
    let isTaken = client(owner)?.take(head: UnsafeRawBufferPointer(start: line, count: count))
    return isTaken == true ? count : 0
}

private func takeBody(
    _ content: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int {
    let isTaken = client(owner)?.take(body: UnsafeRawBufferPointer(start: content, count: count))
    return isTaken == true ? count : 0
}

/// What is not encrypted stays on this machine, whatever "localhost" leads to.
private func openSocket(
    _ owner: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let client = client(owner), let address, client.isSecure || rooms_curl_is_loopback(address) else {
        return CURL_SOCKET_BAD
    }
    client.hasAddress = true
    let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, type, address.pointee.protocol)
}

private func setTrust(
    _ handle: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?, _ owner: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let client = client(owner), let context else { return CURLE_FAILED_INIT }
    let isSet = rooms_tls_set_trust(
        OpaquePointer(context), client.caFile, client.host, ServerAddress.isNumeric(client.host))
    return isSet ? CURLE_OK : CURLE_SSL_CACERT_BADFILE
}
