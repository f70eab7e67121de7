import CCurl
import Glibc
import Testing

@testable import Fetch

@Suite("A client of another server", .timeLimit(.minutes(2)))
struct FetchClientTests {
    private func client(_ url: String, milliseconds: Int64 = 20_000) throws -> FetchClient {
        FetchClient(
            try #require(FetchURL(url)), limits: FetchLimits(bodyBytesMax: 1_000, milliseconds: milliseconds))
    }

    private func reason(_ client: FetchClient) -> String {
        do throws(FetchFault) {
            return "status \(try client.send(FetchRequest()).status)"
        } catch {
            return error.reason
        }
    }

    // MARK: Requests

    @Test("sends what the request says and its own name, nothing else")
    func request() throws {
        let server = try RawServer(.init(RawServer.hello))
        defer { server.stop() }
        let client = try client(server.url("/a/../b?c=d"))
        let request = FetchRequest(
            "POST", headers: [("Content-Type", "text/plain"), ("X", "y")], body: Array("abc\0".utf8))
        #expect(try client.send(request).body == Array("hello".utf8))
        _ = try client.send(FetchRequest(headers: [("Accept", "a/b")]))
        _ = try client.send(FetchRequest("POST", body: []))
        _ = try client.send(FetchRequest("DELETE", isLast: true))
        let common = "Host: 127.0.0.1:\(server.port)\r\nUser-Agent: rooms\r\n"
        #expect(
            server.requests == [
                "POST /a/../b?c=d HTTP/1.1\r\n\(common)Content-Type: text/plain\r\nX: y\r\n"
                    + "Accept-Encoding: identity\r\nContent-Length: 4\r\n\r\nabc\0",
                "GET /a/../b?c=d HTTP/1.1\r\n\(common)Accept: a/b\r\nAccept-Encoding: identity\r\n\r\n",
                "POST /a/../b?c=d HTTP/1.1\r\n\(common)Accept-Encoding: identity\r\nContent-Length: 0\r\n\r\n",
                "DELETE /a/../b?c=d HTTP/1.1\r\n\(common)Accept-Encoding: identity\r\nConnection: close\r\n\r\n",
            ])
        #expect(server.connectionCount == 1)
    }

    @Test("sends a large body")
    func largeBody() throws {
        let server = try RawServer(.init(RawServer.hello))
        defer { server.stop() }
        let body = [UInt8](repeating: 0x78, count: 3_000_000)
        #expect(try client(server.url()).send(FetchRequest("POST", body: body)).status == 200)
        #expect(server.requests.first?.hasSuffix(String(repeating: "x", count: 3_000_000)) == true)
    }

    // MARK: Connections

    @Test("uses one connection until a request says that it is the last")
    func reuse() throws {
        let server = try RawServer(.init(RawServer.hello))
        defer { server.stop() }
        let client = try client(server.url())
        for isLast in [false, false, true, true, false] { _ = try client.send(FetchRequest(isLast: isLast)) }
        #expect(server.connectionCount == 3)
    }

