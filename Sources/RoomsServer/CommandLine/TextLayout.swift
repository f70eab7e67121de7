/// Lays text out for a terminal of at least a hundred columns.
enum TextLayout {
    static let columnsMax = 100

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Breaks a text between words, each line indented.
    static func wrapped(_ text: String, indent: Int, columns: Int = columnsMax) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > columns {
                lines.append(margin + line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        if !line.isEmpty { lines.append(margin + line) }
        return lines.joined(separator: "\n")
    }

    /// A name at the left and its text at the right; a long name gets a line of its own.
    static func entry(_ name: String, _ text: String, column: Int) -> String {
        let body = wrapped(text, indent: column)
        let head = "  " + name
        guard head.count + 2 <= column else { return head + "\n" + body }
        return padded(head, column) + body.dropFirst(column)
    }
}
