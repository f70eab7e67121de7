/// Requests for the tests that hold for all input: good ones, and bad ones with the status that answers each.
enum HTTPRequestCorpus {
    static let good: [String] = [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /socket.io/?EIO=4&transport=polling&sid=x HTTP/1.1\r\nHost: a:1\r\nAccept: */*\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
        "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGET / HTTP/1.1\r\nHost: b\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi\r\nGET / HTTP/1.1\r\nHost: b\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=\"y\"\r\n!\r\n0\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n00a \t; q\r\n0123456789\r\n000\r\nT: v\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.0\r\n\r\n",
        "POST /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
        "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://b:80/x?y HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET HTTPS://b HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
        "GET / HTTP/1.1\r\nHOST:a\r\nX: \t a \u{e9}  b \t\r\nEmpty:\r\n\r\n",
        "GET /a?b HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: x, Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ]

    static let bad: [(request: String, status: Int)] = [
        // The request line.
        (" GET / HTTP/1.1\r\n", 400), ("\u{16}\u{3}\u{1}", 400), ("\n", 400), ("\rGET / HTTP/1.1\r\n", 400),
        ("\r\n\r\n\r\n", 400), ("GET\r\n", 400), ("GET /\r\n", 400), ("GET / \r\n", 400), ("GET  / HTTP/1.1\r\n", 400),
        ("GET /  HTTP/1.1\r\n", 400), ("GET\t/ HTTP/1.1\r\n", 400), ("GET / HTTP/1.1 \r\n", 400),
        ("GET / http/1.1\r\n", 400), ("GET / HTTP/1.10\r\n", 400), ("GET / HTTP/1\r\n", 400),
        ("GET / HTTP/1.2\r\n", 505), ("GET / HTTP/2.0\r\n", 505), ("GET / HTTP/0.9\r\n", 505),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505), ("G{T / HTTP/1.1\r\n", 400), ("GET / HTTP/1.1\n", 400),
        ("GET / HTTP/1.1\rHost: a\r\n", 400), ("GET /a\rb HTTP/1.1\r\n", 400), ("GET /a\u{0}b HTTP/1.1\r\n", 400),
        ("GET /\u{e9} HTTP/1.1\r\n", 400), ("GET /a#b HTTP/1.1\r\n", 400), ("GET a HTTP/1.1\r\n", 400),
        ("GET * HTTP/1.1\r\n", 400), ("GET http:// HTTP/1.1\r\n", 400), ("GET http://:80/ HTTP/1.1\r\n", 400),
        ("GET http://u@b/ HTTP/1.1\r\n", 400), ("GET ftp://b/ HTTP/1.1\r\n", 400),
        ("CONNECT a:443 HTTP/1.1\r\n", 501), ("A23456789012345678901234567890123 / HTTP/1.1\r\n", 501),
        // Header lines.
        ("GET / HTTP/1.1\r\nHost: a\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n", 400), ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n", 400),
        ("GET / HTTP/1.1\r\n Host: a\r\n", 400), ("GET / HTTP/1.1\r\nHost : a\r\n", 400),
        ("GET / HTTP/1.1\r\nHost\r\n", 400), ("GET / HTTP/1.1\r\n: a\r\n", 400), ("GET / HTTP/1.1\r\nX(: a\r\n", 400),
        ("GET / HTTP/1.1\r\nX\u{e9}: a\r\n", 400), ("GET / HTTP/1.1\r\nX: a\u{0}\r\n", 400),
        ("GET / HTTP/1.1\r\nX: a\u{7f}\r\n", 400), ("GET / HTTP/1.1\r\nX: a\u{b}\r\n", 400),
        // Host.
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost:\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n", 400), ("GET / HTTP/1.1\r\nHost: a, b\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n", 400), ("GET / HTTP/1.1\r\nHost: u@a\r\n", 400),
        ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n", 400),
        // Framing.
        (post("Content-Length: 1\r\nContent-Length: 1"), 400), (post("Content-Length: 1\r\nContent-Length: 2"), 400),
        (post("Content-Length: -1"), 400), (post("Content-Length: +1"), 400), (post("Content-Length: 1, 1"), 400),
        (post("Content-Length: 1 1"), 400), (post("Content-Length: 0x1"), 400), (post("Content-Length:"), 400),
        (post("Content-Length: 1;"), 400), (post("Content-Length: 9223372036854775808"), 400),
        (post("Content-Length: 18446744073709551617"), 400), (post("Content-Length: 9223372036854775807"), 413),
        (post("Content-Length: 1\r\nTransfer-Encoding: chunked"), 400),
        (post("Transfer-Encoding: chunked\r\nContent-Length: 1"), 400),
        (post("Content-Length: 1\r\nTransfer-Encoding: gzip"), 400),
        (post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), 400),
        (post("Transfer-Encoding: chunked, chunked"), 400), (post("Transfer-Encoding: ,chunked"), 400),
        (post("Transfer-Encoding:"), 400), (post("Transfer-Encoding: gzip"), 501),
        (post("Transfer-Encoding: gzip, chunked"), 501), (post("Transfer-Encoding: chunked, gzip"), 501),
        (post("Transfer-Encoding: identity"), 501), (post("Transfer-Encoding: xchunked"), 501),
        (post("Transfer-Encoding: \u{b}chunked"), 400), (post("Transfer-Encoding: chunked;q=1"), 501),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400), (post("Expect: the unexpected"), 417),
        // Chunks.
        (chunked("\r\n"), 400), (chunked("g\r\n"), 400), (chunked("-1\r\n"), 400), (chunked("0x1\r\n"), 400),
        (chunked(" 1\r\n"), 400), (chunked("1\n"), 400), (chunked("1\rx"), 400), (chunked("1 \r\na"), 400),
        (chunked("1 1\r\n"), 400), (chunked("1;a\nb\r\n"), 400), (chunked("1;a\u{0}\r\n"), 400),
        (chunked("1\r\nab\r\n"), 400), (chunked("1\r\na\n"), 400), (chunked("1\r\na\rb"), 400),
        (chunked("8000000000000000\r\n"), 400), (chunked("7fffffffffffffff\r\n"), 413),
        (chunked("00000000000000001\r\n"), 400), (chunked("fffffffffffffffff\r\n"), 400),
        (chunked("1\r\na\r\n7fffffffffffffff\r\n"), 413), (chunked("0\r\nX : y\r\n"), 400),
        (chunked("0\r\nX: y\n"), 400), (chunked("0\r\n x\r\n"), 400), (chunked("0\r\n\n"), 400),
    ]

    private static func post(_ headers: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(headers)\r\n\r\n" }

    private static func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked") + body }
}
