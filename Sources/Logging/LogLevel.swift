/// The severity of a log line. A logger drops lines below its own level.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case trace, debug, info, warning, error

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.order < right.order }

    private var order: Int {
        switch self {
        case .trace: 0
        case .debug: 1
        case .info: 2
        case .warning: 3
        case .error: 4
        }
    }
}
