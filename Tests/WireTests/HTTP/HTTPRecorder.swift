import Wire

/// Feeds input to a parser in pieces and writes down what comes out, so that two ways of feeding can be compared.
/// Content that comes in several events is written down as one.
struct HTTPRecorder {
    var limits = HTTPLimits()
    /// What the owner sets after each head.
    var bodyBytesMax: Int?

    /// One line per event; `body` with its text; the error, with which a record ends.
    func record(_ input: [UInt8], pieces: [Range<Int>]) -> [String] {
        var parser = HTTPRequestParser(limits: limits)
        var lines: [String] = []
        var body: [UInt8] = []
        for piece in pieces {
            let bytes = Array(input[piece])
            var offset = 0
            do throws(HTTPParseError) {
                reading: while true {
                    switch try parser.next(bytes.span, offset: &offset) {
                    case .needMore:
                        if offset != bytes.count { lines.append("stopped at \(offset) of \(bytes.count)") }
                        break reading
                    case .head(let head):
                        lines.append(Self.describe(head))
                        if let bodyBytesMax { parser.bodyBytesMax = bodyBytesMax }
                    case .body(let range):
                        if range.isEmpty || range.upperBound > offset { lines.append("bad range \(range)") }
                        body += bytes[range]
                    case .end:
                        Self.flush(&body, &lines)
                        lines.append("end")
                    }
                }
            } catch {
                Self.flush(&body, &lines)
                lines.append("\(error.status) \(error.reason)")
                return lines
            }
        }
        Self.flush(&body, &lines)
        return lines
    }

    func record(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return record(bytes, pieces: [0..<bytes.count])
    }

    /// The head of the first request of `text`.
    func head(_ text: String) throws -> HTTPRequestHead {
        var parser = HTTPRequestParser(limits: limits)
        let bytes = Array(text.utf8)
        var offset = 0
        guard case .head(let head) = try parser.next(bytes.span, offset: &offset) else { throw Unfinished() }
        return head
    }

    struct Unfinished: Error {}

    private static func flush(_ body: inout [UInt8], _ lines: inout [String]) {
        if !body.isEmpty { lines.append("body \(String(decoding: body, as: UTF8.self))") }
        body = []
    }

    static func describe(_ head: HTTPRequestHead) -> String {
        let fields = (0..<head.headers.count).map { "\(head.headers[$0].name)=\(head.headers[$0].value)" }
        return """
            \(head.method.name) \(head.target) 1.\(head.minorVersion) \(head.body) \
            keepAlive=\(head.keepAlive) expects=\(head.expectsContinue) \(fields)
            """
    }
}
