import Testing

@testable import Wire

@Suite("Responses that a client reads")
struct HTTPResponseReaderTests {
    @Test("are read, whatever pieces they come in", arguments: 1...60)
    func answers(_ size: Int) throws {
        let bytes = Array(
            """
            HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Name: value \r\n\r\nhello\
            HTTP/1.1 503 Service Unavailable\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n\
            HTTP/1.1 204 No Content\r\n\r\nHTTP/1.0 200 OK\r\n\r\nto the end
            """.utf8)
        var reader = HTTPResponseReader(bodyBytesMax: 100)
        var answers: [HTTPResponse] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)].map { $0 }
            var offset = 0
            while let answer = try reader.next(piece.span, &offset) { answers.append(answer) }
        }
        if let last = reader.end() { answers.append(last) }
        #expect(answers.map(\.status) == [200, 503, 204, 200])
        #expect(
            answers.map { String(decoding: $0.body, as: UTF8.self) } == ["hello", "abc0123456789", "", "to the end"])
    }

    @Test(
        "that are none are refused",
        arguments: [
            "SPDY\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        ])
    func badAnswers(_ text: String) {
        var reader = HTTPResponseReader(bodyBytesMax: 100)
        var offset = 0
        let bytes = Array(text.utf8)
        #expect(throws: HTTPResponseFault.self) { try reader.next(bytes.span, &offset) }
    }

    @Test("are read up to the end of their heads where that is asked for", arguments: [1, 7, 1_000])
    func heads(_ size: Int) throws {
        let bytes = Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nthe body".utf8)
        var reader = HTTPResponseReader(.head, bodyBytesMax: 0)
        var heads: [HTTPResponse] = []
        var offset = 0
        while heads.count < 2 {
            let piece = Array(bytes[offset..<min(offset + size, bytes.count)])
            var taken = 0
            if let head = try reader.next(piece.span, &taken) { heads.append(head) }
            offset += taken
        }
        #expect(heads.map(\.status) == [100, 200])
        #expect(heads[1]["content-length"] == "500")
        #expect(String(decoding: bytes[offset...], as: UTF8.self) == "the body")
    }
}
