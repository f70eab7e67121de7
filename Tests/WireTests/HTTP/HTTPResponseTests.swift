import Foundation
import Testing
import Wire

struct HTTPResponseTests {
    private let date = HTTPDate(unixSeconds: 784_111_777)

    private func write(
        _ head: HTTPResponseHead, _ body: HTTPResponseBody, minorVersion: Int = 1, isHead: Bool = false,
        keepAlive: Bool = true
    ) throws -> (text: String, plan: HTTPResponsePlan) {
        var output: [UInt8] = []
        let context = HTTPResponseContext(minorVersion: minorVersion, isHead: isHead, keepAlive: keepAlive)
        let plan = try head.write(body, for: context, date: date, into: &output)
        return (String(decoding: output, as: UTF8.self), plan)
    }

    @Test func `an answer of known length is written whole`() throws {
        let head = HTTPResponseHead(status: 200, headers: ["Content-Type": "text/plain", "X": ""])
        let (text, plan) = try write(head, .length(12))
        #expect(
            text == """
                HTTP/1.1 200 OK\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Content-Type: text/plain\r
                X: \r
                Content-Length: 12\r
                \r\n
                """)
        #expect(plan == HTTPResponsePlan(content: .plain, keepAlive: true))
    }

    @Test func `the connection header says what is not the version's default`() throws {
        func connection(_ minorVersion: Int, _ keepAlive: Bool, _ headers: HTTPHeaders = [:]) throws -> String? {
            let head = HTTPResponseHead(status: 200, headers: headers)
            let text = try write(head, .length(1), minorVersion: minorVersion, keepAlive: keepAlive).text
            return text.components(separatedBy: "\r\n").first { $0.hasPrefix("Connection: ") }
        }
        #expect(try connection(1, true) == nil)
        #expect(try connection(1, false) == "Connection: close")
        #expect(try connection(0, true) == "Connection: keep-alive")
        #expect(try connection(0, false) == "Connection: close")
        #expect(try connection(1, false, ["Upgrade": "websocket"]) == "Connection: close, Upgrade")
        #expect(try connection(1, true, ["upgrade": "websocket"]) == "Connection: Upgrade")
    }

    @Test func `content of unknown length is chunked, for HTTP 1_0 ended by closing`() throws {
        let new = try write(HTTPResponseHead(status: 200), .streamed)
        #expect(new.text.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(new.plan == HTTPResponsePlan(content: .chunked, keepAlive: true))
        let old = try write(HTTPResponseHead(status: 200), .streamed, minorVersion: 0)
        #expect(!old.text.contains("Transfer-Encoding"))
        #expect(old.text.contains("\r\nConnection: close\r\n"))
        #expect(old.plan == HTTPResponsePlan(content: .untilClose, keepAlive: false))
    }

    @Test func `HEAD is told the length and given no content`() throws {
        let fixed = try write(HTTPResponseHead(status: 200), .length(7), isHead: true)
        #expect(fixed.text.contains("\r\nContent-Length: 7\r\n"))
        #expect(fixed.plan == HTTPResponsePlan(content: .none, keepAlive: true))
        let streamed = try write(HTTPResponseHead(status: 200), .streamed, minorVersion: 0, isHead: true)
        #expect(streamed.plan == HTTPResponsePlan(content: .none, keepAlive: true))
    }

    @Test(arguments: [101, 204, 304])
    func `statuses without content get none, and no length`(status: Int) throws {
        for body in [HTTPResponseBody.length(7), .streamed] {
            let (text, plan) = try write(HTTPResponseHead(status: status, headers: ["Upgrade": "websocket"]), body)
            #expect(plan == HTTPResponsePlan(content: .none, keepAlive: true))
            #expect(!text.contains("Content-Length") && !text.contains("Transfer-Encoding"))
        }
    }

    @Test func `switching protocols names the upgrade and keeps the connection`() throws {
        let head = HTTPResponseHead(status: 101, headers: ["Upgrade": "websocket"])
        let (text, plan) = try write(head, .length(0), keepAlive: false)
        #expect(text.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
        #expect(text.contains("\r\nConnection: Upgrade\r\n"))
        #expect(plan.keepAlive)
    }

    @Test(arguments: ["a\r\nSet-Cookie: b", "a\n", "\r", "a\0", "\u{1b}", "\u{7f}"])
    func `a value that would forge a header is refused, and nothing is written`(value: String) {
        var output = Array("before".utf8)
        let head = HTTPResponseHead(status: 200, headers: ["Location": value])
        #expect(throws: HTTPResponseError.invalidValue(name: "Location")) {
            try head.write(.length(0), for: HTTPResponseContext(), date: date, into: &output)
        }
        #expect(output == Array("before".utf8))
    }

    @Test(arguments: ["", "a b", "a:", "a\r\n", "é", "(a)"])
    func `a name that is no token is refused`(name: String) {
        #expect(throws: HTTPResponseError.invalidName(name)) {
            try write(HTTPResponseHead(status: 200, headers: [name: "x"]), .length(0))
        }
    }

    @Test(arguments: ["content-length", "Transfer-Encoding", "CONNECTION", "Date"])
    func `framing is not left to the caller`(name: String) {
        #expect(throws: HTTPResponseError.reservedName(name)) {
            try write(HTTPResponseHead(status: 200, headers: [name: "1"]), .length(1))
        }
    }

    @Test(arguments: [-1, 0, 100, 102, 199, 600, 1000])
    func `a status that is no final answer is refused`(status: Int) {
        #expect(throws: HTTPResponseError.statusOutOfRange(status)) {
            try write(HTTPResponseHead(status: status), .length(0))
        }
    }

    @Test func `a negative length is refused`() {
        #expect(throws: HTTPResponseError.negativeLength) { try write(HTTPResponseHead(status: 200), .length(-1)) }
    }

    @Test func `chunks of all sizes are read back by the request parser`() throws {
        for count in [1, 9, 10, 15, 16, 17, 255, 256, 4095, 4096, 65_536] {
            var request = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            let content = [UInt8](repeating: UInt8(ascii: "x"), count: count)
            HTTPChunks.append(content.span, to: &request)
            HTTPChunks.append([UInt8]().span, to: &request)
            HTTPChunks.append([UInt8(ascii: "y")].span, to: &request)
            HTTPChunks.appendLast(to: &request)
            let record = HTTPRecorder().record(request, pieces: [0..<request.count])
            let body = "body \(String(repeating: "x", count: count))y"
            #expect(record.suffix(2) == [body, "end"])
        }
    }
}

struct HTTPDateTests {
    @Test func `dates are those that Foundation writes, over leap years and centuries`() {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        var seconds = 0
        while seconds < 253_402_300_800 {
            let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
            #expect(String(decoding: HTTPDate(unixSeconds: seconds).text, as: UTF8.self) == expected)
            seconds += 86_399 * 997
        }
        // The days around the leap day of a century that has one and of one that has none.
        for start in [951_696_000, 4_107_456_000, 1_709_078_400] {
            for seconds in stride(from: start, to: start + 4 * 86_400, by: 43_200) {
                let expected = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
                #expect(String(decoding: HTTPDate(unixSeconds: seconds).text, as: UTF8.self) == expected)
            }
        }
    }

    @Test func `times out of range are moved to the nearest`() {
        #expect(HTTPDate(unixSeconds: .min).text == Array("Thu, 01 Jan 1970 00:00:00 GMT".utf8))
        #expect(HTTPDate(unixSeconds: .max).text == Array("Fri, 31 Dec 9999 23:59:59 GMT".utf8))
    }
}
