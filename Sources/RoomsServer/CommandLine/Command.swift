import FoundationEssentials
import Glibc

/// One subcommand of `rooms`. A new one is a value in the table of `RoomsTool`.
package struct Command: Sendable {
    package let name: String
    /// What stands behind `rooms` in the usage line.
    package let usage: String
    /// One line for the list of commands.
    package let summary: String
    /// What `rooms help NAME` says.
    package let page: @Sendable () -> String
    package let run: @Sendable (CommandContext) -> ExitCode

    package init(
        name: String, usage: String, summary: String, page: @escaping @Sendable () -> String,
        run: @escaping @Sendable (CommandContext) -> ExitCode
    ) {
        self.name = name
        self.usage = usage
        self.summary = summary
        self.page = page
        self.run = run
    }
}

/// What a command gets to work with: the arguments after its name, the environment, and two places to write to.
package struct CommandContext: Sendable {
    package var arguments: [String]
    package let environment: [String: String]
    package let standardOutput: @Sendable (String) -> Void
    package let standardError: @Sendable (String) -> Void

    package init(
        arguments: [String], environment: [String: String], standardOutput: @escaping @Sendable (String) -> Void,
        standardError: @escaping @Sendable (String) -> Void
    ) {
        self.arguments = arguments
        self.environment = environment
        self.standardOutput = standardOutput
        self.standardError = standardError
    }

    /// The process's own.
    package static func ofProcess() -> CommandContext {
        CommandContext(
            arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment,
            standardOutput: { write($0, to: STDOUT_FILENO) }, standardError: { write($0, to: STDERR_FILENO) })
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Prints the fault of the command line, and where to read more.
    func refuse(_ problem: String, help: String) -> ExitCode {
        standardError("rooms: \(problem)\nSee: \(help)\n")
        return .usage
    }
}
