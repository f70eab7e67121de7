import Glibc

/// The program `rooms`.
package enum RoomsTool {
    /// One entry a command, in the order in which help lists them.
    package static let table = CommandTable([
        .serve, .checkConfig, .token, .bot, .record, .replay, .refly, .backup, .restore, .check, .moveStore,
        .importLibrary, .grantAdmin,
        .revokeAdmin, .keys, .cluster, .export,
        .import, .version,
    ])

    /// The whole program, called by `main.swift`. Code in that file would be bound to the main actor, but callbacks
    /// from C run on other threads.
    package static func main() -> Never {
        // A reader of the output that has gone is an error of that write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let code = table.run(.ofProcess())
        // Threads that nobody waits for may still use libraries whose exit handlers would take away what they use.
        fflush(nil)
        _exit(code.rawValue)
    }
}
