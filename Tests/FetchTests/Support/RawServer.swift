import Glibc
import Testing
import Threads

/// A server on loopback that answers with the bytes that a test gives it.
final class RawServer: Sendable {
    struct Answer: Sendable {
        enum End: Sendable {
            /// Closes the connection.
            case close
            /// Answers the next request of the connection.
            case goOn
            /// Sends nothing more and reads nothing more.
            case wait
            /// Sends the last byte again and again.
            case trickle
        }

        var bytes: [UInt8] = []
        /// As how many bytes each time they are sent.
        var pieces = Int.max
        var end = End.goOn

        init(_ text: String = "", pieces: Int = .max, end: End = .goOn) {
            bytes = Array(text.utf8)
            self.pieces = pieces
            self.end = end
        }
    }

    private struct State {
        var requests: [String] = []
        var connections: [Int32] = []
        var isStopped = false
    }

    let port: UInt16
    private let listener: Int32
    private let state = Locked(State())
    private let reads: Bool
    private let answer: @Sendable (_ connection: Int, _ request: Int) -> Answer

    /// - Parameters:
    ///   - reads: whether it waits for a request before it answers.
    ///   - answer: what the nth request of the mth connection is answered with, both counted from zero.
    init(reads: Bool = true, _ answer: @escaping @Sendable (_ connection: Int, _ request: Int) -> Answer) throws {
        (listener, port) = try Self.listen(backlog: 16)
        self.reads = reads
        self.answer = answer
        try #require(SystemThread.detach { self.accept() })
    }

    convenience init(_ answer: Answer) throws {
        try self.init { _, _ in answer }
    }

    /// A socket that listens on loopback.
    static func listen(backlog: Int32) throws -> (socket: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Glibc.listen(listener, backlog) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        try #require(status)
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    func url(_ path: String = "/", scheme: String = "http") -> String { "\(scheme)://127.0.0.1:\(port)\(path)" }

    /// As they came, head and body.
    var requests: [String] { state.withLock { $0.requests } }

    var connectionCount: Int { state.withLock { $0.connections.count } }

    func stop() {
        let connections = state.withLock { state in
            state.isStopped = true
            return state.connections
        }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    // MARK: The threads

    private func accept() {
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { break }
            let number: Int? = state.withLock { state in
                guard !state.isStopped else { return nil }
                state.connections.append(connection)
                return state.connections.count - 1
            }
            guard let number, SystemThread.detach({ self.serve(connection, number) }) else { break }
        }
        close(listener)
    }

    /// The descriptor stays open until the process ends, so that `stop` shuts down no other one of its number.
    private func serve(_ connection: Int32, _ number: Int) {
        defer { shutdown(connection, Int32(SHUT_RDWR)) }
        var request = 0
        while let text = readRequest(connection) {
            state.withLock { $0.requests.append(text) }
            let answer = answer(number, request)
            request += 1
            guard send(answer.bytes, answer.pieces, connection) else { return }
            switch answer.end {
            case .goOn: continue
            case .close: return
            case .wait: while poll(nil, 0, 50) == 0, !isStopped {}
            case .trickle: while poll(nil, 0, 20) == 0, send(answer.bytes.suffix(1), 1, connection) {}
            }
        }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Nil at the end of the connection.
    private func readRequest(_ connection: Int32) -> String? {
        guard reads else { return "" }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[1].utf8.count >= Self.length(parts[0]) { return text }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
        }
    }

    private static func length(_ head: Substring) -> Int {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
        return line.flatMap { Int($0.dropFirst(16)) } ?? 0
    }

    private func send(_ bytes: some Collection<UInt8>, _ pieces: Int, _ connection: Int32) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            guard Glibc.send(connection, piece, piece.count, Int32(MSG_NOSIGNAL)) == piece.count else { return false }
            rest = rest.dropFirst(piece.count)
        }
        return true
    }
}

extension RawServer {
    static let ok = "HTTP/1.1 200 OK\r\n"
    static let hello = ok + "Content-Length: 5\r\n\r\nhello"
}
