import Configuration
import Glibc
import Store

/// What the options of a command on a data directory say.
struct StoreOptions {
    private(set) var data = ""
    /// The place of everything but uploaded files: the data directory, or a database.
    private(set) var place: DatabaseStore.Place?
    private(set) var operand = ""
    private(set) var isReplacing = false

    enum Outcome {
        case options(StoreOptions)
        case ended(ExitCode)
    }

    /// - Parameters:
    ///   - operand: the command's argument besides options, as its page names it; nil for none.
    ///   - flags: `replace`, if the command has it; `store`, if it also works on a database.
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
            case "--data", "--store", "--store-file", "--config":
                guard let value = rest.popFirst() else {
                    return .ended(context.refuse("\(argument) needs a value.", help: help))
                }
                settings.append("\(argument)=\(value)")
            case _ where ["--data=", "--store=", "--store-file=", "--config="].contains(where: argument.hasPrefix):
                settings.append(argument)
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
        // The settings `data` and `store`, from the place where `rooms serve` would take them. Other faults of the
        // configuration do not matter here.
        let report = report(context, settings)
        let isWrong = report.faults.contains { $0.kind == .usage || $0.settings.contains(Settings.fileOption) }
        do throws(StoreError) {
            options.data = report.configuration.data ?? ""
            options.place = try report.configuration.storePlace()
        } catch {
            context.standardError("rooms: \(error)\n")
            return .ended(.configuration)
        }
        let isNamed = flags.contains("store") ? options.place != nil : report.configuration.data != nil
        return !isWrong && isNamed ? .options(options) : .ended(explain(context, report))
    }

    private static func explain(_ context: CommandContext, _ report: ConfigurationReport) -> ExitCode {
        var report = report
        report.faults.removeAll {
            $0.kind != .usage && !$0.settings.contains(Settings.fileOption) && !$0.settings.contains("store")
        }
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
