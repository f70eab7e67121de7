import CCurl
import Glibc
import Threads

/// libcurl's handles for one server, which hold its connection while that rests. For one thread.
///
/// What is set stays set for all requests. libcurl works on a request only within `run`, on the thread that calls it.
final class CurlHandle {
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    private let fault = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init() throws(FetchFault) {
        guard Self.isLibraryReady, let easy = curl_easy_init() else { throw Self.cannotStart }
        guard let multi = curl_multi_init() else {
            curl_easy_cleanup(easy)
            throw Self.cannotStart
        }
        self.easy = easy
        self.multi = multi
        fault.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try check(rooms_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, fault))
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
        fault.deallocate()
    }

    private static let cannotStart = FetchFault("libcurl cannot be started")

    // MARK: Options

    func set(_ option: CURLoption, _ number: Int) throws(FetchFault) {
        try check(rooms_curl_set_number(easy, option, number))
    }

    func set(_ option: CURLoption, _ text: String) throws(FetchFault) {
        try check(rooms_curl_set_text(easy, option, text))
    }

    /// Resets an option to its default.
    func unset(_ option: CURLoption) throws(FetchFault) {
        try check(rooms_curl_set_pointer(easy, option, nil))
    }

    /// - Parameter owner: has to live as long as requests are run.
    func set(_ callbacks: rooms_curl_callbacks, owner: UnsafeMutableRawPointer) throws(FetchFault) {
        try check(rooms_curl_set_callbacks(easy, callbacks, owner))
    }

    /// What is sent to a server that is no web server. It is read until the request has ended.
    func setUpload(_ file: UnsafeMutablePointer<FILE>) throws(FetchFault) {
        try check(rooms_curl_set_pointer(easy, CURLOPT_READDATA, file))
    }

    /// So many bytes of a file are sent to a web server.
    func setBody(_ file: UnsafeMutablePointer<FILE>, byteCount: Int) throws(FetchFault) {
        try check(rooms_curl_set_file(easy, file, byteCount))
    }

    func setBody(_ bytes: [UInt8]) throws(FetchFault) {
        try check(rooms_curl_set_body(easy, bytes, bytes.count))
    }

    private func check(_ code: CURLcode) throws(FetchFault) {
        guard code == CURLE_OK else { throw FetchFault("libcurl refuses an option: \(Self.text(code))") }
    }

    // MARK: A request

    /// How long a request goes on at most that is to end.
    private static let stopMilliseconds: Int64 = 250

    /// Sends the request that is set, with these lines for an option, and waits for its end or the deadline.
    ///
    /// - Parameter stop: ends it before.
    func run(
        _ option: CURLoption, _ lines: [String], deadline: Int64, stop: FetchStop? = nil
    ) throws(FetchFault) -> CURLcode {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) ?? list }
        defer { curl_slist_free_all(list) }
        try check(rooms_curl_set_pointer(easy, option, list))
        fault.pointee = 0
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else { throw Self.cannotStart }
        // A request that has not ended yet ends with that, and its connection.
        defer { curl_multi_remove_handle(multi, easy) }
        while true {
            var running: Int32 = 0
            guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
            var code = CURLE_OK
            if rooms_curl_has_ended(multi, &code) { return code }
            let left = deadline - Clock.milliseconds()
            guard left > 0 else { return CURLE_OPERATION_TIMEDOUT }
            guard stop?.isSet != true else { throw FetchFault("the server stops") }
            let pause = stop == nil ? left : min(left, Self.stopMilliseconds)
            guard curl_multi_poll(multi, nil, 0, Int32(clamping: pause), nil) == CURLM_OK else {
                return CURLE_FAILED_INIT
            }
        }
    }

    // MARK: Why it failed

    /// What libcurl says about the failure of the last request.
    func reason(_ code: CURLcode) -> String {
        fault.pointee == 0 ? Self.text(code) : String(cString: fault)
    }

    /// The last status that the server answered; zero when there is none.
    var status: Int { rooms_curl_status(easy) }

    /// The `errno` of the last connection that could not be made; zero when there is none.
    var systemError: Int32 { rooms_curl_system_error(easy) }

    private static func text(_ code: CURLcode) -> String { String(cString: curl_easy_strerror(code)) }
}
