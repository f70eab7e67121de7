import CCurl
import Glibc
import Threads

/// Gives letters to one mail server, each over a connection of its own. For one thread.
package final class MailClient: CurlClient {
    package enum Outcome: Sendable, Equatable {
        case taken
        /// The server does not take letters for this recipient.
        case noRecipient
    }

    private let url: MailURL
    private let sender: String
    private let user: String?
    private let password: [UInt8]
    private let milliseconds: Int64

    /// - Parameters:
    ///   - sender: the address to which the server sends what cannot be delivered.
    ///   - user: nil for a server that asks for no password.
    package init(
        _ url: MailURL, sender: String, user: String?, password: [UInt8], caFile: String? = nil, milliseconds: Int64
    ) {
        self.url = url
        self.sender = sender
        self.user = user
        self.password = password
        self.milliseconds = milliseconds
        super.init(host: url.server.host, isSecure: !url.isPlain, caFile: caFile)
    }

    /// - Parameters:
    ///   - recipient: an address without brackets and blanks.
    ///   - letter: its head and body, with CR LF at the end of each line.
    package func send(_ letter: [UInt8], to recipient: String) throws(FetchFault) -> Outcome {
        let handle = try makeHandle(milliseconds: milliseconds)
        try handle.set(CURLOPT_URL, url.text)
        try handle.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        try handle.set(CURLOPT_USE_SSL, Int((url.isPlain ? CURLUSESSL_NONE : CURLUSESSL_ALL).rawValue))
        if let user {
            try handle.set(CURLOPT_USERNAME, user)
            try handle.set(CURLOPT_PASSWORD, String(decoding: password, as: UTF8.self))
        }
        try handle.set(CURLOPT_MAIL_FROM, "<\(sender)>")
        try handle.set(CURLOPT_UPLOAD, 1)
        // libcurl waits for some answers, also for that to its farewell, without looking at the deadline.
        try handle.set(CURLOPT_TIMEOUT_MS, Int(milliseconds))
        try handle.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Int(max(milliseconds / 2_000, 1)))
        try handle.set(CURLOPT_FORBID_REUSE, 1)
        let code = try run(handle, letter, to: recipient)
        if code == CURLE_OK { return .taken }
        let reason = handle.reason(code)
        // Other statuses are about the server or its set-up.
        if code == CURLE_SEND_ERROR, reason.hasPrefix("RCPT"), [550, 551].contains(handle.status) {
            return .noRecipient
        }
        if code == CURLE_LOGIN_DENIED { throw FetchFault("the mail server refuses the user or the key") }
        if code == CURLE_USE_SSL_FAILED { throw FetchFault("the mail server offers no encryption (STARTTLS)") }
        if handle.status >= 400 { throw FetchFault("the mail server answers \(handle.status)") }
        throw fault(code, handle)
    }

    private func run(_ handle: CurlHandle, _ letter: [UInt8], to recipient: String) throws(FetchFault) -> CURLcode {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: letter.count, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: letter)
        guard let file = fmemopen(bytes.baseAddress, bytes.count, "r") else {
            throw FetchFault("the letter cannot be read")
        }
        defer { fclose(file) }
        try handle.setUpload(file)
        let deadline = Clock.milliseconds() + milliseconds
        return try handle.run(CURLOPT_MAIL_RCPT, ["<\(recipient)>"], deadline: deadline)
    }
}
