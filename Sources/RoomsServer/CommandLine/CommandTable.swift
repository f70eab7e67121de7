import Configuration
import Operations

/// The commands of a program, and which of them a command line means.
package struct CommandTable: Sendable {
    package let commands: [Command]

    package init(_ commands: [Command]) {
        self.commands = commands
    }

    package func run(_ context: CommandContext) -> ExitCode {
        guard let name = context.arguments.first else {
            context.standardError(OverviewPage.text(commands))
            return .usage
        }
        var inner = context
        inner.arguments.removeFirst()
        switch name {
        case "-h", "--help": return help(inner)
        case "help": return help(inner)
        case "--version": return run("version", inner)
        default: return run(name, inner)
        }
    }

    private func run(_ name: String, _ context: CommandContext) -> ExitCode {
        if let command = commands.first(where: { $0.name == name }) {
            return command.run(context)
        }
        let nearest = NearestName.of(name, in: commands.map(\.name) + ["help"])
        let hint = nearest.map { " Did you mean rooms \($0)?" } ?? ""
        return context.refuse("there is no command \"\(RawSettings.shown(name))\".\(hint)", help: "rooms help")
    }

    // MARK: Help

    /// `rooms help`, of a command, or of one setting.
    private func help(_ context: CommandContext) -> ExitCode {
        guard let topic = context.arguments.first else {
            context.standardOutput(OverviewPage.text(commands))
            return .ok
        }
        guard context.arguments.count == 1 else {
            return context.refuse("help explains one command or setting at a time.", help: "rooms help")
        }
        guard let text = page(topic) else {
            let nearest = NearestName.of(topic, in: commands.map(\.name) + Settings.all.map(\.name))
            let hint = nearest.map { " Did you mean rooms help \($0)?" } ?? ""
            let problem = "there is no command or setting \"\(RawSettings.shown(topic))\".\(hint)"
            return context.refuse(problem, help: "rooms help")
        }
        context.standardOutput(text)
        return .ok
    }

    private func page(_ topic: String) -> String? {
        if topic == "--markdown" { return SettingsMarkdown.text() }
        if topic == "--metrics" { return MetricsMarkdown.text() }
        if topic == "help" { return OverviewPage.text(commands) }
        if let command = commands.first(where: { $0.name == topic }) { return command.page() }
        let name = topic.hasPrefix("--") ? String(topic.dropFirst(2)) : topic
        return Settings.named(name).map(SettingPage.text)
    }
}
