/// Where a setting's value comes from.
package enum SettingSource: Hashable, Sendable, CustomStringConvertible {
    case builtIn
    case file(path: String, line: Int)
    case environment(name: String)
    case option(name: String)

    package var description: String {
        switch self {
        case .builtIn: "default"
        case .file(let path, let line): "\(path):\(line)"
        case .environment(let name): "environment variable \(name)"
        case .option(let name): "option --\(name)"
        }
    }
}

/// A value as it was written, before it is parsed.
struct RawValue: Equatable, Sendable {
    let text: String
    let source: SettingSource
}
