import Testing

@testable import Configuration

/// Reads a configuration from texts, on a machine that has enough of everything.
func report(
    _ arguments: [String] = [], environment: [String: String] = [:], file: String? = nil
) -> ConfigurationReport {
    let options = file == nil ? [] : ["--config", "test.conf"]
    let reader = ConfigurationReader(
        arguments: options + arguments, environment: environment,
        readFile: { _ in .success(Array((file ?? "").utf8)) }, host: HostChecks(descriptorsMax: .max))
    guard case .report(let report) = reader.read() else {
        Issue.record("help was asked for")
        return ConfigurationReport()
    }
    return report
}

extension ConfigurationReport {
    var texts: [String] { faults.map(\.description) }

    func value(_ setting: String) -> String { Settings.named(setting)?.show(configuration) ?? "no such setting" }
}
