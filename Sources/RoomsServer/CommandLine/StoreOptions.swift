import Configuration
import Glibc

/// What the options of a command on a data directory say.
struct StoreOptions {
    private(set) var data = ""
    private(set) var operand = ""
    private(set) var isReplacing = false

    enum Outcome {
        case options(StoreOptions)
        case ended(ExitCode)
    }

    /// - Parameters:
    ///   - operand: the command's argument besides options, as its page names it; nil for none.
    ///   - flags: `replace`, if the command has it.
    static func read(
        _ context: CommandContext, _ command: String, operand: String?, flags: Set<String> = [], page: String
    ) -> Outcome {
        let help = "rooms help \(command)"
        var options = StoreOptions()
        var settings: [String] = []
        var operands: [String] = []
        var rest = context.arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "-h", "--help":
                context.standardOutput(page)
                return .ended(.ok)
            case "--replace" where flags.contains("replace"): options.isReplacing = true
            case "--data", "--config":
                guard let value = rest.popFirst() else {
                    return .ended(context.refuse("\(argument) needs a value.", help: help))
                }
                settings.append("\(argument)=\(value)")
            case _ where argument.hasPrefix("--data=") || argument.hasPrefix("--config="): settings.append(argument)
            case _ where argument.hasPrefix("-") && argument != "-":
                let problem = "there is no option \"\(RawSettings.shown(argument))\"."
                return .ended(context.refuse(problem, help: help))
            default: operands.append(argument)
            }
        }
        guard operands.count == (operand == nil ? 0 : 1) else {
            let problem = operand.map { "\(command) takes one \($0)." } ?? "\(command) takes no arguments."
            return .ended(context.refuse(problem, help: help))
        }
        options.operand = operands.first ?? ""
        return directory(context, settings).map { options.data = $0 }.map { _ in .options(options) }
            ?? .ended(explain(context, settings))
    }

    /// The setting `data`, from the place where `rooms serve` would take it. Other faults of the configuration do not
    /// matter here.
    private static func directory(_ context: CommandContext, _ settings: [String]) -> String? {
        let report = report(context, settings)
        let isWrong = report.faults.contains { $0.kind == .usage || $0.settings.contains(Settings.fileOption) }
        return isWrong ? nil : report.configuration.data
    }

    private static func explain(_ context: CommandContext, _ settings: [String]) -> ExitCode {
        var report = report(context, settings)
        report.faults.removeAll { $0.kind != .usage && !$0.settings.contains(Settings.fileOption) }
        report.warnings = []
        guard report.isGood else {
            context.standardError(FindingsPage.text(report))
            return FindingsPage.exitCode(report)
        }
        context.standardError("rooms: --data DIR is needed; it names the data directory.\n")
        return .configuration
    }

    private static func report(_ context: CommandContext, _ settings: [String]) -> ConfigurationReport {
        let reader = ConfigurationReader(arguments: settings, environment: context.environment)
        // The caller has handled `--help` before.
        guard case .report(let report) = reader.read() else { return ConfigurationReport() }
        return report
    }
}
