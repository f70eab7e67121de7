import Accounts
import Identity
import Wire

extension Field {
    /// The value of a member of a JSON object. Throws the fault of a wrong value.
    func value(_ json: JSONReader, _ limits: APILimits) throws(APIError) -> FieldValue {
        if let text = json.string { try checkCharacters(text) }
        return try inOwnWords { () throws(APIError) in try read(json, limits) }
    }

    /// The value in a query.
    func value(text: String, _ limits: APILimits) throws(APIError) -> FieldValue {
        try checkCharacters(text)
        return try inOwnWords { () throws(APIError) in try read(text: text, limits) }
    }

    /// The message names the character, because nobody sees it. A group's own words do not replace this message.
    private func checkCharacters(_ text: String) throws(APIError) {
        switch kind {
        case .prose:
            if let unfit = UnfitCharacter(in: text.utf16) { throw .invalid(name, "must not have \(unfit).") }
        case .text:
            guard let scalar = text.unicodeScalars.first(where: { !Self.keepsToItself($0) }) else { return }
            throw .invalid(name, "is one line and must not have the character \(scalar.codePoint).")
        default: break
        }
    }

    private func inOwnWords(_ read: () throws(APIError) -> FieldValue) throws(APIError) -> FieldValue {
        do throws(APIError) {
            return try read()
        } catch {
            guard let wrong else { throw error }
            throw APIError(error.status, error.code, wrong).at(name)
        }
    }

    private func read(_ json: JSONReader, _ limits: APILimits) throws(APIError) -> FieldValue {
        switch kind {
        case .text, .prose, .username, .email, .phone, .password, .secret, .bytes, .wallet, .choice, .id, .time, .url,
            .cursor:
            guard let text = json.string else { throw .invalid(name, "must be a string.") }
            return try read(text: text, limits)
        case .ids(let most): return .texts(try ids(json, most, limits))
        case .integer(let range):
            guard let number = json.int, range.contains(number) else { throw outside(range) }
            return .integer(Int64(number))
        case .flag:
            guard let isOn = json.bool else { throw .invalid(name, "must be true or false.") }
            return .flag(isOn)
        case .switches(let names): return .switches(try switches(json, names))
        case .json: return .json(json.json)
        }
    }

    private func read(text: String, _ limits: APILimits) throws(APIError) -> FieldValue {
        switch kind {
        case .text(let range):
            try check(text, range)
            return .text(text)
        case .prose(let most):
            guard (1...most).contains(text.unicodeScalars.count) else {
                throw .invalid(name, "must have 1 to \(most) characters.")
            }
            return .text(text)
        case .username:
            guard Self.isUsername(text) else {
                throw .invalid(name, "must have 3 to 30 letters, digits, underscores and dots.")
            }
            return .text(text)
        case .email:
            guard EmailAddress.isValid(text) else { throw .invalid(name, "must be an e-mail address.") }
            return .text(text)
        case .phone:
            guard let number = PhoneNumber(text) else {
                throw .invalid(name, "must be the number of a mobile telephone, like +14155550123.")
            }
            return .phone(number)
        case .password(let least):
            guard text.unicodeScalars.count >= least else {
                throw .invalid(name, "must have at least \(least) characters.")
            }
            return .text(text)
        case .secret: return .text(text)
        case .bytes: return .bytes(try bytes(text))
        case .wallet: return .wallet(try wallet(text))
        case .choice(let words):
            guard words.contains(text) else { throw .invalid(name, "must be one of \(words.joined(separator: ", ")).") }
            return .text(text)
        case .id:
            guard Self.isID(text, limits) else { throw .invalid(name, "must have 1 to \(limits.idBytesMax) bytes.") }
            return .text(text)
        case .time:
            guard let time = UTCTime.parse(text) else {
                throw .invalid(name, "must be a time like 2025-10-10T10:00:00Z.")
            }
            return .integer(time)
        case .url:
            guard Self.isURL(text, limits) else {
                throw .invalid(name, "must be an http or https URL of at most \(limits.urlBytesMax) bytes.")
            }
            return .text(text)
        case .integer(let range):
            guard let number = Int(text), range.contains(number) else { throw outside(range) }
            return .integer(Int64(number))
        case .cursor:
            guard !text.isEmpty, text.utf8.count <= 128 else {
                throw .invalid(name, "is not one that was given out.")
            }
            return .text(text)
        case .ids, .flag, .switches, .json: throw .invalid(name, "cannot stand in a query.")
        }
    }

