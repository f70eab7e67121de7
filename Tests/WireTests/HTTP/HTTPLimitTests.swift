import Testing
import Wire

/// Each limit is met exactly, and passed by one, with the input whole and byte by byte.
struct HTTPLimitTests {
    private static let limits = HTTPLimits(
        headBytesMax: 200, headerCountMax: 3, targetBytesMax: 20, bodyBytesMax: 10, chunkExtensionBytesMax: 4,
        trailerBytesMax: 8)
    private let recorder = HTTPRecorder(limits: limits)

    private func lastEvent(_ text: String) -> String {
        let input = Array(text.utf8)
        let whole = recorder.record(text)
        let bytewise = recorder.record(input, pieces: input.indices.map { $0..<$0 + 1 })
        return whole == bytewise ? String(whole.last?.prefix(3) ?? "") : "whole \(whole), byte by byte \(bytewise)"
    }

    @Test func `the head with all its line ends is bounded`() {
        func request(_ count: Int) -> String {
            let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
            return start + String(repeating: "x", count: count - start.utf8.count - 4) + "\r\n\r\n"
        }
        #expect(lastEvent(request(200)) == "end")
        #expect(lastEvent(request(201)) == "431")
        #expect(lastEvent(String(decoding: request(300).utf8.prefix(201), as: UTF8.self)) == "431")
        #expect(lastEvent(String(decoding: request(300).utf8.prefix(200), as: UTF8.self)) == "")
    }

    @Test func `the number of headers is bounded`() {
        #expect(lastEvent("GET / HTTP/1.1\r\nHost: a\r\nA: a\r\nB: b\r\n\r\n") == "end")
        #expect(lastEvent("GET / HTTP/1.1\r\nHost: a\r\nA: a\r\nB: b\r\nC: c\r\n") == "431")
    }

    @Test func `the target is bounded, and told from a head that is too large`() {
        let target = "/" + String(repeating: "x", count: 19)
        #expect(lastEvent("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == "end")
        #expect(lastEvent("GET \(target)x HTTP/1.1\r\nHost: a\r\n\r\n") == "414")
        #expect(lastEvent("GET " + String(repeating: "/", count: 150)) == "414")
    }

    @Test func `content is bounded, announced or in chunks`() {
        let post = "POST / HTTP/1.1\r\nHost: a\r\n"
        #expect(lastEvent(post + "Content-Length: 10\r\n\r\n0123456789") == "end")
        #expect(lastEvent(post + "Content-Length: 11\r\n\r\n") == "413")
        let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(lastEvent(chunked + "6\r\n012345\r\n4\r\n6789\r\n0\r\n\r\n") == "end")
        #expect(lastEvent(chunked + "6\r\n012345\r\n5\r\n") == "413")
    }

    @Test func `the owner bounds the content of each request anew`() {
        let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n01234"
        #expect(HTTPRecorder(limits: Self.limits, bodyBytesMax: 4).record(post).last?.hasPrefix("413 ") == true)
        #expect(HTTPRecorder(limits: Self.limits, bodyBytesMax: 0).record(post).last?.hasPrefix("413 ") == true)
        let long = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n" + String(repeating: "x", count: 20)
        #expect(HTTPRecorder(limits: Self.limits, bodyBytesMax: 20).record(long + long).last == "end")
    }

    @Test func `chunk extensions are bounded over the whole body`() {
        let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(lastEvent(chunked + "1;a\r\nx\r\n1;b\r\nx\r\n0\r\n\r\n") == "end")
        #expect(lastEvent(chunked + "1;a\r\nx\r\n1;bc\r\nx\r\n0\r\n\r\n") == "400")
    }

    @Test func `trailers are bounded`() {
        let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        #expect(lastEvent(chunked + "A: b\r\n\r\n") == "end")
        #expect(lastEvent(chunked + "A: bc\r\n\r\n") == "431")
    }
}
