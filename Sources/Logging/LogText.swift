/// Writes strings into log lines so that no value can end a line, start another or move a terminal's cursor.
package enum LogText {
    /// A string longer than this is cut and ends in `…`: a client must not be able to fill the log with one value.
    package static let scalarsMax = 1024

    package enum Quoting {
        /// A JSON string's content, also used between the quotes of the text form.
        case quoted
        /// The message of the text form, which stands without quotes.
        case bare
    }

    package static func append(_ text: String, _ quoting: Quoting, to line: inout [UInt8]) {
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < scalarsMax else {
                line.append(contentsOf: "…".utf8)
                return
            }
            append(scalar, quoting, to: &line)
        }
    }

    private static func append(_ scalar: Unicode.Scalar, _ quoting: Quoting, to line: inout [UInt8]) {
        switch scalar {
        case "\n": line.append(contentsOf: #"\n"#.utf8)
        case "\r": line.append(contentsOf: #"\r"#.utf8)
        case "\t": line.append(contentsOf: #"\t"#.utf8)
        case "\"" where quoting == .quoted, "\\" where quoting == .quoted:
            line.append(UInt8(ascii: "\\"))
            line.append(UInt8(ascii: scalar))
        case _ where isUnsafe(scalar):
            appendEscape(scalar.value, to: &line)
        default:
            line.append(contentsOf: scalar.utf8)
        }
    }

    /// Controls of both ranges, line separators, and the marks that reverse the order in which text is shown.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// All unsafe scalars lie below U+10000, so that four digits do.
    private static func appendEscape(_ value: UInt32, to line: inout [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        line.append(contentsOf: #"\u"#.utf8)
        for shift in [12, 8, 4, 0] as [UInt32] {
            line.append(digits[Int(value >> shift & 0xF)])
        }
    }
}
