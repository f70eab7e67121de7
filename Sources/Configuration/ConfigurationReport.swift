/// A configuration with the source of each value, its faults and its warnings.
package struct ConfigurationReport: Sendable {
    package internal(set) var configuration = ServerConfiguration()
    package var faults: [ConfigurationFault] = []
    package var warnings: [ConfigurationFault] = []
    private var sources: [String: SettingSource] = [:]
    /// Settings with a value in some source that could not be read.
    private var refused: [String: SettingSource] = [:]

    package init() {}

    /// The source of the value, or of the value that was refused.
    package func source(of setting: String) -> SettingSource { refused[setting] ?? sources[setting] ?? .builtIn }

    /// Whether there are no faults, so that the server may start.
    package var isGood: Bool { faults.isEmpty }

    /// The kind of the faults; nil without a fault. A fault of the command line outweighs faults of settings.
    package var faultKind: ConfigurationFault.Kind? {
        if isGood { return nil }
        return faults.contains { $0.kind == .usage } ? .usage : .configuration
    }

    /// Whether the setting's value could be read. If not, the configuration has the default in its place.
    package func isReadable(_ setting: String) -> Bool { refused[setting] == nil }

    /// Applies the values of one source. They replace those of earlier sources; a list replaces the whole list.
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

    /// A fault or a warning, with the source of the first of these settings that was set.
    package func finding(_ settings: [String], _ problem: String, right: String) -> ConfigurationFault {
        let set = settings.map { source(of: $0) }.first { $0 != .builtIn }
        return ConfigurationFault(settings, from: set ?? .builtIn, problem, right: right)
    }
}
