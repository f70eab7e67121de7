import Testing
import Wire

struct MultipartParserTests {
    private let recorder = MultipartRecorder()

    private static func part(_ content: String, name: String = "photo", more: String = "") -> String {
        "--XyZ\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\(more)\r\n\(content)\r\n"
    }

    private static let end = "--XyZ--\r\n"

    static let good: [(form: String, record: [String])] = [
        (part("abc") + end, ["part photo - -", "content abc", "complete"]),
        (part("") + end, ["part photo - -", "content ", "complete"]),
        ("--XyZ--", ["complete"]),
        ("\r\n--XyZ--", ["complete"]),
        ("A preamble.\r\n" + part("abc") + end, ["part photo - -", "content abc", "complete"]),
        (part("abc") + end + "An epilogue\r\n--XyZ\r\n", ["part photo - -", "content abc", "complete"]),
        (
            part("1", name: "a") + part("2", name: "b") + end,
            ["part a - -", "content 1", "part b - -", "content 2", "complete"]
        ),
        (
            part("\r\n--Xy\r\n--XyA\r\r\n-\r\n--X--XyZ--\n--XyZ\r") + end,
            ["part photo - -", "content \r\n--Xy\r\n--XyA\r\r\n-\r\n--X--XyZ--\n--XyZ\r", "complete"]
        ),
        (
            "--XyZ \t\r\nContent-Disposition: form-data; name=a; filename=\"a \\\"b\\\\c:\\d.jpg\"\r\n"
                + "Content-Type: image/jpeg\r\nContent-Transfer-Encoding: binary\r\nX-Other: 1\r\n\r\nabc\r\n--XyZ  \r\n"
                + "content-disposition:form-data;NAME=\"b\"\r\n\r\n\r\n--XyZ--",
            ["part a a \"b\\c:\\d.jpg image/jpeg", "content abc", "part b - -", "content ", "complete"]
        ),
    ]

    static let bad: [(form: String, error: MultipartError)] = [
        ("", .truncated),
        ("--XyZ", .truncated),
        ("--XyZ-", .truncated),
        (part("abc"), .truncated),
        (part("abc") + "--XyZ-", .truncated),
        ("--XyZ\r\nContent-Disposition: form-data; name=a\r\n\r\nabc\r\n--Xy", .truncated),
        (String(repeating: "-", count: 300) + part("a") + end, .preambleTooLarge),
        ("--XyZabc\r\n\r\n", .malformedBoundary),
        (part("abc\r\n--XyZq") + end, .malformedBoundary),
        ("--XyZ-\r\n", .malformedBoundary),
        ("--XyZ\n", .malformedBoundary),
        ("--XyZ \r\r\n", .malformedBoundary),
        ("--XyZ\r\n\r\nabc\r\n" + end, .missingName),
        ("--XyZ\r\nContent-Disposition: form-data\r\n\r\nabc\r\n" + end, .missingName),
        ("--XyZ\r\nContent-Disposition: attachment; name=a\r\n\r\nabc\r\n" + end, .missingName),
        (
            "--XyZ\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\nabc\r\n"
                + end, .unsupportedEncoding
        ),
        (
            "--XyZ\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\nabc\r\n" + end,
            .malformedHeader("The disposition cannot be read.")
        ),
        (
            "--XyZ\r\nContent-Disposition: form-data; name=\"a\r\n\r\nabc\r\n" + end,
            .malformedHeader("The disposition cannot be read.")
        ),
        (
            "--XyZ\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n\r\n",
            .malformedHeader("The disposition is there twice.")
        ),
        (
            "--XyZ\r\nContent-Type: a/b\r\nContent-Type: a/b\r\n\r\n",
            .malformedHeader("The content type is there twice.")
        ),
        ("--XyZ\r\nNo colon\r\n\r\n", .malformedHeader("Whitespace stands between a header's name and its colon.")),
        (
            "--XyZ\r\nContent-Type: a/b\n\r\n",
            .malformedHeader("A line feed stands without its carriage return.")
        ),
        ("--XyZ\r\nA: " + String(repeating: "b", count: 5000), .headTooLarge),
        ("--XyZ\r\n" + String(repeating: "A: b\r\n", count: 17), .headTooLarge),
        (String(repeating: part("a"), count: 17) + end, .tooManyParts),
    ]

