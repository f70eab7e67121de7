import Configuration
import Glibc
import Identity
import RoomsClient

/// What is wrong with a command line, or with what it names.
struct ToolFault: Error {
    let problem: String
    let code: ExitCode

    init(_ problem: String, _ code: ExitCode = .usage) {
        (self.problem, self.code) = (problem, code)
    }
}

/// The operands of a command that is a client of a server, and its options, which all have values.
struct ToolArguments {
    private(set) var operands: [String] = []
    private(set) var asksForHelp = false
    private var texts: [String: String] = [:]

    init(_ arguments: [String], operands names: [String], options: [String]) throws(ToolFault) {
        var rest = arguments[...]
        while let argument = rest.popFirst() { try take(argument, &rest, options) }
        if asksForHelp { return }
        guard operands.count <= names.count else {
            throw ToolFault("\(operands[names.count]) is one argument too many.")
        }
        if operands.count < names.count { throw ToolFault("\(names[operands.count]) is missing.") }
    }

    private mutating func take(
        _ argument: String, _ rest: inout ArraySlice<String>, _ options: [String]
    ) throws(ToolFault) {
        if argument == "--help" || argument == "-h" {
            asksForHelp = true
            return
        }
        guard argument.hasPrefix("-") else { return operands.append(argument) }
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map { $0.hasPrefix("--") ? String($0.dropFirst(2)) : "" } ?? ""
        guard options.contains(name) else {
            let hint = NearestName.of(name, in: options).map { " Did you mean --\($0)?" } ?? ""
            throw ToolFault("there is no option \"\(RawSettings.shown(argument))\".\(hint)")
        }
        guard let text = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
            throw ToolFault("--\(name) needs a value.")
        }
        guard texts.updateValue(text, forKey: name) == nil else { throw ToolFault("--\(name) is given twice.") }
    }

    subscript(name: String) -> String? { texts[name] }

    func number(_ name: String, _ range: ClosedRange<Double>) throws(ToolFault) -> Double? {
        guard let text = texts[name] else { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw ToolFault("--\(name) is a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    func seconds(_ name: String) throws(ToolFault) -> Double? {
        guard let text = texts[name] else { return nil }
        guard let duration = DurationText.parse(text), duration > .zero else {
            throw ToolFault("--\(name) is a duration, like 90s or 12h.")
        }
        return Double(duration.wholeMilliseconds) / 1_000
    }

    func size(_ name: String) throws(ToolFault) -> Int? {
        guard let text = texts[name] else { return nil }
        guard let size = SizeText.parse(text), size > 0 else { throw ToolFault("--\(name) is a size, like 100MiB.") }
        return size
    }

    /// The authorities that `--ca-file` names.
    func trust() throws(ToolFault) -> TLSTrust? {
        guard let file = texts["ca-file"] else { return nil }
        do throws(ClientError) { return try TLSTrust(authorities: file) } catch {
            throw ToolFault("--ca-file: \(error)")
        }
    }

    /// The token of a user by its name: that of `--token`, or one that is signed with `--secret`.
    func tokens() throws(ToolFault) -> (@Sendable (String) -> String?)? {
        if let token = texts["token"] {
            guard texts["secret"] == nil else { throw ToolFault("it takes --token or --secret, not both.") }
            return { _ in token }
        }
        guard let secret = texts["secret"].map({ Array($0.utf8) }) else { return nil }
        let (issuer, audience) = (texts["issuer"], texts["audience"])
        return { name in
            let now = Int64(Glibc.time(nil))
            var token = TestToken(subject: name, issuedAt: now, expiresAt: now + 7 * 86_400)
            token.issuer = issuer
            token.audience = audience
            return token.signed(secret: secret)
        }
    }
}
