/// A fault of a configuration: the problem, its place, and a correct form.
package struct ConfigurationFault: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// The command line is wrong: an option that does not exist or has no value.
        case usage
        /// A value or a combination of values is wrong.
        case configuration
    }

    package let kind: Kind
    /// The settings at fault, the most important one first. A name that does not exist stands here as written.
    package let settings: [String]
    package let source: SettingSource?
    package let problem: String
    package let right: String

    init(
        _ settings: [String], from source: SettingSource?, _ problem: String, right: String, kind: Kind = .configuration
    ) {
        self.settings = settings
        self.source = source
        self.problem = problem
        self.right = right
        self.kind = kind
    }

    package var description: String {
        let end = right.hasSuffix("?") ? "" : "."
        return "\(place): \(problem). \(right)\(end)"
    }

    private var place: String {
        let names = settings.joined(separator: ", ")
        guard let source else { return names }
        return names.isEmpty ? "\(source)" : "\(names) (\(source))"
    }
}

/// Why a text is no value of a type.
struct ValueFault: Error, Equatable {
    let problem: String
    let right: String
    /// Set where the text may hold a password: then the message must not repeat it.
    var hidesText = false

    init(_ problem: String, right: String, hidesText: Bool = false) {
        self.problem = problem
        self.right = right
        self.hidesText = hidesText
    }
}
