import Foundation
import TestSupport
import Testing

@testable import Logging

@Suite("The log")
struct LoggerTests {
    private let lines = Collected()

    private func logger(_ format: LogFormat.Resolved, level: LogLevel = .info) -> Logger {
        let lines = lines
        return Logger(
            level: level, format: format,
            output: LogOutput { lines.append(String(decoding: $0, as: UTF8.self)) },
            clock: { Timestamp(seconds: 1_760_090_400, milliseconds: 7) })
    }

    @Test("writes JSON lines with numbers as numbers")
    func json() {
        logger(.json).info("listening", ["address": "127.0.0.1:80", "threads": 2, "tls": false, "load": 0.5])
        #expect(
            lines.text == """
                {"time":"2025-10-10T10:00:00.007Z","level":"info","message":"listening","address":"127.0.0.1:80",\
                "threads":2,"tls":false,"load":0.5}

                """)
    }

    @Test("writes text lines for people")
    func text() {
        logger(.text(isColoured: false)).warning(
            "slow reader", ["peer": "10.0.0.1", "why": "no room", "empty": "", "wait": 500])
        #expect(
            lines.text == """
                2025-10-10T10:00:00.007Z warning slow reader peer=10.0.0.1 why="no room" empty="" wait=500

                """)
    }

    @Test("has colours only where they are asked for")
    func colours() {
        logger(.text(isColoured: true)).error("x")
        #expect(lines.text == "\u{1B}[2m2025-10-10T10:00:00.007Z\u{1B}[0m \u{1B}[31merror\u{1B}[0m   x\n")
    }

    static let attacks = [
        "a\nb", "a\r\nb", "\u{1B}[2Jcleared", "\u{0}", "\u{7F}", "\u{85}next", "\u{9B}31m", "\u{2028}",
        "\u{202E}reversed",
        "\" , \"level\":\"error", "\\", "\t", "\u{FEFF}", "x=1 level=error",
    ]

    @Test("cannot be forged by a value", arguments: attacks)
    func escaping(attack: String) throws {
        logger(.json).info("m", ["value": attack])
        logger(.text(isColoured: false)).info("m \(attack)", ["value": attack])
        let (json, text) = (lines.all[0], lines.all[1])
        for line in [json, text] {
            #expect(line.hasSuffix("\n"))
            #expect(!line.dropLast().unicodeScalars.contains(where: LogText.isUnsafe))
        }
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?.count == 4)
        #expect(object?["value"] as? String == attack)
        #expect(object?["level"] as? String == "info")
    }

    @Test("cuts long values")
    func long() {
        logger(.json).info("m", ["value": String(repeating: "ä", count: 5000)])
        #expect(lines.text.count < LogText.scalarsMax + 100)
        #expect(lines.text.contains("ä…\"}"))
    }

    @Test("does not show what may not be a number in JSON")
    func oddNumbers() throws {
        logger(.json).info("m", ["nan": Double.nan, "infinite": Double.infinity, "large": UInt64.max])
        let object = try JSONSerialization.jsonObject(with: Data(lines.text.utf8)) as? [String: Any]
        #expect(object?["nan"] as? String == "nan")
        #expect(object?["large"] as? String == "18446744073709551615")
    }

    @Test("builds nothing of a line whose level is off")
    func levels() {
        func never() -> String {
            Issue.record("the message was built")
            return ""
        }
        logger(.json, level: .warning).info(never(), ["x": never()])
        logger(.json, level: .warning).trace(never())
        #expect(lines.text.isEmpty)
        for level in LogLevel.allCases {
            #expect(logger(.json, level: .warning).isOn(level) == (level == .warning || level == .error))
        }
    }

    @Test("carries what a logger was made with")
    func context() {
        logger(.text(isColoured: false)).with(["shard": 1]).with(["peer": "p"]).info("m", ["x": 2])
        #expect(lines.text.hasSuffix("info    m shard=1 peer=p x=2\n"))
    }

    @Test("writes whole lines from many threads at once")
    func threads() {
        let pipe = Pipe()
        let logger = Logger(
            level: .info, format: .json, output: LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor))
        let writers = DispatchGroup()
        for thread in 0..<4 {
            writers.enter()
            Thread.detachNewThread {
                for number in 0..<250 {
                    logger.info("m", ["thread": thread, "number": number, "text": String(repeating: "x", count: 500)])
                }
                writers.leave()
            }
        }
        writers.notify(queue: .global()) { try? pipe.fileHandleForWriting.close() }
        let all = pipe.fileHandleForReading.readDataToEndOfFile()
        let written = String(decoding: all, as: UTF8.self).split(separator: "\n")
        #expect(written.count == 1000)
        #expect(written.allSatisfy { $0.hasPrefix("{\"time\"") && $0.hasSuffix("x\"}") })
    }

    @Test("loses lines rather than waits for a reader that has stopped, and says so")
    func lostLines() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let logger = Logger(level: .info, format: .json, output: LogOutput(descriptor: descriptor))
        for _ in 0..<200 { logger.info("m", ["text": String(repeating: "x", count: 1000)]) }
        _ = pipe.fileHandleForReading.readData(ofLength: 32 * 1024)
        logger.info("after")
        try pipe.fileHandleForWriting.close()
        let rest = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(rest.contains("\"message\":\"log lines were lost\",\"lines\":"))
        #expect(rest.hasSuffix("\"message\":\"after\"}\n"))
    }

    @Test("is text on a terminal and JSON otherwise, unless it is told")
    func formats() {
        #expect(LogFormat.auto.resolved(isTerminal: true, environment: [:]) == .text(isColoured: true))
        #expect(LogFormat.auto.resolved(isTerminal: false, environment: [:]) == .json)
        #expect(LogFormat.text.resolved(isTerminal: false, environment: [:]) == .text(isColoured: false))
        #expect(LogFormat.json.resolved(isTerminal: true, environment: [:]) == .json)
        #expect(LogFormat.auto.resolved(isTerminal: true, environment: ["NO_COLOR": "1"]) == .text(isColoured: false))
        #expect(LogFormat.auto.resolved(isTerminal: true, environment: ["NO_COLOR": ""]) == .text(isColoured: true))
        #expect(LogFormat.auto.resolved(isTerminal: true, environment: ["TERM": "dumb"]) == .text(isColoured: false))
    }
}
