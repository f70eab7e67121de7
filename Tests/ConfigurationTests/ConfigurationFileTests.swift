import TestSupport
import Testing
import Transport

@testable import Configuration

@Suite("The configuration file")
struct ConfigurationFileTests {
    @Test("has comments, blanks, quotes and lists")
    func format() {
        let found = report(
            file: """
                \u{FEFF}# A comment.
                \t threads=3 # another

                auth = hs256
                auth-secret = "0123456789 # \\"quoted\\" and a \\\\, 0123456789"#end
                path = /a/\r
                origins = https://a.example, "https://b.example"  # two
                origins = https://c.example
                trusted-proxies =
                auth-audience = a#b, c
                """)
        #expect(found.texts == [])
        #expect(found.configuration.threads == 3)
        #expect(found.configuration.path == "/a/")
        #expect(
            found.configuration.authSecret?.revealed()
                == Array("0123456789 # \"quoted\" and a \\, 0123456789".utf8))
        #expect(found.configuration.origins == ["https://a.example", "https://b.example", "https://c.example"])
        #expect(found.configuration.trustedProxies == [])
        #expect(found.configuration.authAudience == "a#b, c")
        #expect(found.source(of: "path") == .file(path: "test.conf", line: 6))
    }

    @Test(
        "is refused with the line's number",
        arguments: [
            ("lissten = x", "lissten (test.conf:2): there is no such setting. Did you mean listen?"),
            ("ping_timeout = 1s", "ping_timeout (test.conf:2): there is no such setting. Did you mean ping-timeout?"),
            (
                "--threads = 1",
                "--threads (test.conf:2): in a file the name has no dashes before it. Right is threads = value."
            ),
            ("threads 1", "threads (test.conf:2): the line has no \"=\". Right is threads = value."),
            ("--threads 1", "threads (test.conf:2): the line has no \"=\". Right is threads = value."),
            ("treads: 1", "treads (test.conf:2): the line has no \"=\". Right is threads = value."),
            ("auth-secret hunter2", "auth-secret (test.conf:2): the line has no \"=\". Right is auth-secret = value."),
            ("[server]", "test.conf:2: the file has no sections. Write each setting as name = value."),
            ("config = x", "config (test.conf:2): a file cannot name another. Remove the line."),
            (
                "threads =",
                "threads (test.conf:2): has no value. Right is threads = N; to leave it unset, remove the line."
            ),
            (
                "threads = # 1",
                "threads (test.conf:2): has no value. Right is threads = N; to leave it unset, remove the line."
            ),
            ("path = \"/x/", "path (test.conf:2): the closing quote is missing. Right is name = \"value\"."),
            (
                "path = \"/x/\\n\"",
                "path (test.conf:2): has an unknown escape. Right is \\\" for a quote and \\\\ for a backslash."
            ),
            (
                "path = \"/x/\" y",
                "path (test.conf:2): has text after the closing quote. Right is one value in quotes, with \\\" for a quote within."
            ),
            (
                "path = /x/\nthreads = 1\npath = /y/",
                "path (test.conf:4): is set twice, first at test.conf:2. Keep one of the lines."
            ),
            ("path = /x/\u{1B}[2J", "test.conf:2: the line has a control character. Write plain text."),
            (
                "listen = 127.0.0.1:1,\n listen = y",
                "listen (test.conf:2): \"\" has no port. Right is an address and a port, like 127.0.0.1:8080, 0.0.0.0:8080 (all) or [::]:8080."
            ),
        ])
    func faults(line: String, message: String) {
        let found = report(file: "# first\n\(line)\n")
        #expect(found.texts.first == message)
        #expect(found.faultKind == .configuration)
    }

    @Test("that is not UTF-8 is refused at the line")
    func encoding() {
        let raw = RawSettings.file(Array("threads = 1\npath = /".utf8) + [0xFF, 0x2F], path: "f")
        #expect(raw.faults.map(\.description) == ["f:2: the line is not UTF-8. Save the file as UTF-8."])
        #expect(raw.values["threads"]?.count == 1)
    }

    @Test("that cannot be read is one fault, and not many that follow from it")
    func missing() throws {
        let scratch = try Scratch()
        for (path, problem) in [("\(scratch.path)/none", "does not exist"), (scratch.path, "is a directory")] {
            let reader = ConfigurationReader(arguments: ["--config", path, "--auth", "hs256"], environment: [:])
            guard case .report(let found) = reader.read() else { return }
            #expect(found.faults.count == 1)
            #expect(found.texts.first?.contains(problem) == true)
        }
    }

    @Test("that is too large is refused")
    func tooLarge() throws {
        let scratch = try Scratch()
        let path = try scratch.write("large", String(repeating: "#", count: 2 << 20))
        #expect(FileContent.read(path, bytesMax: 1 << 20) == .failure(FileFault("is larger than 1MiB")))
    }

    @Test("of any bytes is read without a crash")
    func anything() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("threads=listen=\"\\#, \t\r\n[]auth-secret".utf8) + [0, 0xC3, 0xFF]
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in alphabet.randomElement() ?? 0 }
            var found = ConfigurationReport()
            found.take(RawSettings.file(bytes, path: "f"))
        }
    }
}