    @Test("sends a request once more when the connection that rested has ended", arguments: [true, false])
    func restingConnectionEnds(isClosedBefore: Bool) throws {
        let server = try RawServer { connection, request in
            if connection == 0, request == 0 { return .init(RawServer.hello, end: isClosedBefore ? .close : .goOn) }
            return connection == 0 ? .init(end: .close) : .init(RawServer.hello)
        }
        defer { server.stop() }
        let client = try client(server.url())
        for _ in 0..<3 { #expect(try client.send(FetchRequest("POST", body: [1])).status == 200) }
        #expect(server.connectionCount == 2)
    }

    @Test("follows no redirect")
    func redirect() throws {
        let other = try RawServer(.init(RawServer.hello))
        let moved = "HTTP/1.1 302 Found\r\nLocation: \(other.url("/x"))\r\nContent-Length: 0\r\n\r\n"
        let server = try RawServer(.init(moved))
        defer {
            other.stop()
            server.stop()
        }
        #expect(try client(server.url()).send(FetchRequest(headers: [("Authorization", "Key k")])).status == 302)
        #expect(other.connectionCount == 0 && server.requests.count == 1)
    }

    @Test(
        "takes only loopback for what it does not encrypt",
        arguments: [("127.0.0.1", true), ("127.255.0.9", true), ("10.0.0.1", false), ("126.0.0.1", false)])
    func loopback(address: String, isLoopback: Bool) {
        var name = sockaddr_in()
        inet_pton(AF_INET, address, &name.sin_addr)
        var socket = curl_sockaddr()
        socket.family = AF_INET
        withUnsafeMutableBytes(of: &socket.addr) { place in
            withUnsafeBytes(of: &name) { place.copyMemory(from: $0) }
        }
        #expect(rooms_curl_is_loopback(&socket) == isLoopback)
    }

    // MARK: Failures

    private static let large = String(repeating: "x", count: 1_001)

    @Test(
        "refuses a larger answer than the bounds",
        arguments: [
            (RawServer.ok + "Content-Length: 1001\r\n\r\n", "the answer is larger than 1000 bytes"),
            (
                RawServer.ok + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n\(large)",
                "the answer is larger than 1000 bytes"
            ),
            (RawServer.ok + String(repeating: "X: \(large)\r\n", count: 17), "the head of the answer is too long"),
            (
                String(repeating: "HTTP/1.1 103 X\r\nX: \(large)\r\n\r\n", count: 17),
                "the head of the answer is too long"
            ),
        ])
    func bounds(text: String, fault: String) throws {
        let server = try RawServer(.init(text, end: .wait))
        defer { server.stop() }
        #expect(reason(try client(server.url())) == fault)
    }

    @Test("says so when the server ends the connection early", arguments: ["", "HTTP/1.1 2", RawServer.ok])
    func earlyEnd(text: String) throws {
        let server = try RawServer(.init(text, end: .close))
        defer { server.stop() }
        #expect(reason(try client(server.url())) == "the server ended the connection within its answer")
        let short = try RawServer(.init(RawServer.ok + "Content-Length: 5\r\n\r\nhell", end: .close))
        defer { short.stop() }
        #expect(reason(try client(short.url())) == "the server ended the connection within its answer")
    }

    @Test("says so when nothing listens, and when what listens speaks no TLS or ends the handshake")
    func noServer() throws {
        let (socket, port) = try RawServer.listen(backlog: 1)
        close(socket)
        #expect(reason(try client("http://127.0.0.1:\(port)")) == "the server cannot be reached: Connection refused")
        for text in ["", RawServer.hello] {
            let server = try RawServer(reads: false) { _, _ in .init(text, end: .close) }
            defer { server.stop() }
            #expect(
                reason(try client(server.url(scheme: "https"))).hasPrefix("the TLS handshake with the server failed: "))
        }
    }

    // MARK: The deadline

    private static let late = "the server took too long"

    @Test("ends by the deadline while it connects")
    func connectDeadline() throws {
        let (listener, port) = try RawServer.listen(backlog: 0)
        // The kernel answers only as many connections as the queue of unaccepted ones holds.
        let fillers = (0..<2).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0) }
        defer { for socket in fillers + [listener] { close(socket) } }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                for socket in fillers { _ = connect(socket, name, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
        }
        #expect(reason(try client("http://127.0.0.1:\(port)", milliseconds: 300)) == Self.late)
    }

    @Test("ends by the deadline in the TLS handshake")
    func handshakeDeadline() throws {
        let (listener, port) = try RawServer.listen(backlog: 4)
        defer { close(listener) }
        #expect(reason(try client("https://127.0.0.1:\(port)", milliseconds: 300)) == Self.late)
    }

    @Test(
        "ends by the deadline in the head and in the body, also while bytes come one by one",
        arguments: [
            "", "HTTP/1.1 20", RawServer.ok + "X: y", RawServer.ok + "Content-Length: 900\r\n\r\n",
            RawServer.ok + "Content-Length: 900\r\n\r\nx", RawServer.ok + "Transfer-Encoding: chunked\r\n\r\n900\r\nx",
        ], [RawServer.Answer.End.wait, .trickle])
    func answerDeadline(text: String, end: RawServer.Answer.End) throws {
        let server = try RawServer(.init(text, end: end))
        defer { server.stop() }
        #expect(reason(try client(server.url(), milliseconds: 300)) == Self.late)
    }

    @Test("ends by the deadline when the request is sent once more")
    func secondAttemptDeadline() throws {
        let server = try RawServer { connection, request in
            connection == 0 && request == 0 ? .init(RawServer.hello, end: .close) : .init(end: .wait)
        }
        defer { server.stop() }
        let client = try client(server.url(), milliseconds: 3_000)
        #expect(reason(client) == "status 200")
        #expect(reason(client) == Self.late)
        // The next request has a connection of its own and as much time.
        #expect(reason(client) == Self.late)
        for _ in 0..<1_000 where server.connectionCount < 3 { usleep(10_000) }
        #expect(server.connectionCount == 3)
    }
}

