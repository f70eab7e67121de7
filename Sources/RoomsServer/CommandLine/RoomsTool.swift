import Glibc

/// The program `rooms`.
package enum RoomsTool {
    /// One entry a command, in the order in which help lists them.
    package static let table = CommandTable([
        .serve, .checkConfig, .token, .bot, .backup, .restore, .check, .export, .import, .version,
    ])

    /// All that `main.swift` calls: what is written there would be bound to the main actor, which callbacks from C
    /// on other threads must not be.
    package static func main() -> Never {
        // A reader of the output that has gone is an error of that write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        exit(table.run(.ofProcess()).rawValue)
    }
}
