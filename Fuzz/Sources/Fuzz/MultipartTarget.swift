import Wire

/// Promised: no input traps; the events are the same however the input is split; limits are kept; and a form that was
/// accepted, written again from its parts, is read as the same parts.
func fuzzMultipart(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    let whole = MultipartTrace(bytes, pieces: [0..<bytes.count])
    var splits = Splits(seed: bytes.span)
    precondition(MultipartTrace(bytes, pieces: splits.ranges(bytes.count)) == whole, "Events depend on the split.")
    precondition(
        MultipartTrace(bytes, pieces: bytes.indices.map { $0..<$0 + 1 }) == whole, "Events depend on the split.")
    guard whole.error == nil else { return }
    let again = whole.rewritten
    precondition(MultipartTrace(again, pieces: [0..<again.count]).contents == whole.contents, "Content has changed.")
}

/// What a parser said about a form.
private struct MultipartTrace: Equatable {
    var parts: [MultipartPart] = []
    var contents: [[UInt8]] = []
    var error: MultipartError?
    private var content: [UInt8] = []

    /// Small limits, so that the fuzzer finds their edges.
    private static let limits = MultipartLimits(
        partsMax: 4, headBytesMax: 256, headerCountMax: 4, preambleBytesMax: 16)

    init(_ bytes: [UInt8], pieces: [Range<Int>]) {
        guard let boundary = MultipartBoundary("XyZ") else { preconditionFailure("a good boundary was refused") }
        var parser = MultipartParser(boundary: boundary, limits: Self.limits)
        do throws(MultipartError) {
            for piece in pieces {
                let part = Array(bytes[piece])
                var offset = 0
                while try read(&parser, part, &offset) {}
                precondition(offset == part.count, "More input is asked for before all was read.")
            }
            try parser.finish()
        } catch {
            precondition(!error.reason.isEmpty)
            self.error = error
        }
        precondition(parts.count <= Self.limits.partsMax)
    }

    private mutating func read(
        _ parser: inout MultipartParser, _ part: [UInt8], _ offset: inout Int
    ) throws(MultipartError) -> Bool {
        let before = offset
        switch try parser.next(part.span, offset: &offset) {
        case .needMore: return false
        case .part(let part): parts.append(part)
        case .content(let range):
            precondition(!range.isEmpty && range.lowerBound >= before && range.upperBound <= offset)
            content += part[range]
        case .heldBack(let count):
            precondition(count > 0 && count < parser.delimiter.count)
            content += parser.delimiter.prefix(count)
        case .partEnd:
            contents.append(content)
            content = []
        }
        return true
    }

    var rewritten: [UInt8] {
        var form: [UInt8] = []
        for content in contents {
            form += Array("--XyZ\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8) + content + [13, 10]
        }
        return form + Array("--XyZ--".utf8)
    }
}
