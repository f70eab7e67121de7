/// The exit codes of the process. The numbers are those of `sysexits.h`.
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
        case .ok: "Success; also after SIGTERM or SIGINT and the drain that follows."
        case .brokenPromise: "rooms bot: the server did not keep a promise of the protocol."
        case .usage: "The command line is wrong: a command or an option that does not exist or has no value."
        case .badData: "The stored data or a given file is damaged or inconsistent."
        case .unavailable: "The server cannot serve: an address is in use or must not be bound."
        case .internalError: "A defect of the server."
        case .storage: "The data directory or a file cannot be read or written, or another server uses it."
        case .configuration: "A value, a combination of values or a file is wrong. A restart does not help."
        }
    }
}
