import Foundation
import Testing

@testable import RoomsServer

@Suite("The page of settings")
struct SettingsMarkdownTests {
    @Test("is what docs/CONFIGURATION.md says")
    func documentationIsInStep() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/CONFIGURATION.md"), encoding: .utf8)
        let begin = try #require(page.range(of: "<!-- settings: begin -->\n"))
        let end = try #require(page.range(of: "<!-- settings: end -->"))
        let isInStep = page[begin.upperBound..<end.lowerBound] == SettingsMarkdown.text()
        #expect(isInStep, "put what `rooms help --markdown` prints between the marks of docs/CONFIGURATION.md")
    }
}
