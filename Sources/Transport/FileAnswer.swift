import Wire

/// A file as an answer, with its headers.
public struct FileAnswer: Sendable {
    public var file: OpenFile
    /// A strong entity tag with its quotation marks. Others with the same tag must have the same bytes.
    public var tag: String
    public var mediaType: String
    public var cacheControl: String
    /// Further headers, of a complete answer and of a part alike.
    public var headers: [(String, String)] = []

    public init(file: OpenFile, tag: String, mediaType: String, cacheControl: String) {
        self.file = file
        self.tag = tag
        self.mediaType = mediaType
        self.cacheControl = cacheControl
    }

    /// The headers of every answer, also of one that says that the client's copy is up to date.
    var commonHeaders: [(String, String)] {
        [
            ("ETag", tag), ("Cache-Control", cacheControl), ("Accept-Ranges", "bytes"),
            ("X-Content-Type-Options", "nosniff"),
        ] + headers
    }

    var headersOfWhole: [(String, String)] { commonHeaders + [("Content-Type", mediaType)] }
}

extension HTTPExchange {
    /// Answers a GET or HEAD with a file, whole or in part as the client asks (RFC 9110, sections 13 and 14). With
    /// threads, the file is read there, so no loop waits for a disk.
    public func respond(_ answer: FileAnswer, on threads: WorkerThreads? = nil) {
        guard head.method == .get || head.method == .head else {
            return respond(405, [("Allow", "GET, HEAD")], text: "Method not allowed\n")
        }
        if isKnown(answer.tag) { return respond(304, answer.commonHeaders) }
        let size = answer.file.size
        let typed = answer.headersOfWhole
        switch askedRange(answer) {
        case .whole:
            send(200, typed, answer.file, 0..<size, threads)
        case .part(let range):
            let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
            send(206, typed + [("Content-Range", place)], answer.file, range, threads)
        case .unsatisfiable:
            respond(416, answer.commonHeaders + [("Content-Range", "bytes */\(size)")])
        }
    }

    /// A proxy that compresses turns a strong tag into a weak one.
    private func isKnown(_ tag: String) -> Bool {
        head.headers.tokens(named: "If-None-Match").contains { $0 == tag || $0 == "W/" + tag || $0 == "*" }
    }

    private func askedRange(_ answer: FileAnswer) -> HTTPByteRange {
        guard head.method == .get else { return .whole }
        // The client has a part of another version, so it gets this one completely.
        if let condition = head.headers.first(named: "If-Range"), condition != answer.tag { return .whole }
        let asked = head.headers.all(named: "Range")
        return HTTPByteRange(header: asked.count == 1 ? asked[0] : nil, size: answer.file.size)
    }

    private func send(
        _ status: Int, _ headers: [(String, String)], _ file: OpenFile, _ range: Range<Int>, _ threads: WorkerThreads?
    ) {
        guard let threads, let shard, head.method == .get else {
            var offset = range.lowerBound
            return respond(status, headers, length: range.count) { buffer in
                let count = file.read(into: buffer, at: offset)
                offset += count
                return count
            }
        }
        let pump = FilePump(self, file, range, threads, shard.mailboxes[shard.index])
        respond(status, headers, length: range.count, from: pump.fill)
    }
}

/// Reads a file ahead of a streamed answer, one block at a time, on another thread.
///
/// It belongs to the loop's thread. A job holds it on its way to the other thread and back, but touches only the file.
private final class FilePump {
    /// Each download has one block in memory.
    private static let blockBytes = 128 << 10

    private weak var exchange: HTTPExchange?
    private let file: OpenFile
    private let threads: WorkerThreads
    private let mailbox: ShardMailbox
    /// The range that was not read yet.
    private var remaining: Range<Int>
    private var block: [UInt8] = []
    /// The part of the block that was sent.
    private var used = 0
    private var isReading = false
    private var hasFailed = false

    init(
        _ exchange: HTTPExchange, _ file: OpenFile, _ range: Range<Int>, _ threads: WorkerThreads,
        _ mailbox: ShardMailbox
    ) {
        self.exchange = exchange
        self.file = file
        self.threads = threads
        self.mailbox = mailbox
        remaining = range
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, block.count - used)
        guard count > 0 else {
            readBlock()
            return hasFailed ? 0 : HTTPExchange.notYet
        }
        block.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[used..<used + count])) }
        used += count
        return count
    }

    private func readBlock() {
        guard !isReading, !hasFailed else { return }
        let range = remaining.lowerBound..<min(remaining.lowerBound + Self.blockBytes, remaining.upperBound)
        remaining = range.upperBound..<remaining.upperBound
        isReading = true
        let parcel = PumpParcel(pump: self)
        let isSubmitted = threads.submit { [file, mailbox] in
            let block = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
                count = file.read(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
            }
            mailbox.insist(ReadBlock(parcel: parcel, bytes: block))
        }
        if !isSubmitted { hasFailed = true }
    }

    fileprivate func took(_ block: [UInt8]) {
        isReading = false
        // The file was truncated meanwhile, or the disk failed. The client sees the answer end early.
        hasFailed = block.isEmpty
        self.block = block
        used = 0
        exchange?.continueAnswer()
    }
}

/// Carries a pump to the reading thread and back. Only the shard's thread looks into it.
private struct PumpParcel: @unchecked Sendable {
    let pump: FilePump
}

/// A block of the file; empty when it could not be read.
private struct ReadBlock: ShardItem {
    let parcel: PumpParcel
    let bytes: [UInt8]

    func arrive(on shard: Shard) {
        parcel.pump.took(bytes)
    }
}
