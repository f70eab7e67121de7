import Glibc
import Wire

/// Serves the files below one directory.
///
/// Only names that are written plainly are served: no dot files, no `..`, no symbolic links, so nothing outside the
/// directory can be reached whatever the path says.
public final class StaticFiles {
    /// Files up to this size are read at once; larger ones are streamed.
    private static let wholeBytesMax = 64 << 10

    private let root: Int32
    /// What browsers may do with a copy without asking again.
    public var cacheControl = "no-cache"

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
        answer(exchange, file)
    }

    private struct File {
        let descriptor: OpenFile
        let name: String
        let size: Int
        let tag: String
    }

    private static func names(in path: String?) -> [Substring]? {
        // By bytes, as the kernel does: a slash with a combining mark behind it is still a slash.
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

    private func openFile(_ names: [Substring]) -> File? {
        var directory: OpenFile?
        for name in names.dropLast() {
            directory = OpenFile(
                openat(directory?.number ?? root, String(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
        }
        guard let last = names.last else { return nil }
        let file = OpenFile(
            openat(directory?.number ?? root, String(last), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
        var status = stat()
        guard file.number >= 0, fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let changed = UInt64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ UInt64(status.st_mtim.tv_nsec)
        let tag = "\"\(String(changed, radix: 36))-\(String(status.st_size, radix: 36))\""
        return File(descriptor: file, name: String(last), size: Int(status.st_size), tag: tag)
    }

    private func answer(_ exchange: HTTPExchange, _ file: File) {
        let headers = [
            ("Content-Type", Self.mediaType(of: file.name)), ("ETag", file.tag), ("Cache-Control", cacheControl),
            ("X-Content-Type-Options", "nosniff"),
        ]
        let known = exchange.head.headers.tokens(named: "If-None-Match")
        // A proxy that compresses makes a weak tag of ours.
        if known.contains(where: { $0 == file.tag || $0 == "W/" + file.tag || $0 == "*" }) {
            return exchange.respond(304, headers)
        }
        if file.size <= Self.wholeBytesMax { return answerWhole(exchange, headers, file) }
        exchange.respond(200, headers, length: file.size) { buffer in
            max(read(file.descriptor.number, buffer.baseAddress, buffer.count), 0)
        }
    }

    /// Head and content go out in one system call.
    private func answerWhole(_ exchange: HTTPExchange, _ headers: [(String, String)], _ file: File) {
        let content = [UInt8](unsafeUninitializedCapacity: file.size) { buffer, count in
            count = max(read(file.descriptor.number, buffer.baseAddress, file.size), 0)
        }
        // Its end was cut off in between.
        guard content.count == file.size else { return exchange.abort() }
        exchange.respond(200, headers, body: content)
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

/// A file descriptor that is closed when nobody holds it any more.
private final class OpenFile {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        if number >= 0 { close(number) }
    }
}
