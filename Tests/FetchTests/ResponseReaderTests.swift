import Testing

@testable import Fetch

@Suite("The reader of a server's answer")
struct ResponseReaderTests {
    /// The body, nil if it is not whole; the same in pieces of any size.
    private func read(_ text: String) throws -> String? {
        let input = Array(text.utf8)
        let whole = Result { try read(input, pieces: input.count) }
        for pieces in [1, 2, 3, 7] {
            let result = Result { try read(input, pieces: pieces) }
            switch (whole, result) {
            case (.success(let one), .success(let other)): #expect(one == other)
            case (.failure, .failure): break
            default: Issue.record("pieces of \(pieces) are read differently: \(whole), \(result)")
            }
        }
        return try whole.get().map { String(decoding: $0, as: UTF8.self) }
    }

    private func read(_ input: [UInt8], pieces: Int) throws -> [UInt8]? {
        var reader = ResponseReader(headBytesMax: 1_000, bodyBytesMax: 100)
        var body: [UInt8]?
        for start in stride(from: 0, to: input.count, by: max(pieces, 1)) {
            var piece = Array(input[start..<min(start + pieces, input.count)])
            let taken = try piece.withUnsafeMutableBytes { try reader.take($0[...]) }
            if let taken {
                #expect(body == nil)
                body = taken.body
            }
        }
        return body
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    @Test(
        "takes a length and chunks",
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
    func good(text: String, body: String) throws {
        #expect(try read(text) == body)
        // Whatever is missing at the end, it is never taken for the whole.
        for count in 0..<text.utf8.count {
            #expect(try read(Array(text.utf8.prefix(count)), pieces: 1_000) == nil)
        }
    }

    @Test(
        "refuses what two readers could understand in two ways, and what is too long",
        arguments: [
            ok + "\r\n", ok + "X: y\r\n\r\nabc", ok + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
            ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", ok + "Content-Length: +3\r\n\r\nabc",
            ok + "Content-Length: 3, 3\r\n\r\nabc", ok + "Content-Length: 3\r\n\r\nabcd",
            ok + "Content-Length: 101\r\n\r\n", ok + "Content-Length: 99999999999999999999\r\n\r\n",
            ok + "Content-Length : 3\r\n\r\nabc", ok + " Content-Length: 3\r\n\r\nabc", ok + "Nonsense\r\n\r\n",
            ok + "Content-Length: 3\r\nX: a\rb\r\n\r\nabc", ok + "Content-Length: 3\r\nX: a\nb: c\r\n\r\nabc",
            ok + "Content-Length: 3\r\nContent-Encoding: gzip\r\n\r\nabc",
            ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n65\r\n", ok + "Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\nx\r\n", ok + "Transfer-Encoding: chunked\r\n\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n1\r\r\na\r\n0\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\nx",
            ok + "Transfer-Encoding: chunked\r\n\r\n0\r\nX\n\r\n\r\n",
            ok + "Transfer-Encoding: chunked\r\n\r\n1;" + String(repeating: "x", count: 300) + "\r\n",
            ok + "X: " + String(repeating: "x", count: 1_000), "HTTP/2 200\r\n\r\n", "HTTP/1.1 20\r\n\r\n",
            "HTTP/1.1 2000\r\n\r\n", "http/1.1 200 OK\r\n\r\n", "SSH-2.0-x\r\n\r\n",
            "HTTP/1.1 101 Switching\r\n\r\n", "HTTP/1.1 600 X\r\nContent-Length: 0\r\n\r\n",
        ])
    func refused(text: String) {
        #expect(throws: FetchFault.self) { try read(text) }
    }
}
