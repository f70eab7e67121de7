/// Why bytes were refused as JSON, and where.
public struct JSONError: Error, Equatable, Sendable {
    public enum Kind: UInt8, Sendable, CaseIterable {
        case unexpectedEnd
        case expectedValue
        case expectedKey
        case expectedColon
        case expectedCommaOrEnd
        case trailingBytes
        case invalidNumber
        case numberTooLarge
        case invalidEscape
        case loneSurrogate
        case controlCharacter
        case invalidUTF8
        case tooDeep
        /// The text has another value where the caller asked for an object. It may still be valid.
        case notAnObject
        /// The text has another value where the caller asked for an array. It may still be valid.
        case notAnArray
    }

    public let kind: Kind
    /// The index of the byte that could not stand where it stands; the count of the bytes if they ended too early.
    public let offset: Int

    public init(_ kind: Kind, at offset: Int) {
        self.kind = kind
        self.offset = offset
    }
}

extension JSONError: CustomStringConvertible {
    /// A sentence without any of the text itself, fit for a log and for a client.
    public var description: String {
        "\(kind.reason) at byte \(offset)"
    }
}

extension JSONError.Kind {
    fileprivate var reason: String {
        switch self {
        case .unexpectedEnd: "The JSON text ends too early"
        case .expectedValue: "A JSON value was expected"
        case .expectedKey: "A key in quotation marks was expected"
        case .expectedColon: "A colon was expected after the key"
        case .expectedCommaOrEnd: "A comma or the closing bracket was expected"
        case .trailingBytes: "Something follows the end of the JSON value"
        case .invalidNumber: "The number is not written as JSON wants it"
        case .numberTooLarge: "The number is too large for a double"
        case .invalidEscape: "The escape sequence is unknown"
        case .loneSurrogate: "The escape sequence is half of a surrogate pair"
        case .controlCharacter: "A control character in a string has to be escaped"
        case .invalidUTF8: "The string is not valid UTF-8"
        case .tooDeep: "Arrays and objects are nested too deeply"
        case .notAnObject: "An object was expected"
        case .notAnArray: "An array was expected"
        }
    }
}
