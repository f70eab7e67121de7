import Wire

/// Feeds a form to a parser in pieces and writes down what comes out, content put together.
struct MultipartRecorder {
    var boundary = "XyZ"
    var limits = MultipartLimits()

    func record(_ input: [UInt8], pieces: [Range<Int>]) -> [String] {
        guard let boundary = MultipartBoundary(boundary) else { return ["no boundary"] }
        var parser = MultipartParser(boundary: boundary, limits: limits)
        var lines: [String] = []
        var content: [UInt8] = []
        do throws(MultipartError) {
            for piece in pieces {
                let bytes = Array(input[piece])
                var offset = 0
                reading: while true {
                    switch try parser.next(bytes.span, offset: &offset) {
                    case .needMore:
                        if offset != bytes.count { lines.append("stopped at \(offset) of \(bytes.count)") }
                        break reading
                    case .part(let part):
                        lines.append("part \(part.name) \(part.filename ?? "-") \(part.contentType ?? "-")")
                    case .content(let range):
                        if range.isEmpty || range.upperBound > offset { lines.append("bad range \(range)") }
                        content += bytes[range]
                    case .heldBack(let count):
                        if count < 1 || count >= parser.delimiter.count { lines.append("bad count \(count)") }
                        content += parser.delimiter.prefix(count)
                    case .partEnd:
                        lines.append("content \(String(decoding: content, as: UTF8.self))")
                        content = []
                    }
                }
            }
            try parser.finish()
            lines.append("complete")
        } catch {
            lines.append("\(error)")
        }
        return lines
    }

    func record(_ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return record(bytes, pieces: [0..<bytes.count])
    }
}
