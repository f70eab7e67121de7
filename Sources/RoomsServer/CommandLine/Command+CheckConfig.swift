import Configuration

extension Command {
    static let checkConfig = Command(
        name: "check-config", usage: "check-config [--SETTING VALUE …]",
        summary: "Check and explain a configuration without serving.", page: { page }
    ) { context in
        let reader = ConfigurationReader(arguments: context.arguments, environment: context.environment)
        switch reader.read() {
        case .help:
            context.standardOutput(page)
            return .ok
        case .report(let report):
            context.standardOutput(settings(report))
            let findings = FindingsPage.text(report)
            if !findings.isEmpty { context.standardError(findings) }
            if report.isGood { context.standardOutput("The configuration is good.\n") }
            return FindingsPage.exitCode(report)
        }
    }

    /// Every setting with its value and where it comes from.
    private static func settings(_ report: ConfigurationReport) -> String {
        let rows = Settings.all.map { setting in
            let isRefused = !report.isReadable(setting.name)
            let value = isRefused ? "(refused)" : RawSettings.shown(setting.show(report.configuration))
            return (name: setting.name, value: value, source: source(of: setting, report))
        }
        let nameWidth = rows.map(\.name.count).max() ?? 0
        let valueWidth = min(rows.map(\.value.count).max() ?? 0, 40)
        return rows.map { row in
            "\(TextLayout.padded(row.name, nameWidth))  \(TextLayout.padded(row.value, valueWidth))  \(row.source)\n"
        }.joined()
    }

    private static func source(of setting: Setting, _ report: ConfigurationReport) -> String {
        let source = report.source(of: setting.name)
        let configuration = report.configuration
        let files = [
            "auth-secret": configuration.authSecretFile, "operator-token": configuration.operatorTokenFile,
            "push-key": configuration.pushKeyFile,
        ]
        if setting.isSecret, source == .builtIn, let file = files[setting.name] ?? nil,
            setting.show(configuration) != "none"
        {
            return "file \(file)"
        }
        return source.description
    }

    private static let page = """
        Usage: rooms check-config [--SETTING VALUE …]

        Reads the configuration exactly as rooms serve with the same options, environment and file would,
        prints every setting with its value and where it comes from, and tells all that is wrong with it.

        Looked at besides the values themselves: how settings go together, whether files are there and may
        be read, whether certificate and key match and how long they last, whether there are enough file
        descriptors. No port is bound and nothing is changed. Secrets are not shown.

        Values go to standard output, findings to standard error.

        Exit codes: 0 if the server would start, 78 if not, 64 if an option does not exist or has no value.

        Example:
          rooms check-config --config /etc/rooms/rooms.conf

        """
}
