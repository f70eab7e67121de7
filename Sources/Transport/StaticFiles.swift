import Glibc
import Wire

/// Serves the files below one directory.
///
/// It serves only plain names: no dot files, no `..`, no symbolic links. So no path reaches a file outside the
/// directory.
public final class StaticFiles: HTTPService {
    /// Files up to this size are read at once; larger ones are streamed, and can be asked for in parts.
    private static let wholeBytesMax = 64 << 10

    private let root: Int32
    /// How long browsers may use a copy without asking again.
    public var cacheControl = "no-cache"
    /// The threads that read larger files; without them the loop reads.
    public var threads: WorkerThreads?

    public init(directory: String) throws(TransportError) {
        root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else {
            throw TransportError(description: "\(directory): \(String(cString: strerror(errno)))")
        }
    }

    deinit {
        close(root)
    }

    /// Answers a GET or HEAD of a file; a directory stands for its `index.html`.
    public func handle(_ exchange: HTTPExchange) {
        guard exchange.head.method == .get || exchange.head.method == .head else {
            return exchange.respond(405, [("Allow", "GET, HEAD")], text: "Method not allowed\n")
        }
        guard let names = Self.names(in: exchange.head.decodedPath), let file = openFile(names) else {
            return exchange.respond(404, text: "Not found\n")
        }
        answer(exchange, file.file, name: file.name)
    }

    private static func names(in path: String?) -> [Substring]? {
        // Compared by bytes, as the kernel does: a slash with a combining mark after it is still a slash.
        guard let bytes = path?.utf8, bytes.first == UInt8(ascii: "/") else { return nil }
        var names = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { Substring($0) }
        if names.last == "" { names[names.count - 1] = "index.html" }
        guard names.count <= 32 else { return nil }
        for name in names where name.isEmpty || name.utf8.first == UInt8(ascii: ".") || name.utf8.count > 255 {
            return nil
        }
        return names
    }

    private func openFile(_ names: [Substring]) -> (file: OpenFile, name: String)? {
        var directory: Int32?
        defer { if let directory { close(directory) } }
        for name in names.dropLast() {
            let inner = openat(
                directory ?? root, String(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if let directory { close(directory) }
            directory = nil
            guard inner >= 0 else { return nil }
            directory = inner
        }
        guard let last = names.last else { return nil }
        let descriptor = openat(
            directory ?? root, String(last), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        return OpenFile(descriptor: descriptor).map { ($0, String(last)) }
    }

    private func answer(_ exchange: HTTPExchange, _ file: OpenFile, name: String) {
        let tag = "\"\(String(file.modified, radix: 36))-\(String(file.size, radix: 36))\""
        let answer = FileAnswer(
            file: file, tag: tag, mediaType: Self.mediaType(of: name), cacheControl: cacheControl)
        if file.size > Self.wholeBytesMax || exchange.head.headers.contains(named: "Range")
            || exchange.head.headers.contains(named: "If-None-Match")
        {
            exchange.respond(answer, on: threads)
        } else {
            answerWhole(exchange, answer)
        }
    }

    /// Head and content are sent in one system call.
    private func answerWhole(_ exchange: HTTPExchange, _ answer: FileAnswer) {
        let file = answer.file
        // An array of no capacity is the one that all threads share, and its count would be written.
        guard file.size > 0 else { return exchange.respond(200, answer.headersOfWhole, body: []) }
        let content = [UInt8](unsafeUninitializedCapacity: file.size) { buffer, count in
            count = file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
        // The file was truncated meanwhile.
        guard content.count == file.size else { return exchange.abort() }
        exchange.respond(200, answer.headersOfWhole, body: content)
    }

    private static func mediaType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json", "map": "application/json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "txt": "text/plain; charset=utf-8"
        case "wasm": "application/wasm"
        default: "application/octet-stream"
        }
    }
}
