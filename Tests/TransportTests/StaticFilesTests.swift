import Foundation
import Testing

@testable import Transport

@Suite("Static files")
struct StaticFilesTests {
    let directory = TemporaryDirectory()

    init() throws {
        try directory.write("public/index.html", "<p>index</p>")
        try directory.write("public/app.js", "code()")
        try directory.write("public/sub/index.html", "sub index")
        try directory.write("public/sub/a b.txt", "spaced")
        try directory.write("public/.hidden", "secret")
        try directory.write("public/.dir/file", "secret")
        try directory.write("public/empty.txt", "")
        try directory.write("public/large.bin", String(repeating: "0123456789", count: 500_000))
        try directory.write("outside", "secret")
        try directory.write("outside-dir/file", "secret")
        try directory.write("outside-dir/\u{301}file", "secret")
        let files = FileManager.default
        try files.createSymbolicLink(atPath: directory.path("public/link"), withDestinationPath: "../outside")
        try files.createSymbolicLink(atPath: directory.path("public/linked"), withDestinationPath: "../outside-dir")
        mkfifo(directory.path("public/fifo"), 0o600)
    }

    private func serve() throws -> TestServer {
        let root = directory.path("public")
        return try TestServer { exchange, _ in
            guard let files = try? StaticFiles(directory: root) else { return exchange.respond(500) }
            files.handle(exchange)
        }
    }

    @Test func filesAreServedWithTheirTypes() throws {
        let server = try serve()
        let client = try server.connect()
        let files = [
            ("/", "<p>index</p>", "text/html; charset=utf-8"),
            ("/index.html", "<p>index</p>", "text/html; charset=utf-8"),
            ("/app.js?v=1", "code()", "text/javascript; charset=utf-8"),
            ("/sub/", "sub index", "text/html; charset=utf-8"),
            ("/sub/a%20b.txt", "spaced", "text/plain; charset=utf-8"),
            ("/sub%2fa%20b.txt", "spaced", "text/plain; charset=utf-8"),
            ("/empty.txt", "", "text/plain; charset=utf-8"),
        ]
        for (path, text, type) in files {
            let response = try client.get(path)
            #expect(response.status == 200, "\(path)")
            #expect(response.text == text)
            #expect(response.headers["content-type"] == type)
            #expect(response.headers["x-content-type-options"] == "nosniff")
        }
        let large = try client.get("/large.bin")
        #expect(large.body.count == 5_000_000)
        #expect(large.text.hasPrefix("0123456789012"))
    }

    @Test(arguments: [
        "/../outside", "/%2e%2e/outside", "/..%2foutside", "/%2E%2E%2Foutside", "/sub/../../outside",
        "/sub/../index.html",
        "/.hidden", "/%2ehidden", "/.dir/file", "/link", "/linked/file", "/linked/%cc%81file", "/linked%2f%cc%81file",
        "/./index.html", "//index.html", "/sub//index.html", "/sub", "/sub/nothing", "/index.html/", "/index.html/x",
        "/fifo", "/index.html%00.js", "/%ff", "/%", "/linked", "/..%5coutside", "/sub/.%cc%81/../../outside",
    ])
    func nothingElseIsReached(path: String) throws {
        let server = try serve()
        let client = try server.connect()
        let response = try client.get(path)
        #expect(response.status == 404 || response.status == 400)
        #expect(!response.text.contains("secret"))
    }

    @Test func aCopyThatIsStillRightIsNotSentAgain() throws {
        let server = try serve()
        let client = try server.connect()
        let tag = try #require(try client.get("/app.js").headers["etag"])
        for header in [tag, "\"other\", \(tag)", "W/\(tag)", "*"] {
            let response = try client.get("/app.js", headers: "If-None-Match: \(header)\r\n")
            #expect(response.status == 304, "\(header)")
            #expect(response.headers["etag"] == tag)
            #expect(response.headers["content-length"] == nil)
        }
        #expect(try client.get("/app.js", headers: "If-None-Match: \"other\"\r\n").text == "code()")
        try directory.write("public/app.js", "changed()")
        #expect(try client.get("/app.js", headers: "If-None-Match: \(tag)\r\n").text == "changed()")
    }

    @Test func onlyGetAndHeadAreAnswered() throws {
        let server = try serve()
        let client = try server.connect()
        try client.send("HEAD /app.js HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.readResponse(isHead: true).headers["content-length"] == "6")
        try client.send("DELETE /app.js HTTP/1.1\r\nHost: h\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.status == 405)
        #expect(response.headers["allow"] == "GET, HEAD")
        #expect(try client.get("/app.js").text == "code()")
    }

    @Test func aDirectoryThatIsNotThereIsRefused() {
        let error = #expect(throws: TransportError.self) { try StaticFiles(directory: "/nowhere/at/all") }
        #expect(error?.description.contains("/nowhere/at/all") == true)
    }
}
