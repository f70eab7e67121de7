import Board
import Foundation
import Testing

@testable import Operations

@Suite("The console's page")
struct ConsoleFilesTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/Operations/page")

    @Test("has every file of its folder, as it is")
    func filesAreEmbedded() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(ConsoleFiles.embedded.map(\.name).sorted() == names)
        for file in ConsoleFiles.embedded {
            let content = try Data(contentsOf: Self.folder.appendingPathComponent(file.name))
            let isSame = Array(content) == file.bytes
            #expect(isSame, "\(file.name)")
        }
    }

    @Test("has nothing inline and nothing from outside, which its policy would bar")
    func pageHoldsItsPolicy() {
        for file in ConsoleFiles.embedded {
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(!text.contains("innerHTML"), "\(file.name)")
            guard file.name.hasSuffix(".html") || file.name.hasSuffix(".css") else { continue }
            #expect(!text.contains(" style=") && !text.contains(" onclick="), "\(file.name)")
            #expect(!text.contains("src=\"http") && !text.contains("href=\"http") && !text.contains("url("))
        }
    }
}
