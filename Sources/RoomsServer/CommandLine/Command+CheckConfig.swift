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
            "push-key": configuration.pushKeyFile, "store": configuration.storeFile,
            "cluster-redis": configuration.clusterRedisFile, "cluster-secret": configuration.clusterSecretFile,
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

        Reads the configuration as rooms serve would with the same options, environment and file. It prints
        every setting with its value and its source, and then all faults and warnings.

        It checks the values, the relations between settings, whether files exist and can be read, whether
        certificate and key match, when the certificate expires, and whether there are enough file
        descriptors. It binds no port, changes nothing and shows no secret.

        Values go to standard output, faults and warnings to standard error.

        Exit codes: 0 if the server would start, 78 if not, 64 if an option does not exist or has no value.

        Example:
          rooms check-config --config /etc/rooms/rooms.conf

        """
}
