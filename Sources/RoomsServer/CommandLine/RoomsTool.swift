import Glibc

/// The program `rooms`.
public enum RoomsTool {
    /// One entry a command, in the order in which help lists them.
    public static let table = CommandTable([
        .serve, .checkConfig, .token, .bot, .backup, .restore, .check, .export, .import, .version,
    ])

    /// All that `main.swift` calls: what is written there would be bound to the main actor, which callbacks from C
    /// on other threads must not be.
    public static func main() -> Never {
        // A reader of the output that has gone is an error of that write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        exit(table.run(.ofProcess()).rawValue)
    }
}
