import Foundation
import Testing

@testable import Board

@Suite("The board")
struct BoardTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/Board/page")

    @Test("has every file of its folder, as it is")
    func filesAreEmbedded() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(BoardFile.embedded.map(\.name).sorted() == names)
        for file in BoardFile.embedded {
            let content = try Data(contentsOf: Self.folder.appendingPathComponent(file.name))
            #expect(Array(content) == file.bytes, "\(file.name)")
        }
    }

    @Test("has nothing inline and nothing from outside, which its policy would bar")
    func pageHoldsItsPolicy() throws {
        for file in BoardFile.embedded {
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(!text.contains("innerHTML"), "\(file.name)")
            guard file.name.hasSuffix(".html") || file.name.hasSuffix(".css") else { continue }
            #expect(!text.contains(" style=") && !text.contains(" onclick="), "\(file.name)")
            #expect(!text.contains("src=\"http") && !text.contains("href=\"http"), "\(file.name)")
            #expect(!text.contains("url("), "\(file.name)")
        }
    }

    @Test("tells each kind of file what it is, and browsers what pages may do")
    func filesHaveHeaders() {
        for file in BoardFile.embedded {
            let headers = Dictionary(uniqueKeysWithValues: file.headers)
            #expect(headers["Content-Type"] != "application/octet-stream", "\(file.name)")
            #expect(headers["X-Content-Type-Options"] == "nosniff")
            #expect(headers["Content-Security-Policy"]?.contains("default-src 'none'; script-src 'self'") == true)
        }
    }

    @Test("gives different contents different tags")
    func tagsDiffer() {
        #expect(Set(BoardFile.embedded.map(\.tag)).count == BoardFile.embedded.count)
        #expect(BoardFile(name: "a.js", [1]).tag != BoardFile(name: "a.js", [2]).tag)
        #expect(BoardFile(name: "a.js", [1]).tag == BoardFile(name: "b.css", [1]).tag)
    }

    @Test("makes one script of a module and all that it needs, each once and after those that it needs itself")
    func scriptsAreBundled() {
        let modules = [
            "first.js":
                "import { Circle, area as areaOf } from \"./circle.js\";\nimport { half } from \"./half.js\";\nawait half(Circle, areaOf);",
            "circle.js":
                "// A circle.\nimport { half } from \"./half.js\";\nexport class Circle {}\nexport function area() {\n  return half;\n}",
            "half.js":
                "const two = 2;\nexport async function half() {}\nconst quarter = two, $all = 4;\nexport { quarter, $all };",
            "other.js": "export const unused = 0;",
        ]
        let bundle = ScriptBundle(of: "first.js", modules.mapValues { Array($0.utf8) })
        #expect(
            String(decoding: bundle.bytes, as: UTF8.self) == """
                const module1 = (() => {
                const two = 2;
                async function half() {}
                const quarter = two, $all = 4;

                return { half, quarter, $all };
                })();
                const module0 = (() => {
                // A circle.
                const { half } = module1;
                class Circle {}
                function area() {
                  return half;
                }
                return { Circle, area };
                })();
                const { Circle, area: areaOf } = module0;
                const { half } = module1;
                await half(Circle, areaOf);

                """)
    }

    @Test(
        "has modules that can be made one script: each imports and exports in a form that is known, and what is there")
    func modulesCanBeBundled() throws {
        let modules = BoardFile.embedded.filter { $0.name.hasSuffix(".js") }
        var exports: [String: Set<String>] = [:]
        var imports: [(file: String, from: String, names: [String])] = []
        for module in modules {
            for line in String(decoding: module.bytes, as: UTF8.self).split(separator: "\n") {
                if line.hasPrefix("import") {
                    let parts = try #require(
                        line.wholeMatch(of: /import \{ (.+) \} from "\.\/([a-z-]+\.js)";/), "\(module.name): \(line)")
                    let names = parts.1.split(separator: ", ").compactMap {
                        $0.split(separator: " ").first.map(String.init)
                    }
                    imports.append((module.name, String(parts.2), names))
                } else if line.hasPrefix("export") {
                    let list = line.wholeMatch(of: /export \{ ([\w$, ]+) \};/)?.1.split(separator: ", ").map(
                        String.init)
                    let name = line.firstMatch(of: /^export (?:(?:async )?function|class|const) ([\w$]+)/).map {
                        [String($0.1)]
                    }
                    exports[module.name, default: []].formUnion(try #require(list ?? name, "\(module.name): \(line)"))
                }
            }
        }
        #expect(imports.count > 100)
        for (file, other, names) in imports {
            #expect(exports[other, default: []].isSuperset(of: names), "\(file) imports from \(other)")
        }
    }
}
