/// The shape of log lines, as it is configured.
package enum LogFormat: String, CaseIterable, Sendable {
    /// Text when standard error is a terminal, JSON otherwise.
    case auto
    case text, json

    /// The shape that lines really get, and whether they are coloured.
    package enum Resolved: Equatable, Sendable {
        case text(isColoured: Bool)
        case json
    }

    /// Colours are for terminals whose owner has not set `NO_COLOR` (https://no-color.org).
    package func resolved(isTerminal: Bool, environment: [String: String]) -> Resolved {
        switch self {
        case .json: return .json
        case .auto where !isTerminal: return .json
        case .auto, .text:
            let isPlain = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
            return .text(isColoured: isTerminal && !isPlain)
        }
    }
}
