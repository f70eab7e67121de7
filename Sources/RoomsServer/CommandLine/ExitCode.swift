/// What the process tells whoever started it; the numbers are those of `sysexits.h`.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case ok = 0
    case brokenPromise = 1
    case usage = 64
    case badData = 65
    case unavailable = 69
    case internalError = 70
    case storage = 74
    case configuration = 78

    package var meaning: String {
        switch self {
        case .ok: "All went well; also after SIGTERM or SIGINT and the drain that follows."
        case .brokenPromise: "rooms bot: the server did not keep a promise of the protocol."
        case .usage: "The command line is wrong: a command or an option that does not exist or lacks its value."
        case .badData: "What is stored, or a file that was given, is damaged or contradicts itself."
        case .unavailable: "The server cannot serve: an address is taken or may not be bound."
        case .internalError: "A defect of the server."
        case .storage: "The data directory or a file cannot be read or written, or another server uses it."
        case .configuration: "A value, a combination of values or a file is wrong. Starting again changes nothing."
        }
    }
}
