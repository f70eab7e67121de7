import Accounts
import Rooms
import Wire

/// A field of a body or a query: its name and its values. The same row checks requests and describes them.
struct Field: Sendable {
    enum Kind: Sendable {
        /// A single line of so many characters. Line ends and marks of text direction are refused.
        case text(ClosedRange<Int>)
        /// Text of several lines, in which only an `UnfitCharacter` is refused.
        case prose(charactersMax: Int)
        case username
        /// An e-mail address.
        case email
        /// A telephone number in the form of E.164.
        case phone
        /// A new password.
        case password(charactersMin: Int)
        /// Text that must equal something stored, such as a password at a sign-in.
        case secret
        /// Bytes in base64url; base64 will do.
        case bytes
        /// The address of a wallet.
        case wallet
        /// One of these words.
        case choice([String])
        /// An id.
        case id
        case ids(most: Int)
        /// A time, or a date alone.
        case time
        /// `http` or `https`.
        case url
        case integer(ClosedRange<Int>)
        case flag
        /// An object of booleans with some of these names.
        case switches([String])
        /// Any JSON. The handler checks it.
        case json(schema: String)
        /// A position in a list, from the page before.
        case cursor
    }

    let name: String
    let kind: Kind
    let isRequired: Bool
    let note: String?
    /// The whole message about a wrong value, where the group's clients expect their own.
    let wrong: String?
    /// The same about a value that is missing or an empty text.
    let missing: String?

    init(
        _ name: String, _ kind: Kind, required: Bool = false, _ note: String? = nil, wrong: String? = nil,
        missing: String? = nil
    ) {
        self.name = name
        self.kind = kind
        isRequired = required
        self.note = note
        self.wrong = wrong
        self.missing = missing
    }

    var isMissing: APIError {
        missing.map { APIError(422, .validation, $0).at(name) } ?? .invalid(name, "is missing.")
    }

    /// The two fields of every list.
    static func paging(most: Int, usual: Int) -> [Field] {
        [
            Field("limit", .integer(1...most), "How many items a page has; by default \(usual)."),
            Field("cursor", .cursor, "`nextCursor` of the page before."),
        ]
    }
}

/// A checked value of a field.
enum FieldValue: Sendable {
    case text(String)
    case phone(PhoneNumber)
    case bytes([UInt8])
    case wallet(WalletAddress)
    case texts([String])
    case integer(Int64)
    case flag(Bool)
    case switches([String: Bool])
    case json([UInt8])
}

/// The checked values of a request's fields, by name. It has only fields of the route.
struct FieldValues: Sendable {
    private var values: [String: FieldValue] = [:]
    private var nulls: Set<String> = []

    init() {}

    func has(_ name: String) -> Bool { values[name] != nil }

    /// Whether the body has the member as `null`. A few fields are removed that way.
    func isNull(_ name: String) -> Bool { nulls.contains(name) }

    func text(_ name: String) -> String? {
        if case .text(let text)? = values[name] { text } else { nil }
    }

    func phone(_ name: String) -> PhoneNumber? {
        if case .phone(let number)? = values[name] { number } else { nil }
    }

    /// Empty without the field.
    func bytes(_ name: String) -> [UInt8] {
        if case .bytes(let bytes)? = values[name] { bytes } else { [] }
    }

    func wallet(_ name: String) -> WalletAddress? {
        if case .wallet(let address)? = values[name] { address } else { nil }
    }

    func texts(_ name: String) -> [String]? {
        if case .texts(let texts)? = values[name] { texts } else { nil }
    }

    func integer(_ name: String) -> Int64? {
        if case .integer(let number)? = values[name] { number } else { nil }
    }

    func flag(_ name: String) -> Bool? {
        if case .flag(let isOn)? = values[name] { isOn } else { nil }
    }

    func switches(_ name: String) -> [String: Bool]? {
        if case .switches(let switches)? = values[name] { switches } else { nil }
    }

    func json(_ name: String) -> [UInt8]? {
        if case .json(let json)? = values[name] { json } else { nil }
    }

    // MARK: Reading

    /// Reads the fields from a JSON object. Members without a field are ignored. `null` counts as absent.
    init(_ body: [UInt8], _ fields: [Field], _ limits: APILimits) throws(APIError) {
        let reader: JSONReader
        do throws(JSONError) {
            reader = try JSONReader(body)
        } catch {
            throw .malformed("The body must be JSON: \(error.description)")
        }
        guard let members = reader.members else { throw .malformed("The body must be a JSON object.") }
        for field in fields {
            let value = members.last(where: { $0.key == field.name })?.value
            guard let value, value.kind != .null else {
                if value != nil { nulls.insert(field.name) }
                if field.isRequired { throw field.isMissing }
                continue
            }
            if field.missing != nil, value.string?.isEmpty == true { throw field.isMissing }
            values[field.name] = try field.value(value, limits)
        }
    }

    /// Reads the fields from a query, in which every value is text.
    init(query: [(name: String, value: String)], _ fields: [Field], _ limits: APILimits) throws(APIError) {
        for field in fields {
            guard let value = query.first(where: { $0.name == field.name })?.value else {
                if field.isRequired { throw field.isMissing }
                continue
            }
            values[field.name] = try field.value(text: value, limits)
        }
    }
}
