import Glibc
import TestSupport
import Wire

/// A client's raw WebSocket, blocking, on which packets of Socket.IO are read as texts.
final class TestClient: @unchecked Sendable {
    private let fd: Int32
    private var buffer: [UInt8] = []
    private var waiting: [String] = []
    private var ackID = 0

    init(port: UInt16) throws {
        fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(fd, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw TestFailure("no connection: \(String(cString: strerror(errno)))") }
    }

    deinit {
        close(fd)
    }

    // MARK: HTTP

    /// The shard that has the connection.
    func shard() throws -> Int? {
        try write(Array("GET /shard HTTP/1.1\r\nHost: t\r\n\r\n".utf8))
        let head = try readHead()
        guard head["content-length"] == "1" else { throw TestFailure("an answer like \(head)") }
        while buffer.isEmpty { try receive() }
        return Int(String(decoding: [buffer.removeFirst()], as: UTF8.self))
    }

    /// Opens the WebSocket and the default namespace.
    ///
    /// - Parameter touch: the form of positions.
    func connect(_ name: String, touch: String? = nil) throws {
        let wishes = touch.map { ",\"rooms\":{\"touch\":\"\($0)\"}" } ?? ""
        try connect(showing: "{\"token\":\"\(name)\"\(wishes)}")
    }

    /// The same with a payload of JSON. Gives that of the answer.
    @discardableResult
    func connect(showing payload: String) throws -> JSONReader {
        try openSession()
        try send("40\(payload)")
        let answer = try text()
        guard answer.hasPrefix("40{") else { throw TestFailure("not let in: \(answer)") }
        return try JSONReader(Array(answer.utf8.dropFirst(2)))
    }

    func openSession() throws {
        let request = """
            GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: websocket\r
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
            """
        try write(Array(request.utf8))
        let head = try readHead()
        guard head.status == 101 else { throw TestFailure("no WebSocket: \(head)") }
        _ = try text()
    }

    private func readHead() throws -> HTTPResponse {
        let head = try HTTPResponse.head(from: &buffer) {
            try receive(into: &$0)
            return true
        }
        guard let head else { throw TestFailure("no response") }
        return head
    }

    // MARK: Packets

    func send(_ text: String) throws {
        var frame: [UInt8] = []
        WebSocketFrame.appendMasked(.text, Array(text.utf8).span, key: 0x5EED_1E55, into: &frame)
        try write(frame)
    }

    func emit(_ event: String, _ argument: String) throws {
        try send("42[\"\(event)\",\(argument)]")
    }

    /// Sends an event with an ack, without waiting for it.
    @discardableResult
    func begin(_ event: String, _ argument: String) throws -> Int {
        ackID += 1
        try send("42\(ackID)[\"\(event)\",\(argument)]")
        return ackID
    }

    /// The ack's object. What comes before it waits.
    func ack(_ id: Int, within milliseconds: Int32 = 20_000) throws -> JSONReader {
        let prefix = "43\(id)["
        var passed: [String] = []
        defer { waiting = passed + waiting }
        while true {
            let text = try text(within: milliseconds)
            guard text.hasPrefix(prefix) else {
                passed.append(text)
                continue
            }
            let items = try JSONReader(Array(text.utf8.dropFirst(prefix.utf8.count - 1))).items ?? []
            guard let item = items.first else { throw TestFailure("an empty ack") }
            return item
        }
    }

    func ask(_ event: String, _ argument: String) throws -> JSONReader {
        try ack(begin(event, argument))
    }

    func join(_ room: String) throws -> JSONReader {
        try ask("room:join", "{\"roomId\":\"\(room)\"}")
    }

    /// The next event of this name, without those before it.
    func event(_ name: String) throws -> [JSONReader] {
        while true {
            let text = try text()
            guard let bracket = text.utf8.firstIndex(of: UInt8(ascii: "[")),
                text.hasPrefix("42[") || text.hasPrefix("451-[")
            else { continue }
            let items = try JSONReader(Array(text.utf8[bracket...])).items ?? []
            if items.first?.string == name { return Array(items.dropFirst()) }
        }
    }

    /// Names of events that have come or come within a short time, up to one of them.
    func names(through last: String) throws -> [String] {
        var names: [String] = []
        while names.last != last {
            let text = try text()
            if text.hasPrefix("42[") { names.append(String(text.split(separator: "\"")[1])) }
        }
        return names
    }

    // MARK: Bytes

    /// The next text. The end of the connection is thrown, with the close frame's code if there was one.
    func text(within milliseconds: Int32 = 20_000) throws -> String {
        if !waiting.isEmpty { return waiting.removeFirst() }
        while true {
            if let (opcode, payload) = takeFrame() {
                if opcode == 1 { return String(decoding: payload, as: UTF8.self) }
                if opcode == 8 { throw TestFailure("closed \(payload.prefix(2).reduce(0) { $0 << 8 | Int($1) })") }
                continue
            }
            try receive(within: milliseconds)
        }
    }

    private func takeFrame() -> (opcode: UInt8, payload: [UInt8])? {
        guard buffer.count >= 2 else { return nil }
        var length = Int(buffer[1])
        var start = 2
        if length >= 126 {
            let count = length == 126 ? 2 : 8
            guard buffer.count >= 2 + count else { return nil }
            length = buffer[2..<2 + count].reduce(0) { $0 << 8 | Int($1) }
            start += count
        }
        guard buffer.count >= start + length else { return nil }
        let frame = (buffer[0] & 15, Array(buffer[start..<start + length]))
        buffer.removeFirst(start + length)
        return frame
    }

    private func receive(within milliseconds: Int32 = 20_000) throws {
        try receive(into: &buffer, within: milliseconds)
    }

    private func receive(into buffer: inout [UInt8], within milliseconds: Int32 = 20_000) throws {
        var descriptor = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, milliseconds) > 0 else { throw TestFailure("nothing came") }
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(fd, &piece, piece.count, 0)
        guard count > 0 else { throw TestFailure("the connection has ended") }
        buffer.append(contentsOf: piece[..<count])
    }

    private func write(_ bytes: [UInt8]) throws {
        let count = bytes.withUnsafeBytes { Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count == bytes.count else { throw TestFailure("not written") }
    }
}
