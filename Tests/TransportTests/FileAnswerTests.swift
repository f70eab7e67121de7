import Foundation
import Testing
import Wire

@testable import Transport

@Suite("Files as answers")
struct FileAnswerTests {
    let directory = TemporaryDirectory()
    let content = BodyPipeTests.body(3_000_000)

    init() throws {
        try Data(content).write(to: URL(fileURLWithPath: directory.path("file")))
        try Data().write(to: URL(fileURLWithPath: directory.path("empty")))
    }

    final class Stage: Sendable {
        let threads: WorkerThreads?
        let server: TestServer

        init(_ directory: TemporaryDirectory, onThreads: Bool) throws {
            let threads = onThreads ? try WorkerThreads(count: 1) : nil
            self.threads = threads
            server = try TestServer { exchange, _ in
                let path = directory.path(String(exchange.head.path.dropFirst()))
                guard let file = OpenFile(descriptor: open(path, O_RDONLY | O_CLOEXEC)) else {
                    return exchange.respond(404)
                }
                var answer = FileAnswer(
                    file: file, tag: "\"k\"", mediaType: "image/jpeg",
                    cacheControl: "public, max-age=31536000, immutable")
                answer.headers = [("X-Extra", "1")]
                exchange.respond(answer, on: threads)
            }
        }

        deinit {
            server.server.stop()
            threads?.stop()
        }
    }

    @Test(arguments: [true, false])
    func aFileIsSentWholeWithItsHeaders(onThreads: Bool) throws {
        let stage = try Stage(directory, onThreads: onThreads)
        let client = try stage.server.connect()
        for _ in 0..<2 {
            let response = try client.get("/file")
            #expect(response.status == 200)
            #expect(BodyPipeTests.isSame(response.body, content))
            #expect(response.headers["content-type"] == "image/jpeg")
            #expect(response.headers["etag"] == "\"k\"")
            #expect(response.headers["cache-control"] == "public, max-age=31536000, immutable")
            #expect(response.headers["accept-ranges"] == "bytes")
            #expect(response.headers["x-content-type-options"] == "nosniff")
            #expect(response.headers["x-extra"] == "1")
        }
        let empty = try client.get("/empty")
        #expect(empty.status == 200)
        #expect(empty.headers["content-length"] == "0")
    }

    @Test(arguments: [true, false])
    func aPartIsSentAlone(onThreads: Bool) throws {
        let stage = try Stage(directory, onThreads: onThreads)
        let client = try stage.server.connect()
        let parts: [(String, Range<Int>)] = [
            ("0-0", 0..<1), ("0-1", 0..<2), ("1000000-1999999", 1_000_000..<2_000_000),
            ("2999999-", 2_999_999..<3_000_000),
            ("-5", 2_999_995..<3_000_000), ("5-9,10-19", 5..<20),
        ]
        for (asked, range) in parts {
            let response = try client.get("/file", headers: "Range: bytes=\(asked)\r\n")
            #expect(response.status == 206, "\(asked)")
            #expect(response.body == Array(content[range]))
            #expect(
                response.headers["content-range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/3000000")
            #expect(response.headers["content-type"] == "image/jpeg")
        }
    }

    @Test func partsThatLieApartAreAnsweredWhole() throws {
        let stage = try Stage(directory, onThreads: true)
        let response = try stage.server.connect().get("/file", headers: "Range: bytes=0-1,5-6\r\n")
        #expect(response.status == 200)
        #expect(BodyPipeTests.isSame(response.body, content))
    }

    @Test func whatLiesBehindTheEndIsRefusedWithTheSize() throws {
        let stage = try Stage(directory, onThreads: true)
        let client = try stage.server.connect()
        let response = try client.get("/file", headers: "Range: bytes=3000000-\r\n")
        #expect(response.status == 416)
        #expect(response.headers["content-range"] == "bytes */3000000")
        #expect(response.body.isEmpty)
        #expect(try client.get("/empty", headers: "Range: bytes=0-\r\n").status == 416)
    }

    @Test func aPartOfAnotherVersionIsAnsweredWhole() throws {
        let stage = try Stage(directory, onThreads: true)
        let client = try stage.server.connect()
        let other = try client.get("/file", headers: "Range: bytes=0-1\r\nIf-Range: \"other\"\r\n")
        #expect(other.status == 200)
        #expect(BodyPipeTests.isSame(other.body, content))
        let same = try client.get("/file", headers: "Range: bytes=0-1\r\nIf-Range: \"k\"\r\n")
        #expect(same.status == 206)
        #expect(try client.get("/file", headers: "Range: bytes=0-1\r\nIf-Range: W/\"k\"\r\n").status == 200)
    }

    @Test func aKnownCopyIsNotSentAgain() throws {
        let stage = try Stage(directory, onThreads: true)
        let client = try stage.server.connect()
        for tag in ["\"k\"", "W/\"k\"", "\"a\", \"k\"", "*"] {
            let response = try client.get("/file", headers: "If-None-Match: \(tag)\r\nRange: bytes=0-1\r\n")
            #expect(response.status == 304)
            #expect(response.headers["etag"] == "\"k\"")
            #expect(response.headers["cache-control"] == "public, max-age=31536000, immutable")
        }
    }

    @Test(arguments: [true, false])
    func headIsToldTheLengthAlone(onThreads: Bool) throws {
        let stage = try Stage(directory, onThreads: onThreads)
        let client = try stage.server.connect()
        try client.send("HEAD /file HTTP/1.1\r\nHost: h\r\nRange: bytes=0-1\r\n\r\n")
        let response = try client.readResponse(isHead: true)
        #expect(response.status == 200)
        #expect(response.headers["content-length"] == "3000000")
        #expect(try client.get("/empty").status == 200)
        try client.send("DELETE /file HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(try client.readResponse().status == 405)
    }

    @Test func aFileThatIsCutOffEndsTheConnection() throws {
        let stage = try Stage(directory, onThreads: true)
        let client = try stage.server.connect(receiveBuffer: 8_192)
        try client.send(get("/file"))
        #expect(try client.readResponse(isHead: true).headers["content-length"] == "3000000")
        #expect(truncate(directory.path("file"), 1_500_000) == 0)
        #expect(try client.readToEnd().count < 3_000_000)
    }

    @Test func aClientThatGoesLeavesNoFileOpen() throws {
        let stage = try Stage(directory, onThreads: true)
        for _ in 0..<20 {
            let client = try stage.server.connect(receiveBuffer: 8_192)
            try client.send(get("/file"))
            client.reset()
        }
        let path = directory.path("file")
        #expect(becomesTrue { Self.openCount(path) == 0 })
        #expect(BodyPipeTests.isSame(try stage.server.connect().get("/file").body, content))
    }

    private static func openCount(_ path: String) -> Int {
        let files = FileManager.default
        let numbers = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return numbers.count { (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
    }
}