    private func outside(_ range: ClosedRange<Int>) -> APIError {
        let most =
            range.upperBound == .max ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        return .invalid(name, "must be an integer, \(most).")
    }

    /// Programs without a function for base64url often have one for base64.
    private func bytes(_ text: String) throws(APIError) -> [UInt8] {
        let plain = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        let unpadded = plain.prefix { $0 != UInt8(ascii: "=") }
        guard !unpadded.isEmpty, let bytes = Base64URL.decode(Array(unpadded).span) else {
            throw .invalid(name, "must be bytes in base64url.")
        }
        return bytes
    }

    private func wallet(_ text: String) throws(APIError) -> WalletAddress {
        if let address = WalletAddress(text) { return address }
        throw .invalid(name, "must be 0x and 40 hexadecimal digits, with the checksum of EIP-55 if any.")
    }

    // MARK: Text

    private func check(_ text: String, _ range: ClosedRange<Int>) throws(APIError) {
        guard range.contains(text.unicodeScalars.count), text.unicodeScalars.contains(where: Self.isVisible) else {
            throw .invalid(name, "must have \(range.lowerBound) to \(range.upperBound) characters.")
        }
    }

    /// Other users see a name beside their own text. Characters that break its line, or reverse the text after it, are
    /// refused.
    private static func keepsToItself(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !("\u{202a}"..."\u{202e}" ~= scalar || "\u{2066}"..."\u{2069}" ~= scalar)
        }
    }

    /// Whether a text is one line of so many characters.
    static func isLine(_ text: String, _ range: ClosedRange<Int>) -> Bool {
        range.contains(text.unicodeScalars.count) && text.unicodeScalars.allSatisfy(keepsToItself)
            && text.unicodeScalars.contains(where: isVisible)
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
    }

    static func isUsername(_ text: String) -> Bool {
        (3...30).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    static func isID(_ text: String, _ limits: APILimits) -> Bool {
        (1...limits.idBytesMax).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    static func isURL(_ text: String, _ limits: APILimits) -> Bool {
        guard let host = ["https://", "http://"].first(where: { text.hasPrefix($0) })?.count else { return false }
        return text.utf8.count > host && text.utf8.count <= limits.urlBytesMax
            && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }

    // MARK: Several

    private func ids(_ json: JSONReader, _ most: Int, _ limits: APILimits) throws(APIError) -> [String] {
        guard let items = json.items else { throw .invalid(name, "must be an array of ids.") }
        guard items.count <= most else { throw .invalid(name, "must have at most \(most) ids.") }
        var ids: [String] = []
        for item in items {
            guard let id = item.string, Self.isID(id, limits) else { throw .invalid(name, "must be an array of ids.") }
            if !ids.contains(where: { $0.isSameID(as: id) }) { ids.append(id) }
        }
        return ids
    }

    private func switches(_ json: JSONReader, _ names: [String]) throws(APIError) -> [String: Bool] {
        guard let members = json.members else { throw .invalid(name, "must be an object.") }
        var switches: [String: Bool] = [:]
        for (key, value) in members {
            guard names.contains(key) else { throw .invalid(name, "may have \(names.joined(separator: ", ")).") }
            guard let isOn = value.bool else { throw .invalid(name, "must have true or false for \(key).") }
            switches[key] = isOn
        }
        return switches
    }
}
