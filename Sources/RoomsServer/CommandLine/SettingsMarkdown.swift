import Configuration

/// The part of `docs/CONFIGURATION.md` that is made from the table. A test compares the two.
enum SettingsMarkdown {
    static func text() -> String {
        let groups = SettingGroup.allCases.map(group).joined(separator: "\n\n")
        let relations = Relations.all.map { "- \($0.promise)" }.joined(separator: "\n")
        return """
            \(groups)

            ### What must hold between settings

            \(relations)

            ### Exit codes

            | code | meaning |
            |---|---|
            \(ExitCode.allCases.map { "| \($0.rawValue) | \($0.meaning) |" }.joined(separator: "\n"))

            """
    }

    private static func group(_ group: SettingGroup) -> String {
        let rows = Settings.all.filter { $0.group == group }.map(row).joined(separator: "\n")
        return """
            ### \(group.rawValue)

            | setting | value | default | what and why |
            |---|---|---|---|
            \(rows)
            """
    }

    private static func row(_ setting: Setting) -> String {
        var value = "`\(setting.placeholder)`"
        if !setting.bounds.isEmpty, setting.bounds != setting.placeholder { value += " (\(setting.bounds))" }
        if setting.isRepeatable { value += ", a list" }
        let cells = ["`\(setting.name)`", value, setting.defaultText, "**\(setting.help)** \(setting.reason)"]
        return "| " + cells.map(escaped).joined(separator: " | ") + " |"
    }

    private static func escaped(_ cell: String) -> String {
        cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}
