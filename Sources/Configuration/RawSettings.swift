import Logging

/// The texts of one source by the name of the setting, before they are parsed.
package struct RawSettings {
    var values: [String: [RawValue]] = [:]
    var faults: [ConfigurationFault] = []
    /// Findings that do not keep the server from starting.
    var warnings: [ConfigurationFault] = []

    /// Cuts a list at its commas. An empty text is an empty list.
    static func pieces(_ text: String, of setting: Setting, from source: SettingSource) -> [RawValue] {
        guard setting.isRepeatable else { return [RawValue(text: text, source: source)] }
        guard !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map {
            RawValue(text: trimmed($0), source: source)
        }
    }

    static func trimmed(_ text: Substring) -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(text[first...last])
    }

    /// The fault of an unknown name, with the most similar name of a setting.
    static func unknown(
        _ name: String, from source: SettingSource, candidates: [String], kind: ConfigurationFault.Kind
    ) -> ConfigurationFault {
        // A variable's name stands in its source already.
        let named = source != .environment(name: name)
        let stem = name.hasPrefix("no-") ? String(name.dropFirst(3)) : name
        let nearest = NearestName.of(stem, in: candidates).map { "Did you mean \($0)" }
        let right = nearest.map { "\($0)?" } ?? "rooms help serve lists all settings"
        return ConfigurationFault(
            named ? [shown(name)] : [], from: source, "there is no such setting", right: right, kind: kind)
    }

    /// A text as messages show it: one line, not too long.
    package static func shown(_ text: String) -> String {
        var bytes: [UInt8] = []
        LogText.append(String(text.prefix(80)), .bare, to: &bytes)
        return String(decoding: bytes, as: UTF8.self) + (text.count > 80 ? "…" : "")
    }
}
