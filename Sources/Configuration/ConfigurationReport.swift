/// A configuration with where each of its values comes from, and what is wrong with it.
package struct ConfigurationReport: Sendable {
    package internal(set) var configuration = ServerConfiguration()
    package var faults: [ConfigurationFault] = []
    package var warnings: [ConfigurationFault] = []
    private var sources: [String: SettingSource] = [:]
    /// Settings of which some source said what could not be read.
    private var refused: [String: SettingSource] = [:]

    package init() {}

    /// Where the value comes from; of a refused one, where it was refused.
    package func source(of setting: String) -> SettingSource { refused[setting] ?? sources[setting] ?? .builtIn }

    /// Nothing is wrong, so that the server may start.
    package var isGood: Bool { faults.isEmpty }

    /// What is wrong; nil when nothing is. A command line that has no sense is told apart from a configuration that is
    /// wrong.
    package var faultKind: ConfigurationFault.Kind? {
        if isGood { return nil }
        return faults.contains { $0.kind == .usage } ? .usage : .configuration
    }

    /// Whether what is said about it can be believed; a value that could not be read is its default here.
    package func isReadable(_ setting: String) -> Bool { refused[setting] == nil }

    /// Takes what one source says. A later source replaces what an earlier one said; lists are replaced whole.
    mutating func take(_ raw: RawSettings) {
        faults += raw.faults
        warnings += raw.warnings
        for fault in raw.faults {
            for setting in fault.settings { refused[setting] = fault.source }
        }
        for setting in Settings.all {
            guard let values = raw.values[setting.name] else { continue }
            let wrong = setting.assign(values, &configuration)
            for (value, fault) in wrong { add(fault, of: setting, value) }
            if wrong.isEmpty { sources[setting.name] = values.first?.source }
        }
    }

    private mutating func add(_ fault: ValueFault, of setting: Setting, _ value: RawValue) {
        refused[setting.name] = value.source
        let hides = setting.isSecret || fault.hidesText
        let problem = hides ? fault.problem : "\"\(RawSettings.shown(value.text))\" \(fault.problem)"
        faults.append(ConfigurationFault([setting.name], from: value.source, problem, right: fault.right))
    }

    /// A fault or a warning, with the source of the first of them that was set.
    package func finding(_ settings: [String], _ problem: String, right: String) -> ConfigurationFault {
        let set = settings.map { source(of: $0) }.first { $0 != .builtIn }
        return ConfigurationFault(settings, from: set ?? .builtIn, problem, right: right)
    }
}
