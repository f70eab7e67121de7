extension RawSettings {
    /// What the arguments of a command say.
    struct Options {
        var settings = RawSettings()
        var file: RawValue?
        var asksForHelp = false
    }

    /// Reads `--name value` and `--name=value`; a flag may stand alone (on), with `on` or `off`, or as `--no-name`.
    static func options(_ arguments: [String]) -> Options {
        var options = Options()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" {
                options.asksForHelp = true
            } else if argument.hasPrefix("--"), argument.count > 2 {
                options.take(argument.dropFirst(2), &rest)
            } else {
                let fault = ConfigurationFault(
                    ["\"\(shown(argument))\""], from: nil, "the argument belongs to no option",
                    right: "Settings are written --name VALUE", kind: .usage)
                options.settings.faults.append(fault)
            }
        }
        return options
    }
}

extension RawSettings.Options {
    fileprivate mutating func take(_ option: Substring, _ rest: inout ArraySlice<String>) {
        let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        let attached = parts.count == 2 ? String(parts[1]) : nil
        let source = SettingSource.option(name: name)
        if name == Settings.fileOption {
            guard let path = attached ?? Self.following(&rest) else { return missingValue(name, "FILE") }
            if file != nil { return twice(name) }
            file = RawValue(text: path, source: source)
        } else if let setting = Settings.named(name) {
            guard let text = attached ?? Self.value(of: setting, &rest) else {
                return missingValue(name, setting.placeholder)
            }
            if settings.values[name] != nil, !setting.isRepeatable { return twice(name) }
            settings.values[name, default: []] += RawSettings.pieces(text, of: setting, from: source)
        } else if name.hasPrefix("no-"), let setting = Settings.named(String(name.dropFirst(3))), setting.isFlag,
            attached == nil
        {
            if settings.values[setting.name] != nil { return twice(setting.name) }
            settings.values[setting.name] = [RawValue(text: "off", source: source)]
        } else {
            let candidates = Settings.all.map(\.name) + [Settings.fileOption]
            settings.faults.append(RawSettings.unknown(name, from: source, candidates: candidates, kind: .usage))
        }
    }

    /// A flag takes the next argument only if it is a word for on or off.
    private static func value(of setting: Setting, _ rest: inout ArraySlice<String>) -> String? {
        guard setting.isFlag else { return following(&rest) }
        guard let next = rest.first, ValueType<Bool>.word(next) != nil else { return "on" }
        return rest.popFirst()
    }

    /// The next argument, unless it is an option: then the value was forgotten.
    private static func following(_ rest: inout ArraySlice<String>) -> String? {
        guard let next = rest.first, !next.hasPrefix("--") else { return nil }
        return rest.popFirst()
    }

    private mutating func missingValue(_ name: String, _ placeholder: String) {
        let fault = ConfigurationFault(
            [name], from: .option(name: name), "the value is missing", right: "Right is --\(name) \(placeholder)",
            kind: .usage)
        settings.faults.append(fault)
    }

    private mutating func twice(_ name: String) {
        let fault = ConfigurationFault(
            [name], from: .option(name: name), "the option is there twice", right: "Give it once", kind: .usage)
        settings.faults.append(fault)
    }
}
