import Logging
import TestSupport
import Testing

@testable import Configuration

@Suite("The log of a server")
struct LogValueTests {
    private let lines = Collected()

    private func logger(_ format: LogFormat.Resolved) -> Logger {
        let lines = lines
        return Logger(
            level: .info, format: format, output: LogOutput { lines.append(String(decoding: $0, as: UTF8.self)) })
    }

    @Test("writes durations as the configuration does")
    func durations() {
        logger(.text(isColoured: false)).info("m", ["wait": Duration.milliseconds(500)])
        #expect(lines.text.hasSuffix("m wait=500ms\n"))
    }

    @Test("never has a secret in it, and neither has anything else that shows one")
    func secrets() {
        let secret = Secret(Array(goodSecret.utf8))
        logger(.json).info("m \(secret)", ["secret": secret])
        var dumped = ""
        dump(secret, to: &dumped)
        dump(report(["--auth", "hs256", "--auth-secret", goodSecret]), to: &dumped)
        for text in [lines.text, dumped, "\(secret)", String(reflecting: secret), String(describing: [secret])] {
            #expect(!text.contains(goodSecret))
            #expect(!text.contains("48, 49, 50"))
        }
        #expect(lines.text.contains("\"secret\":\"<secret>\""))
    }
}