// MARK: Files

/// Keeps what comes.
private final class Kept: FetchSink, @unchecked Sendable {
    let bytesMax: Int
    var begun: [Int?] = []
    var bytes: [UInt8] = []

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    func begin(byteCount: Int?) throws(FetchFault) {
        begun.append(byteCount)
        bytes = []
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws(FetchFault) {
        guard self.bytes.count < 5_000_000 else { throw FetchFault("the disk is full") }
        self.bytes += bytes
    }
}

@Suite("A client that transfers files", .timeLimit(.minutes(2)))
struct FetchFileTests {
    private func client(_ server: RawServer, _ change: (inout FetchLimits) -> Void = { _ in }) throws -> FetchClient {
        var limits = FetchLimits(bodyBytesMax: 100, milliseconds: 20_000)
        change(&limits)
        return FetchClient(try #require(FetchURL(server.url())), limits: limits)
    }

    private func file(_ bytes: [UInt8]) throws -> (FetchFile, close: () -> Void) {
        let stream = try #require(tmpfile())
        #expect(fwrite(bytes, 1, bytes.count, stream) == bytes.count && fflush(stream) == 0)
        return (FetchFile(descriptor: fileno(stream), byteCount: bytes.count), { fclose(stream) })
    }

    @Test("sends all of a file, from its beginning, and other requests after it")
    func sends() throws {
        let server = try RawServer(.init(RawServer.hello))
        defer { server.stop() }
        let (file, close) = try file(Array(repeating: 0x78, count: 300_000))
        defer { close() }
        let client = try client(server)
        for _ in 0..<2 {
            var request = FetchRequest("PUT", headers: [("Content-Type", "a/b")])
            request.file = file
            #expect(try client.send(request).status == 200)
        }
        _ = try client.send(FetchRequest("DELETE"))
        for request in server.requests.prefix(2) {
            #expect(request.hasPrefix("PUT / HTTP/1.1\r\n") && request.contains("Content-Length: 300000\r\n"))
            #expect(request.hasSuffix("\r\n\r\n" + String(repeating: "x", count: 300_000)))
        }
        #expect(server.requests.last?.hasPrefix("DELETE / ") == true && server.connectionCount == 1)
    }

    @Test("gives what comes to a sink, past the bound of other answers and up to its own")
    func receives() throws {
        let content = String(repeating: "y", count: 200_000)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n"
        let server = try RawServer(.init(head + content, pieces: 7_000))
        defer { server.stop() }
        let (client, kept) = (try client(server), Kept(bytesMax: 200_000))
        var request = FetchRequest()
        request.sink = kept
        let answer = try client.send(request)
        #expect(answer.status == 200 && answer.body == [] && kept.begun == [200_000])
        #expect(kept.bytes == Array(content.utf8))
        request.sink = Kept(bytesMax: 199_999)
        #expect(throws: FetchFault("the answer is larger than 199999 bytes")) { try client.send(request) }
        // Without one it is an answer like others.
        #expect(throws: FetchFault("the answer is larger than 100 bytes")) { try client.send(FetchRequest()) }
    }

    @Test("keeps the words of a refusal for itself")
    func refusal() throws {
        let server = try RawServer(.init("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno"))
        defer { server.stop() }
        let kept = Kept(bytesMax: 1_000)
        var request = FetchRequest()
        request.sink = kept
        #expect(try client(server).send(request).body == Array("no".utf8))
        #expect(kept.begun == [])
    }

    @Test("ends when the sink takes no more, when too little comes, and when the content is cut off")
    func ends() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n"
        let large = try RawServer(.init(head + String(repeating: "z", count: 9_000_000)))
        defer { large.stop() }
        var request = FetchRequest()
        request.sink = Kept(bytesMax: 9_000_000)
        #expect(throws: FetchFault("the disk is full")) { try client(large).send(request) }
        let slow = try RawServer(.init(head + "z", end: .trickle))
        defer { slow.stop() }
        #expect(throws: FetchFault("the server took too long")) {
            try client(slow) { $0.slowSecondsMax = 1 }.send(request)
        }
        let short = try RawServer(.init(head + "zzz", end: .close))
        defer { short.stop() }
        #expect(throws: FetchFault("the server ended the connection within its answer")) {
            try client(short).send(request)
        }
    }
}
