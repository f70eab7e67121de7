import Wire

/// Promised: no input traps; the events of a whole input are those of the same input in pieces; what is accepted is
/// framed in one way only, and content never exceeds what its head announced.
func fuzzHTTP(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    let whole = HTTPTrace(bytes, pieces: [0..<bytes.count])
    var splits = Splits(seed: bytes.span)
    precondition(HTTPTrace(bytes, pieces: splits.ranges(bytes.count)) == whole, "Events depend on the split.")
    precondition(
        HTTPTrace(bytes, pieces: bytes.indices.map { $0..<$0 + 1 }) == whole, "Events depend on the split.")
}

/// What a parser said about an input, with the content of a request put together.
private struct HTTPTrace: Equatable {
    private var steps: [String] = []
    private var contentCount = 0
    private var content: [UInt8] = []
    private var announced = HTTPRequestHead.Body.none

    /// Small limits, so that the fuzzer finds their edges.
    private static let limits = HTTPLimits(
        headBytesMax: 512, headerCountMax: 8, targetBytesMax: 64, bodyBytesMax: 64, chunkExtensionBytesMax: 16,
        trailerBytesMax: 64)

    init(_ bytes: [UInt8], pieces: [Range<Int>]) {
        var parser = HTTPRequestParser(limits: Self.limits)
        for piece in pieces {
            let part = Array(bytes[piece])
            var offset = 0
            do throws(HTTPParseError) {
                while try read(&parser, part, &offset) {}
            } catch {
                precondition((400...599).contains(error.status) && !error.reason.isEmpty)
                steps.append("\(error.status) \(error.reason)")
                return
            }
            precondition(offset == part.count, "More input is asked for before all was read.")
        }
    }

    /// False when the parser wants more input.
    private mutating func read(
        _ parser: inout HTTPRequestParser, _ part: [UInt8], _ offset: inout Int
    ) throws(HTTPParseError) -> Bool {
        let before = offset
        switch try parser.next(part.span, offset: &offset) {
        case .needMore: return false
        case .head(let head):
            check(head)
            announced = head.body
            content = []
            steps.append(describe(head))
        case .body(let range):
            precondition(!range.isEmpty && range.lowerBound >= before && range.upperBound <= offset)
            content += part[range]
        case .end:
            checkContent()
            steps.append("end \(content)")
        }
        return true
    }

    private func check(_ head: HTTPRequestHead) {
        let lengths = head.headers.all(named: "content-length")
        let codings = head.headers.all(named: "transfer-encoding")
        precondition(lengths.count + codings.count <= 1, "Two framings were accepted.")
        switch head.body {
        case .none: precondition(lengths.isEmpty && codings.isEmpty, "A framing was overlooked.")
        case .length(let length): precondition(lengths.count == 1 && Int(lengths[0]) == length)
        case .chunked: precondition(codings.count == 1 && codings[0].lowercased() == "chunked")
        }
        precondition(head.headers.all(named: "host").count == 1 || head.minorVersion == 0)
        precondition(head.target.utf8.count <= Self.limits.targetBytesMax)
        precondition(head.headers.count <= Self.limits.headerCountMax)
        for index in 0..<head.headers.count {
            let (name, value) = head.headers[index]
            precondition(!name.isEmpty && !value.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7f })
        }
    }

    private func checkContent() {
        switch announced {
        case .none: precondition(content.isEmpty)
        case .length(let length): precondition(content.count == length)
        case .chunked: precondition(content.count <= Self.limits.bodyBytesMax)
        }
    }

    /// All that can be asked of a head, so that all of it runs.
    private func describe(_ head: HTTPRequestHead) -> String {
        let fields = (0..<head.headers.count).map { "\(head.headers[$0])" }
        let query = head.queryItems.map { "\($0.name)=\($0.value) \(head.queryValue($0.name) ?? "")" }
        return """
            \(head.method) \(head.target) \(head.path) \(head.decodedPath ?? "-") \(head.authority ?? "-") \(query) \
            \(head.minorVersion) \(head.body) \(head.keepAlive) \(head.expectsContinue) \(fields) \
            \(head.webSocketUpgrade)
            """
    }
}
