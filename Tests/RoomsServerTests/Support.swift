import TestSupport
import Testing

@testable import Configuration
@testable import RoomsServer

/// Reads a configuration, on a machine that has enough of everything.
func report(_ arguments: [String], environment: [String: String]) -> ConfigurationReport {
    let reader = ConfigurationReader(
        arguments: arguments, environment: environment, host: HostChecks(descriptorsMax: .max))
    guard case .report(let report) = reader.read() else {
        Issue.record("help was asked for")
        return ConfigurationReport()
    }
    return report
}

/// Runs a command line within the test's process.
func run(_ arguments: String..., environment: [String: String] = [:]) -> (code: ExitCode, out: String, err: String) {
    run(arguments, environment: environment)
}

func run(_ arguments: [String], environment: [String: String] = [:]) -> (code: ExitCode, out: String, err: String) {
    let out = Collected()
    let err = Collected()
    let code = RoomsTool.table.run(
        CommandContext(
            arguments: arguments, environment: environment, standardOutput: { out.append($0) },
            standardError: { err.append($0) }))
    return (code, out.text, err.text)
}
