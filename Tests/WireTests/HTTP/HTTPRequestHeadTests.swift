import Testing

@testable import Wire

struct HTTPRequestHeadTests {
    private func head(_ target: String, _ headers: String = "", method: String = "GET") throws -> HTTPRequestHead {
        try HTTPRecorder().head("\(method) \(target) HTTP/1.1\r\nHost: a.example:80\r\n\(headers)\r\n")
    }

    @Test func `a target falls into path and query`() throws {
        let plain = try head("/a%20b/?x=1?2")
        #expect(plain.target == "/a%20b/?x=1?2")
        #expect(plain.path == "/a%20b/")
        #expect(plain.decodedPath == "/a b/")
        #expect(plain.query == "x=1?2")
        #expect(plain.authority == "a.example:80")
        #expect(try head("/").query == nil)
        #expect(try head("/?").query == "")
    }

    @Test func `an absolute target names path and host, whatever the Host header says`() throws {
        let absolute = try head("HTTP://b.example:8080/p?q")
        #expect(absolute.path == "/p")
        #expect(absolute.query == "q")
        #expect(absolute.authority == "b.example:8080")
        #expect(try head("http://b?q").path == "/")
        #expect(try head("http://b?q").decodedPath == "/")
        #expect(try head("*", method: "OPTIONS").path == "*")
    }

    @Test(arguments: ["/%", "/%0", "/%gg", "/%00", "/%ff"])
    func `a path that is no text has no decoded form`(target: String) throws {
        #expect(try head(target).decodedPath == nil)
    }

    @Test func `query items are found by their decoded name, the first counts`() throws {
        let query = try head("/?EIO=4&sid=a%2Bb+c&t&=x&&k%65y=v&sid=2&e=&bad=%zz&eq=a=b")
        #expect(query.queryValue("EIO") == "4")
        #expect(query.queryValue("sid") == "a+b c")
        #expect(query.queryValue("t") == "")
        #expect(query.queryValue("") == "x")
        #expect(query.queryValue("key") == "v")
        #expect(query.queryValue("e") == "")
        #expect(query.queryValue("eq") == "a=b")
        #expect(query.queryValue("bad") == nil)
        #expect(query.queryValue("eio") == nil)
        #expect(query.queryValue("EI") == nil)
        #expect(query.queryValue("EIOO") == nil)
        #expect(
            query.queryItems.map { "\($0.name)=\($0.value)" } == [
                "EIO=4", "sid=a+b c", "t=", "=x", "key=v", "sid=2", "e=", "eq=a=b",
            ])
    }

    @Test func `headers are found in any case, in their order`() throws {
        let headers = try head("/", "X-A: 1\r\nx-b: 2\r\nx-a: 3, 4 ,,\r\n").headers
        #expect(headers.first(named: "x-A") == "1")
        #expect(headers.all(named: "X-A") == ["1", "3, 4 ,,"])
        #expect(headers.tokens(named: "X-A") == ["1", "3", "4"])
        #expect(headers.contains(token: "4", in: "x-a"))
        #expect(!headers.contains(token: "2", in: "x-a"))
        #expect(headers.first(named: "X-C") == nil)
        #expect(!headers.contains(named: "X"))
        #expect(headers.contains(named: "X-B"))
        #expect(headers.count == 4)
        #expect(headers[2] == ("x-b", "2"))
    }

    @Test func `token bytes are those of RFC 9110`() {
        let tokens = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        for byte in UInt8.min...UInt8.max {
            #expect(HTTPSyntax.isToken(byte) == tokens.utf8.contains(byte))
        }
    }

    @Test func `every byte is judged alike in every position of a value`() {
        func accepts(_ bytes: [UInt8]) -> Bool { HTTPSyntax.isValue(bytes.span, 0..<bytes.count) }
        for count in 1...19 {
            for position in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    for filler in [UInt8(ascii: "x"), 0x09, 0x20, 0x80, 0xff] {
                        var bytes = [UInt8](repeating: filler, count: count)
                        bytes[position] = byte
                        let isGood = byte >= 0x20 && byte != 0x7f || byte == 0x09
                        if accepts(bytes) != isGood { Issue.record("\(byte) at \(position) of \(count)") }
                    }
                }
            }
        }
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "M-SEARCH"])
    func `methods keep their name`(name: String) throws {
        let method = try head("/", method: name).method
        #expect(method.name == name)
        if case .other = method { #expect(["TRACE", "get", "M-SEARCH"].contains(name)) }
    }
}

struct HTTPWebSocketUpgradeTests {
    private static let valid = [
        "Upgrade: WebSocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    private func upgrade(
        _ headers: [String], line: String = "GET / HTTP/1.1"
    ) throws -> HTTPRequestHead.WebSocketUpgrade {
        try HTTPRecorder().head("\(line)\r\nHost: a\r\n\(headers.map { $0 + "\r\n" }.joined())\r\n").webSocketUpgrade
    }

    private func status(_ headers: [String], line: String = "GET / HTTP/1.1") throws -> Int? {
        guard case .bad(let status, _) = try upgrade(headers, line: line) else { return nil }
        return status
    }

    @Test func `a valid handshake gives what the answer is made of`() throws {
        let extra = [
            "Sec-WebSocket-Protocol: a, b", "Sec-WebSocket-Extensions: x; y=1", "Sec-WebSocket-Protocol: c",
            "Sec-WebSocket-Extensions: z", "Content-Length: 0",
        ]
        let expected = HTTPRequestHead.WebSocketOffer(
            key: "dGhlIHNhbXBsZSBub25jZQ==", version: 13, extensions: "x; y=1, z", protocols: ["a", "b", "c"])
        #expect(try upgrade(Self.valid + extra) == .upgrade(expected))
    }

    @Test func `other requests and other protocols are none`() throws {
        #expect(try upgrade([]) == .notUpgrade)
        #expect(try upgrade(["Upgrade: h2c", "Connection: Upgrade"]) == .notUpgrade)
    }

    @Test func `what is missing or wrong is answered with its status`() throws {
        #expect(try status([Self.valid[0]] + Self.valid[2...]) == 400)
        #expect(try status(Array(Self.valid[..<2]) + [Self.valid[3]]) == 400)
        #expect(try status(Array(Self.valid[..<3])) == 400)
        #expect(try status(Array(Self.valid[..<2]) + [Self.valid[3], "Sec-WebSocket-Version: 8"]) == 426)
        #expect(try status(Self.valid + ["Sec-WebSocket-Version: 13"]) == 426)
        #expect(try status(Self.valid + [Self.valid[3]]) == 400)
        #expect(try status(Self.valid, line: "POST / HTTP/1.1") == 400)
        #expect(try status(Self.valid, line: "GET / HTTP/1.0") == 400)
        #expect(try status(Self.valid + ["Content-Length: 1"]) == 400)
        #expect(try status(Self.valid + ["Transfer-Encoding: chunked"]) == 400)
    }

    @Test(arguments: [
        "", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25j", "dGhlIHNhbXBsZSBub25jZQ===",
    ])
    func `a key of another form is refused`(key: String) throws {
        #expect(try status(Array(Self.valid[..<3]) + ["Sec-WebSocket-Key: \(key)"]) == 400)
    }
}
