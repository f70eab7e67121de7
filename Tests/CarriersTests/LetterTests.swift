import Testing

@testable import Carriers

@Suite("Letters")
struct LetterTests {
    private func lines(_ text: CarriedText) -> [String] {
        let bytes = Letter(text, from: "rooms@example.com", at: 1_764_000_000).bytes
        return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false).map(
            String.init)
    }

    @Test("have a head and a body, with CR LF")
    func form() {
        let all = lines(CarriedText(to: "ada@example.com", subject: "Your code", "one\ntwo\n"))
        #expect(all.contains("From: rooms@example.com") && all.contains("To: ada@example.com"))
        #expect(all.contains("Subject: Your code") && all.contains("Date: Mon, 24 Nov 2025 16:00:00 +0000"))
        #expect(all.contains("Auto-Submitted: auto-generated"))
        #expect(Array(all.suffix(5)) == ["", "one", "two", "", ""])
    }

    @Test("have an id that no other has")
    func id() throws {
        let ids = (0..<100).map { _ in
            lines(CarriedText(to: "a@b.cd", "x")).first {
                $0.hasPrefix("Message-ID: <") && $0.hasSuffix("@example.com>")
            }
        }
        #expect(!ids.contains(nil) && Set(ids).count == 100)
    }

    @Test("take no line of the head from a value")
    func injection() {
        let all = lines(
            CarriedText(to: "ada@example.com\r\nBcc: eve@example.com", subject: "x\nBcc: eve@example.com", "x"))
        #expect(!all.contains { $0.hasPrefix("Bcc") })
    }
}