    @Test(arguments: good)
    func `a form comes out part by part`(form: String, record: [String]) {
        #expect(recorder.record(form) == record)
    }

    @Test(arguments: bad)
    func `a malformed form is refused with its reason`(form: String, error: MultipartError) {
        #expect(recorder.record(form).last == "\(error)")
        #expect(!error.reason.isEmpty)
    }

    @Test(arguments: good.map(\.form) + bad.map(\.form))
    func `the events are the same however the input is split`(form: String) {
        let input = Array(form.utf8)
        let whole = recorder.record(form)
        #expect(recorder.record(input, pieces: input.indices.map { $0..<$0 + 1 }) == whole)
        for first in 0...input.count {
            #expect(recorder.record(input, pieces: [0..<first, first..<input.count]) == whole)
            let second = min(first + 3, input.count)
            #expect(recorder.record(input, pieces: [0..<first, first..<second, second..<input.count]) == whole)
        }
    }

    @Test func `an error is thrown again at every later call`() throws {
        let boundary = try #require(MultipartBoundary("XyZ"))
        var parser = MultipartParser(boundary: boundary)
        var errors: [MultipartError] = []
        for text in ["--XyZ!", Self.part("abc") + Self.end] {
            let bytes = Array(text.utf8)
            var offset = 0
            do throws(MultipartError) { _ = try parser.next(bytes.span, offset: &offset) } catch {
                errors.append(error)
            }
        }
        do throws(MultipartError) { try parser.finish() } catch { errors.append(error) }
        #expect(errors == [.malformedBoundary, .malformedBoundary, .malformedBoundary])
    }

    @Test func `bytes of every value pass through unchanged`() throws {
        let boundary = try #require(MultipartBoundary("XyZ"))
        var parser = MultipartParser(boundary: boundary)
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }
        let form =
            Array("--XyZ\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8) + content + Array("\r\n--XyZ--".utf8)
        var received: [UInt8] = []
        var start = 0
        while start < form.count {
            let piece = Array(form[start..<min(start + 997, form.count)])
            start += piece.count
            var offset = 0
            while true {
                let event = try parser.next(piece.span, offset: &offset)
                if event == .needMore { break }
                if case .content(let range) = event { received += piece[range] }
                if case .heldBack(let count) = event { received += parser.delimiter.prefix(count) }
            }
        }
        try parser.finish()
        #expect(received == content)
    }
}

struct MultipartBoundaryTests {
    @Test(arguments: [
        ("multipart/form-data; boundary=abc", "abc"),
        ("Multipart/Form-Data;charset=utf-8; BOUNDARY=\"a b:c\"", "a b:c"),
        (
            "multipart/form-data; boundary=0123456789012345678901234567890123456789012345678901234567890123456789",
            "0123456789012345678901234567890123456789012345678901234567890123456789"
        ),
    ])
    func `the boundary is read from the content type`(header: String, boundary: String) {
        #expect(MultipartBoundary(contentType: header) == MultipartBoundary(boundary))
        #expect(MultipartBoundary(boundary) != nil)
    }

    @Test(arguments: [
        "", "multipart/form-data", "multipart/mixed; boundary=a", "application/json; boundary=a",
        "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"a \"",
        "multipart/form-data; boundary=\"a", "multipart/form-data; boundary=a; boundary=b",
        "multipart/form-data; boundary=a b", "multipart/form-data; boundary=\"a\u{7f}\"",
        "multipart/form-data; boundary=\"a\\\"b\"",
        "multipart/form-data; boundary=01234567890123456789012345678901234567890123456789012345678901234567890",
    ])
    func `what is no boundary is refused`(header: String) {
        #expect(MultipartBoundary(contentType: header) == nil)
    }
}
