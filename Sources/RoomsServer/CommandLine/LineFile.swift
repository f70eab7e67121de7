import Glibc
import Store

/// Reads a file line by line; `-` is standard input.
final class LineFile {
    /// Longer than any line that an export has.
    private static let lineBytesMax = 1 << 20

    private let path: String
    private let descriptor: Int32
    private var bytes: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    init(_ path: String) throws(StoreError) {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .failed(path, detail: String(cString: strerror(errno))) }
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// The next line without its end; nil after the last.
    func next() throws(StoreError) -> [UInt8]? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return Array(bytes[start..<end])
            }
            guard bytes.count - start <= Self.lineBytesMax else {
                throw .failed(path, detail: "it has a line that is too long")
            }
            searched = bytes.count - start
            bytes.removeFirst(start)
            start = 0
            guard try fill() else {
                defer { bytes = [] }
                return bytes.isEmpty ? nil : bytes
            }
        }
    }

    /// Whether there was more.
    private func fill() throws(StoreError) -> Bool {
        guard !isAtEnd else { return false }
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .failed(path, detail: String(cString: strerror(errno))) }
            isAtEnd = count == 0
            bytes += chunk[..<count]
            return count > 0
        }
    }
}
