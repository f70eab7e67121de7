import Testing

@testable import Fetch

@Suite("A server's answer", .timeLimit(.minutes(2)))
struct AnswerTests {
    private static let ok = RawServer.ok

    private func body(_ server: RawServer) throws -> String {
        var limits = FetchLimits(bodyBytesMax: 100, milliseconds: 10_000)
        limits.headBytesMax = 1_000
        let url = try #require(FetchURL(server.url()))
        return String(decoding: try FetchClient(url, limits: limits).send(FetchRequest()).body, as: UTF8.self)
    }

    @Test(
        "is taken with a length and in chunks, in any pieces, and never when its end is missing",
        arguments: [
            (ok + "Content-Length: 3\r\n\r\nabc", "abc"), (ok + "content-length:0\r\n\r\n", ""),
            ("HTTP/1.0 200\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", "abc"),
            (ok + "Content-Length: 3\r\nContent-Encoding: identity\r\n\r\nabc", "abc"),
            (ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "abc"),
            (ok + "Transfer-Encoding: Chunked\r\n\r\n1;x=y\r\na\r\n0000002 \r\nbc\r\n0\r\nX: y\r\n\r\n", "abc"),
            ("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok + "Content-Length: 1\r\n\r\na", "a"),
            (
                ok + "Content-Length: 100\r\n\r\n" + String(repeating: "x", count: 100),
                String(repeating: "x", count: 100)
            ),
        ])
    func good(text: String, body expected: String) throws {
        for pieces in [text.utf8.count, 7, 3, 2, 1] {
            let server = try RawServer(.init(text, pieces: pieces, end: .close))
            defer { server.stop() }
            #expect(try body(server) == expected)
        }
        let server = try RawServer { connection, _ in
            .init(String(decoding: text.utf8.prefix(connection), as: UTF8.self), end: .close)
        }
        defer { server.stop() }
        // Of the end of all chunks libcurl does not need the last byte.
        for count in 0..<text.utf8.count - (text.contains("hunked") ? 1 : 0) {
            #expect(throws: FetchFault.self, "\(count) bytes") { try body(server) }
        }
    }

    @Test(
        "is refused when two readers could understand it in two ways, and when it is too long",
        arguments: [
            ok + "\r\n", ok + "X: y\r\n\r\nabc", ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
            ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", ok + "Content-Length: +3\r\n\r\nabc",
            ok + "Content-Length: 3, 3\r\n\r\nabc",
            ok + "Content-Length: 101\r\n\r\n", ok + "Content-Length: 99999999999999999999\r\n\r\n",
            ok + "Content-Length : 3\r\n\r\nabc", ok + " Content-Length: 3\r\n\r\nabc", ok + "Nonsense\r\n\r\n",
            ok + "Content-Length: 3\r\nX: a\rb\r\n\r\nabc", ok + "Content-Length: 3\r\nX: a\nb: c\r\n\r\nabc",
            ok + "Content-Length: 3\r\nContent-Encoding: gzip\r\n\r\nabc",
            ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n65\r\n" + String(repeating: "x", count: 101) + "\r\n0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\nx\r\n", ok + "Transfer-Encoding: chunked\r\n\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + String(repeating: "x", count: 1_000) + "\r\n\r\n",
            ok + "X: " + String(repeating: "x", count: 1_000),
            "HTTP/2 200\r\n\r\n", "HTTP/1.1 20\r\n\r\n",
            "HTTP/1.1 2000\r\n\r\n", "http/1.1 200 OK\r\n\r\n", "SSH-2.0-x\r\n\r\n",
            "HTTP/1.1 101 Switching\r\n\r\n", "HTTP/1.1 600 X\r\nContent-Length: 0\r\n\r\n",
        ])
    func refused(text: String) throws {
        let server = try RawServer(.init(text, end: .close))
        defer { server.stop() }
        #expect(throws: FetchFault.self) { try body(server) }
    }

    @Test(
        "ends where it says so: what follows it is not the next answer",
        arguments: [
            ok + "Content-Length: 3\r\n\r\nabcd", ok + "Content-Length: 3\r\n\r\nabc" + RawServer.hello,
            ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + RawServer.hello,
        ])
    func excess(text: String) throws {
        let server = try RawServer(.init(text))
        defer { server.stop() }
        let client = FetchClient(
            try #require(FetchURL(server.url())), limits: FetchLimits(bodyBytesMax: 100, milliseconds: 10_000))
        for _ in 0..<3 { #expect(try client.send(FetchRequest()).body == Array("abc".utf8)) }
        #expect(server.requests.count == 3)
    }
}
