/// Faults and warnings of a configuration, one a paragraph.
enum FindingsPage {
    static func text(_ report: ConfigurationReport) -> String {
        var text = report.faults.map { "fault: \($0)\n" }.joined()
        text += report.warnings.map { "warning: \($0)\n" }.joined()
        if !report.faults.isEmpty {
            let count = report.faults.count == 1 ? "1 fault" : "\(report.faults.count) faults"
            text += "\(count). See: rooms help serve, rooms help SETTING\n"
        }
        return text
    }

    /// A wrong command line and a wrong configuration have different codes.
    static func exitCode(_ report: ConfigurationReport) -> ExitCode {
        if report.isGood { return .ok }
        return report.faults.contains { $0.kind == .usage } ? .usage : .configuration
    }
}
