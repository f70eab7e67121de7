import Logging

extension RawSettings {
    /// Reads the configuration file: a setting a line as `name = value`, `#` begins a comment, a text in double quotes
    /// is taken as it is. Lists have commas or several lines.
    static func file(_ bytes: [UInt8], path: String) -> RawSettings {
        var settings = RawSettings()
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            settings.readLine(line, from: .file(path: path, line: index + 1))
        }
        return settings
    }

    private mutating func readLine(_ bytes: ArraySlice<UInt8>, from source: SettingSource) {
        let ended = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
        guard let line = String(validating: ended, as: UTF8.self) else {
            return refuse([], source, "the line is not UTF-8", right: "Save the file as UTF-8")
        }
        let text = Self.trimmed(line[...])
        guard !text.isEmpty, !text.hasPrefix("#") else { return }
        guard !text.unicodeScalars.contains(where: { $0 != "\t" && LogText.isUnsafe($0) }) else {
            return refuse([], source, "the line has a control character", right: "Write plain text")
        }
        guard let equals = text.firstIndex(of: "=") else { return refuseLine(text, source) }
        let name = Self.trimmed(text[..<equals])
        guard let setting = Settings.named(name) else { return refuseName(name, source) }
        if let first = values[name]?.first, !setting.isRepeatable {
            return refuse([name], source, "is set twice, first at \(first.source)", right: "Keep one of the lines")
        }
        var scanner = FileValueScanner(text[text.index(after: equals)...], splits: setting.isRepeatable)
        switch scanner.scan() {
        case .success(let pieces):
            guard !pieces.isEmpty || setting.isRepeatable else {
                let right = "Right is \(name) = \(setting.placeholder); to leave it unset, remove the line"
                return refuse([name], source, "has no value", right: right)
            }
            values[name, default: []] += pieces.map { RawValue(text: $0, source: source) }
        case .failure(let fault):
            refuse([name], source, fault.problem, right: fault.right)
        }
    }

    /// Only the first word is repeated: what follows may be a secret.
    private mutating func refuseLine(_ text: String, _ source: SettingSource) {
        if text.hasPrefix("[") {
            return refuse([], source, "the file has no sections", right: "Write each setting as name = value")
        }
        let word = text.prefix { $0 != " " && $0 != "\t" && $0 != ":" }
        let name = String(word.hasPrefix("--") ? word.dropFirst(2) : word)
        let meant = Settings.named(name)?.name ?? NearestName.of(name, in: Settings.all.map(\.name))
        refuse(
            [Self.shown(name)], source, "the line has no \"=\"", right: "Right is \(meant ?? "name") = value")
    }

    private mutating func refuseName(_ name: String, _ source: SettingSource) {
        if name == Settings.fileOption {
            return refuse([name], source, "a file cannot name another", right: "Remove the line")
        }
        if name.hasPrefix("--"), Settings.named(String(name.dropFirst(2))) != nil {
            let right = "Right is \(name.dropFirst(2)) = value"
            return refuse([name], source, "in a file the name has no dashes before it", right: right)
        }
        let candidates = Settings.all.map(\.name)
        faults.append(Self.unknown(name, from: source, candidates: candidates, kind: .configuration))
    }

    private mutating func refuse(_ settings: [String], _ source: SettingSource, _ problem: String, right: String) {
        faults.append(ConfigurationFault(settings, from: source, problem, right: right))
    }
}

/// Reads what stands behind the `=`: pieces, quoted or bare, up to the line's end or a comment.
private struct FileValueScanner {
    private var rest: Substring
    private let splits: Bool

    init(_ text: Substring, splits: Bool) {
        rest = text
        self.splits = splits
    }

    mutating func scan() -> Result<[String], ValueFault> {
        var pieces: [String] = []
        skipBlanks()
        if isAtEnd { return .success([]) }
        while true {
            if rest.first == "\"" {
                switch quoted() {
                case .success(let piece): pieces.append(piece)
                case .failure(let fault): return .failure(fault)
                }
            } else {
                pieces.append(bare())
            }
            skipBlanks()
            if isAtEnd { return .success(pieces) }
            guard splits, rest.first == "," else {
                let right = "Right is one value in quotes, with \\\" for a quote within"
                return .failure(ValueFault("has text after the closing quote", right: right))
            }
            rest.removeFirst()
            skipBlanks()
        }
    }

    private var isAtEnd: Bool { rest.isEmpty || rest.first == "#" }

    private mutating func skipBlanks() {
        rest = rest.drop { $0 == " " || $0 == "\t" }
    }

    /// Up to a comma, if the setting is a list, or to a `#` with a blank before it.
    private mutating func bare() -> String {
        var end = rest.startIndex
        var isBehindBlank = true
        while end < rest.endIndex {
            let character = rest[end]
            if splits, character == "," { break }
            if character == "#", isBehindBlank { break }
            isBehindBlank = character == " " || character == "\t"
            end = rest.index(after: end)
        }
        defer { rest = rest[end...] }
        return RawSettings.trimmed(rest[..<end])
    }

    private mutating func quoted() -> Result<String, ValueFault> {
        rest.removeFirst()
        var piece = ""
        while let character = rest.popFirst() {
            if character == "\"" { return .success(piece) }
            guard character == "\\" else {
                piece.append(character)
                continue
            }
            guard let escaped = rest.popFirst(), escaped == "\"" || escaped == "\\" else {
                let right = "Right is \\\" for a quote and \\\\ for a backslash"
                return .failure(ValueFault("has an unknown escape", right: right))
            }
            piece.append(escaped)
        }
        return .failure(ValueFault("the closing quote is missing", right: "Right is name = \"value\""))
    }
}
