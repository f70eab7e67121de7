import CCurl
import Glibc
import Threads

/// Asks one web server, one request after another, over one connection as long as that lasts. For one thread, which does all
/// of the work while it waits for the answer; only names are looked up on threads of libcurl's.
///
/// It follows no redirect, and goes through no proxy, whatever the environment says: a request has secrets in it.
package final class FetchClient: CurlClient {
    private let url: FetchURL
    private let limits: FetchLimits
    private let stop: FetchStop?
    private var handle: CurlHandle?
    private var answer: CurlAnswer
    private var answerFault: FetchFault?
    private var sink: (any FetchSink)?

    /// - Parameters:
    ///   - caFile: the authorities that vouch for the server; those of the system when it is nil. They are read for each
    ///     connection, so that a new file takes effect.
    ///   - stop: ends its requests.
    package init(_ url: FetchURL, caFile: String? = nil, limits: FetchLimits, stop: FetchStop? = nil) {
        (self.url, self.limits, self.stop) = (url, limits, stop)
        answer = CurlAnswer(limits, isSecure: url.isSecure)
        super.init(host: url.host, isSecure: url.isSecure, caFile: caFile)
    }

    /// Sends a request and waits for the answer, for as long as the limits allow.
    ///
    /// A server may end a connection that rests just when it is used again. Then the request is sent once more over a new
    /// one: it must be one that does no harm twice.
    package func send(_ request: FetchRequest) throws(FetchFault) -> FetchResponse {
        let streamed = max(request.file?.byteCount ?? 0, request.sink?.bytesMax ?? 0)
        let deadline =
            Clock.milliseconds() + limits.milliseconds
            + Int64(max(streamed, request.body?.count ?? 0) / max(limits.bytesPerSecondMin / 1_000, 1))
        answer = CurlAnswer(limits, isSecure: url.isSecure, contentBytesMax: request.sink?.bytesMax)
        answerFault = nil
        sink = request.sink
        let handle = try readyHandle()
        let headers = try set(request, handle)
        let file = try request.file.map { file throws(FetchFault) in try Self.stream(file) }
        // What was sent and received can be large, and the next request may be long in coming.
        defer {
            answer = CurlAnswer(limits, isSecure: url.isSecure)
            sink = nil
            if request.body != nil { try? handle.setBody([]) }
            if let file { fclose(file) }
        }
        if let file {
            try handle.setBody(file, byteCount: request.file?.byteCount ?? 0)
            try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
        }
        try handle.set(CURLOPT_LOW_SPEED_TIME, streamed > 0 ? limits.slowSecondsMax : 0)
        let code = try handle.run(CURLOPT_HTTPHEADER, headers, deadline: deadline, stop: stop)
        if let answerFault { throw answerFault }
        guard code == CURLE_OK else { throw fault(code, handle) }
        return try answer.end()
    }

    /// A file as libcurl reads it, from its beginning also when it has to be sent again.
    private static func stream(_ file: FetchFile) throws(FetchFault) -> UnsafeMutablePointer<FILE> {
        let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, lseek(copy, 0, SEEK_SET) == 0, let stream = fdopen(copy, "r") else {
            let code = errno
            if copy >= 0 { close(copy) }
            throw FetchFault("the file cannot be read: \(String(cString: strerror(code)))")
        }
        return stream
    }

    private func readyHandle() throws(FetchFault) -> CurlHandle {
        if let handle { return handle }
        let handle = try makeHandle(milliseconds: limits.milliseconds)
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try handle.set(CURLOPT_PROTOCOLS_STR, url.isSecure ? "https" : "http")
        try handle.set(CURLOPT_HTTP_VERSION, url.isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_USERAGENT, "rooms")
        try handle.set(CURLOPT_LOW_SPEED_LIMIT, limits.slowBytesPerSecondMin)
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
        take { [sink] answer throws(FetchFault) in
            let isFirst = answer.bodyBytes == 0
            try answer.takeContent(bytes)
            guard let sink, answer.isContent else { return }
            if isFirst { try sink.begin(byteCount: answer.length) }
            try sink.take(bytes)
        }
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
