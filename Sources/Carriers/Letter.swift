import Wire

/// A letter as mail servers take it (RFC 5322).
struct Letter {
    /// Its head and body, with CR LF at the end of each line.
    let bytes: [UInt8]

    /// - Parameter now: seconds since 1970.
    init(_ text: CarriedText, from sender: String, at now: Int64) {
        var generator = SystemRandomNumberGenerator()
        let number = UInt64.random(in: .min ... .max, using: &generator)
        let domain = sender.split(separator: "@").last ?? "localhost"
        let date = String(decoding: HTTPDate(unixSeconds: Int(now)).text.dropLast(3), as: UTF8.self) + "+0000"
        let head = [
            "From: \(sender)", "To: \(text.recipient)", "Subject: \(text.subject)", "Date: \(date)",
            "Message-ID: <\(now).\(number)@\(domain)>", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            // Machines that answer letters leave this one alone.
            "Content-Transfer-Encoding: 8bit", "Auto-Submitted: auto-generated",
        ]
        let body = text.text.split(separator: "\n", omittingEmptySubsequences: false)
        // A value with a line end would begin another line of the head.
        let lines = head.map { $0.filter { !$0.isNewline } } + [""] + body.map(String.init)
        bytes = lines.flatMap { Array($0.utf8) + [0x0d, 0x0a] }
    }
}
