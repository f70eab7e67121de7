import Testing
import Wire

struct HTTPRequestParserTests {
    private let recorder = HTTPRecorder()

    @Test(arguments: HTTPRequestCorpus.good)
    func `a good request is read to its end`(request: String) {
        #expect(recorder.record(request).last == "end")
    }

    @Test(arguments: HTTPRequestCorpus.bad)
    func `a bad request is answered with its status`(request: String, status: Int) {
        let last = recorder.record(request).last ?? ""
        #expect(last.hasPrefix("\(status) "), "\(last)")
    }

    @Test(arguments: HTTPRequestCorpus.good + HTTPRequestCorpus.bad.map(\.request))
    func `the events are the same however the input is split`(request: String) {
        let input = Array(request.utf8)
        let whole = recorder.record(request)
        let bytewise = input.indices.map { $0..<$0 + 1 }
        #expect(recorder.record(input, pieces: bytewise) == whole)
        for first in 0...input.count {
            #expect(recorder.record(input, pieces: [0..<first, first..<input.count]) == whole)
        }
    }

    @Test func `pipelined requests come out one after the other`() {
        let record = recorder.record(HTTPRequestCorpus.good.joined())
        #expect(record == HTTPRequestCorpus.good.flatMap { recorder.record($0) })
    }

    @Test func `content is given out of the input without copy, and chunks without their frame`() {
        #expect(
            recorder.record(
                "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3;x\r\ncde\r\n0\r\n\r\n")
                == [
                    "POST /p 1.1 chunked keepAlive=true expects=false [\"Host=a\", \"Transfer-Encoding=chunked\"]",
                    "body abcde", "end",
                ])
    }

    @Test func `an error is thrown again at every later call`() {
        var parser = HTTPRequestParser()
        var statuses: [Int] = []
        for text in ["G@T / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", ""] {
            let bytes = Array(text.utf8)
            var offset = 0
            do throws(HTTPParseError) { _ = try parser.next(bytes.span, offset: &offset) } catch {
                statuses.append(error.status)
            }
        }
        #expect(statuses == [400, 400, 400])
    }

    @Test func `after the head of an upgrade the rest of the input is left to the other protocol`() throws {
        var parser = HTTPRequestParser()
        let head = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        let bytes = Array((head + "frames").utf8)
        var offset = 0
        guard case .head = try parser.next(bytes.span, offset: &offset) else { return #expect(Bool(false)) }
        #expect(offset == head.utf8.count)
    }

    @Test func `whether a request has begun can be told`() throws {
        var parser = HTTPRequestParser()
        func feed(_ text: String, _ parser: inout HTTPRequestParser) throws -> Bool {
            let bytes = Array(text.utf8)
            var offset = 0
            while true {
                if case .needMore = try parser.next(bytes.span, offset: &offset) { return parser.isInsideRequest }
            }
        }
        #expect(try !feed("", &parser))
        #expect(try feed("G", &parser))
        #expect(try feed("ET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", &parser))
        #expect(try !feed("x", &parser))
    }

    @Test func `connections stay open by the rules of their version`() throws {
        func keepsAlive(_ version: String, _ connection: String) throws -> Bool {
            try recorder.head("GET / HTTP/\(version)\r\nHost: a\r\nConnection: \(connection)\r\n\r\n").keepAlive
        }
        #expect(try keepsAlive("1.1", ""))
        #expect(try keepsAlive("1.1", "keep-alive"))
        #expect(try !keepsAlive("1.1", "Close"))
        #expect(try !keepsAlive("1.1", "keep-alive, close"))
        #expect(try !keepsAlive("1.0", ""))
        #expect(try keepsAlive("1.0", "x, Keep-Alive"))
        #expect(try !keepsAlive("1.0", "keep-alive, close"))
    }

    @Test func `leave to send content is asked for only where content and 1_1 are`() throws {
        func expects(_ version: String, _ length: String) throws -> Bool {
            let headers = "Host: a\r\nExpect: 100-Continue\r\nContent-Length: \(length)\r\n\r\n"
            return try recorder.head("POST / HTTP/\(version)\r\n\(headers)").expectsContinue
        }
        #expect(try expects("1.1", "1"))
        #expect(try !expects("1.1", "0"))
        #expect(try !expects("1.0", "1"))
    }
}
