/// One event of the log, and its two shapes.
struct LogLine {
    let time: Timestamp
    let level: LogLevel
    let message: String
    let metadata: [(key: String, value: any LogValue)]

    func bytes(_ format: LogFormat.Resolved) -> [UInt8] {
        switch format {
        case .json: json()
        case .text(let isColoured): text(isColoured: isColoured)
        }
    }

    // MARK: JSON

    private func json() -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        line.append(contentsOf: #"{"time":""#.utf8)
        time.append(to: &line)
        line.append(contentsOf: #"","level":""#.utf8)
        line.append(contentsOf: level.rawValue.utf8)
        line.append(contentsOf: #"","message":"#.utf8)
        appendQuoted(message, to: &line)
        for (key, value) in metadata {
            line.append(UInt8(ascii: ","))
            appendQuoted(key, to: &line)
            line.append(UInt8(ascii: ":"))
            appendJSON(value.logScalar, to: &line)
        }
        line.append(contentsOf: "}\n".utf8)
        return line
    }

    private func appendJSON(_ scalar: LogScalar, to line: inout [UInt8]) {
        switch scalar {
        case .string(let text): appendQuoted(text, to: &line)
        case .integer(let integer): line.append(contentsOf: String(integer).utf8)
        case .number(let number): line.append(contentsOf: String(number).utf8)
        case .boolean(let boolean): line.append(contentsOf: String(boolean).utf8)
        }
    }

    private func appendQuoted(_ text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        LogText.append(text, .quoted, to: &line)
        line.append(UInt8(ascii: "\""))
    }

    // MARK: Text

    private func text(isColoured: Bool) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        let dim = isColoured ? "\u{1B}[2m" : ""
        let plain = isColoured ? "\u{1B}[0m" : ""
        line.append(contentsOf: dim.utf8)
        time.append(to: &line)
        line.append(contentsOf: plain.utf8)
        line.append(UInt8(ascii: " "))
        line.append(contentsOf: (isColoured ? colour : "").utf8)
        line.append(contentsOf: level.rawValue.utf8)
        line.append(contentsOf: plain.utf8)
        line.append(contentsOf: String(repeating: " ", count: 8 - level.rawValue.utf8.count).utf8)
        LogText.append(message, .bare, to: &line)
        for (key, value) in metadata {
            line.append(UInt8(ascii: " "))
            line.append(contentsOf: dim.utf8)
            LogText.append(key, .bare, to: &line)
            line.append(UInt8(ascii: "="))
            line.append(contentsOf: plain.utf8)
            appendText(value.logScalar, to: &line)
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private var colour: String {
        switch level {
        case .trace, .debug: "\u{1B}[36m"
        case .info: "\u{1B}[32m"
        case .warning: "\u{1B}[33m"
        case .error: "\u{1B}[31m"
        }
    }

    private func appendText(_ scalar: LogScalar, to line: inout [UInt8]) {
        guard case .string(let text) = scalar, needsQuotes(text) else {
            if case .string(let text) = scalar {
                LogText.append(text, .bare, to: &line)
            } else {
                appendJSON(scalar, to: &line)
            }
            return
        }
        appendQuoted(text, to: &line)
    }

    private func needsQuotes(_ text: String) -> Bool {
        text.isEmpty
            || text.unicodeScalars.contains { scalar in
                scalar == " " || scalar == "\"" || scalar == "=" || scalar == "\\" || LogText.isUnsafe(scalar)
            }
    }
}
