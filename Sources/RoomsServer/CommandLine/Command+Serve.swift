import Configuration
import Logging

extension Command {
    static let serve = Command(
        name: "serve", usage: "serve [--SETTING VALUE …]", summary: "Run the server.", page: ServePage.text
    ) { context in
        let reader = ConfigurationReader(arguments: context.arguments, environment: context.environment)
        switch reader.read() {
        case .help:
            context.standardOutput(ServePage.text())
            return .ok
        case .report(let report) where !report.isGood:
            context.standardError(FindingsPage.text(report))
            return FindingsPage.exitCode(report)
        case .report(let report):
            let logger = Logger(report.configuration, environment: context.environment)
            for warning in report.warnings {
                logger.warning("configuration", ["finding": warning.description])
            }
            return ServerRunner.run(report.configuration, logger)
        }
    }
}
