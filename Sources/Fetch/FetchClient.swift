import CCurl
import COpenSSL
import Glibc
import Threads

/// Asks one server, one request after another, over one connection as long as that lasts. For one thread, which does all of
/// the work while it waits for the answer; only names are looked up on threads of libcurl's.
///
/// It follows no redirect, and goes through no proxy, whatever the environment says: a request has secrets in it.
package final class FetchClient {
    fileprivate let url: FetchURL
    fileprivate let caFile: String?
    private let limits: FetchLimits
    private var handle: CurlHandle?
    private var answer: CurlAnswer
    private var answerFault: FetchFault?
    /// Whether the server's name has led to an address.
    fileprivate var hasAddress = false

    /// - Parameter caFile: the authorities that vouch for the server; those of the system when it is nil. They are read
    ///   for each connection, so that a new file takes effect.
    package init(_ url: FetchURL, caFile: String? = nil, limits: FetchLimits) {
        self.url = url
        self.caFile = caFile
        self.limits = limits
        answer = CurlAnswer(limits, isSecure: url.isSecure)
    }

    /// Sends a request and waits for the answer, for as long as the limits allow.
    ///
    /// A server may end a connection that rests just when it is used again. Then the request is sent once more over a new
    /// one: it must be one that does no harm twice.
    package func send(_ request: FetchRequest) throws(FetchFault) -> FetchResponse {
        let deadline = Clock.milliseconds() + limits.milliseconds
        answer = CurlAnswer(limits, isSecure: url.isSecure)
        answerFault = nil
        let handle = try readyHandle()
        let headers = try set(request, handle)
        // What was sent and received can be large, and the next request may be long in coming.
        defer {
            answer = CurlAnswer(limits, isSecure: url.isSecure)
            if request.body != nil { try? handle.setBody([]) }
        }
        let code = try handle.run(headers: headers, deadline: deadline)
        if let answerFault { throw answerFault }
        guard code == CURLE_OK else { throw fault(code, handle) }
        return try answer.end()
    }

    // MARK: What libcurl is told

    private func readyHandle() throws(FetchFault) -> CurlHandle {
        if let handle { return handle }
        let handle = try CurlHandle()
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try handle.set(CURLOPT_PROTOCOLS_STR, url.isSecure ? "https" : "http")
        try handle.set(CURLOPT_HTTP_VERSION, url.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        // No proxy, not even one that the environment names.
        try handle.set(CURLOPT_PROXY, "")
        try handle.set(CURLOPT_USERAGENT, "rooms")
        // The authorities come from `setTrust`. A certificate is checked for each connection, up to one that signed itself.
        try handle.unset(CURLOPT_CAINFO)
        try handle.unset(CURLOPT_CAPATH)
        try handle.set(CURLOPT_SSL_OPTIONS, Int(CURLSSLOPT_NO_PARTIALCHAIN))
        try handle.set(CURLOPT_SSL_SESSIONID_CACHE, 0)
        // Each connection is made with the authorities as they are then: libcurl would keep its own for a day.
        try handle.set(CURLOPT_CA_CACHE_TIMEOUT, 0)
        // An address that does not answer leaves time for the next: libcurl gives each a share of this.
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, Int(limits.milliseconds))
        // Several threads: no signals. A name that is still looked up at the deadline is not waited for.
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_QUICK_EXIT, 1)
        let callbacks = rooms_curl_callbacks(
            head: takeHead, body: takeBody, open_socket: openSocket, set_trust: setTrust)
        try handle.set(callbacks, owner: Unmanaged.passUnretained(self).toOpaque())
        self.handle = handle
        return handle
    }

    /// The lines of the request's head. Those without a value keep libcurl from adding its own.
    private func set(_ request: FetchRequest, _ handle: CurlHandle) throws(FetchFault) -> [String] {
        try handle.set(
            CURLOPT_URL, "\(url.isSecure ? "https" : "http")://\(url.authority)\(request.target ?? url.target)")
        try handle.set(CURLOPT_HTTPGET, 1)
        if let body = request.body { try handle.setBody(body) }
        try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
        try handle.set(CURLOPT_FORBID_REUSE, request.isLast ? 1 : 0)
        return ["Accept:", "Content-Type:", "Expect:"] + request.headers.map { "\($0): \($1)" }
            + ["Accept-Encoding: identity"] + (request.isLast ? ["Connection: close"] : [])
    }

    // MARK: What libcurl tells

    /// False when the answer is not taken, which ends the request.
    fileprivate func take(_ step: (inout CurlAnswer) throws(FetchFault) -> Void) -> Bool {
        do throws(FetchFault) {
            try step(&answer)
            return true
        } catch {
            answerFault = error
            return false
        }
    }

    private func fault(_ code: CURLcode, _ handle: CurlHandle) -> FetchFault {
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

private func client(_ owner: UnsafeMutableRawPointer?) -> FetchClient? {
    owner.map { Unmanaged<FetchClient>.fromOpaque($0).takeUnretainedValue() }
}

private func takeHead(
    _ line: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int {
    let bytes = UnsafeRawBufferPointer(start: line, count: count)
    let isTaken = client(owner)?.take { answer throws(FetchFault) in
        try answer.takeLine(bytes.bindMemory(to: UInt8.self).span)
    }
    return isTaken == true ? count : 0
}

private func takeBody(
    _ content: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ owner: UnsafeMutableRawPointer?
) -> Int {
    let bytes = UnsafeRawBufferPointer(start: content, count: count)
    let isTaken = client(owner)?.take { answer throws(FetchFault) in try answer.takeContent(bytes) }
    return isTaken == true ? count : 0
}

/// What is not encrypted stays on this machine, whatever "localhost" leads to.
private func openSocket(
    _ owner: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let client = client(owner), let address, client.url.isSecure || rooms_curl_is_loopback(address) else {
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
    let isSet = rooms_tls_set_trust(OpaquePointer(context), client.caFile, client.url.host, client.url.isAddress)
    return isSet ? CURLE_OK : CURLE_SSL_CACERT_BADFILE
}
