import CCurl
import Threads

/// Asks one web server, one request after another, over one connection as long as that lasts. For one thread, which does all
/// of the work while it waits for the answer; only names are looked up on threads of libcurl's.
///
/// It follows no redirect, and goes through no proxy, whatever the environment says: a request has secrets in it.
package final class FetchClient: CurlClient {
    private let url: FetchURL
    private let limits: FetchLimits
    private var handle: CurlHandle?
    private var answer: CurlAnswer
    private var answerFault: FetchFault?

    /// - Parameter caFile: the authorities that vouch for the server; those of the system when it is nil. They are read
    ///   for each connection, so that a new file takes effect.
    package init(_ url: FetchURL, caFile: String? = nil, limits: FetchLimits) {
        self.url = url
        self.limits = limits
        answer = CurlAnswer(limits, isSecure: url.isSecure)
        super.init(host: url.host, isSecure: url.isSecure, caFile: caFile)
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
        let code = try handle.run(CURLOPT_HTTPHEADER, headers, deadline: deadline)
        if let answerFault { throw answerFault }
        guard code == CURLE_OK else { throw fault(code, handle) }
        return try answer.end()
    }

    private func readyHandle() throws(FetchFault) -> CurlHandle {
        if let handle { return handle }
        let handle = try makeHandle(milliseconds: limits.milliseconds)
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try handle.set(CURLOPT_PROTOCOLS_STR, url.isSecure ? "https" : "http")
        try handle.set(CURLOPT_HTTP_VERSION, url.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_USERAGENT, "rooms")
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

    override func take(head bytes: UnsafeRawBufferPointer) -> Bool {
        take { answer throws(FetchFault) in try answer.takeLine(bytes.bindMemory(to: UInt8.self).span) }
    }

    override func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        take { answer throws(FetchFault) in try answer.takeContent(bytes) }
    }

    /// False when the answer is not taken, which ends the request.
    private func take(_ step: (inout CurlAnswer) throws(FetchFault) -> Void) -> Bool {
        do throws(FetchFault) {
            try step(&answer)
            return true
        } catch {
            answerFault = error
            return false
        }
    }
}
