/// A module of the page and all that it needs in one script, so that a browser asks for one file in place of 70.
///
/// Each module becomes a function that is called once and gives what the module exports. It stands after those that it needs.
/// The module that begins is as it is, since only a script's own statements may wait. The page's modules import with
/// `import { a, b as c } from "./name.js";` alone; they export where they declare, or with `export { a, b };`. None of them needs
/// itself.
struct ScriptBundle {
    private let modules: [String: [UInt8]]
    /// The constant that has what a module exports, by its file.
    private var names: [String: String] = [:]
    private(set) var bytes: [UInt8] = []

    init(of first: String, _ modules: [String: [UInt8]]) {
        self.modules = modules
        bytes += add(first).body
    }

    /// Adds what a module needs. Returns its own statements, and the names that it exports.
    private mutating func add(_ file: String) -> (body: [UInt8], exports: [String]) {
        var (body, exports): ([UInt8], [String]) = ([], [])
        for line in (modules[file] ?? []).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.starts(with: Self.importing), let (wanted, needed) = Self.imports(line) {
                body += "const {\(wanted)} = \(name(of: needed));".utf8
            } else if line.starts(with: Self.exporting) {
                let exported = line.dropFirst(Self.exporting.count)
                let isList = exported.first == UInt8(ascii: "{")
                if !isList { body += exported }
                let names = Self.names(in: exported)
                exports += isList ? names : Array(names.drop { Self.kinds.contains($0) }.prefix(1))
            } else {
                body += line
            }
            body.append(UInt8(ascii: "\n"))
        }
        return (body, exports)
    }

    /// The constant of a module, which is added unless it is there.
    private mutating func name(of file: String) -> String {
        if let name = names[file] { return name }
        let name = "module\(names.count)"
        names[file] = name
        let (body, exports) = add(file)
        bytes += "const \(name) = (() => {\n".utf8 + body
        bytes += "return { \(exports.joined(separator: ", ")) };\n})();\n".utf8
        return name
    }

    private static let importing = Array("import {".utf8)
    private static let exporting = Array("export ".utf8)

    /// What a line imports, as a constant would take it, and from which file.
    private static func imports(_ line: ArraySlice<UInt8>) -> (wanted: String, file: String)? {
        let text = String(decoding: line.dropFirst(importing.count), as: UTF8.self)
        let parts = text.split(separator: "} from \"./")
        guard parts.count == 2, let file = parts[1].split(separator: "\"").first else { return nil }
        let wanted = parts[0].split(separator: ",").map { $0.split(separator: " ").filter { $0 != "as" } }
        return (wanted.map { " " + $0.joined(separator: ": ") }.joined(separator: ",") + " ", String(file))
    }

    private static let kinds: Set = ["async", "function", "class", "const"]

    /// The names at the beginning of a declaration such as `async function name(`, or in a list.
    private static func names(in exported: ArraySlice<UInt8>) -> [String] {
        String(decoding: exported.prefix(1_000), as: UTF8.self)
            .split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "$" }.map(String.init)
    }
}
