extension RawSettings {
    /// What the environment says. A variable that is empty counts as not set, as compose files leave them.
    static func environment(_ environment: [String: String]) -> RawSettings {
        var settings = RawSettings()
        for setting in Settings.all {
            let name = setting.environmentName
            guard let text = environment[name], !text.isEmpty else { continue }
            settings.values[setting.name] = pieces(text, of: setting, from: .environment(name: name))
        }
        settings.warnOfUnknown(environment)
        return settings
    }

    private mutating func warnOfUnknown(_ environment: [String: String]) {
        let known = Settings.all.map(\.environmentName) + [Settings.fileEnvironmentName]
        for name in environment.keys.sorted() where name.hasPrefix("ROOMS_") && !known.contains(name) {
            guard !Self.isFromKubernetes(name) else { continue }
            warnings.append(
                Self.unknown(name, from: .environment(name: name), candidates: known, kind: .configuration))
        }
    }

    /// Kubernetes sets such variables in every pod when a service is called `rooms`. This is also why names that are
    /// not known are only warned of here.
    private static func isFromKubernetes(_ name: String) -> Bool {
        name.hasPrefix("ROOMS_SERVICE_") || name == "ROOMS_PORT" || name.hasPrefix("ROOMS_PORT_")
    }
}
