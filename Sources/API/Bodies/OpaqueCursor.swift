import Identity
import Wire

/// A position in a list in a form that clients do not take apart.
enum OpaqueCursor {
    static func text(_ cursor: String) -> String { Base64URL.text(Array(cursor.utf8)) }

    static func parse(_ text: String?) throws(APIError) -> String? {
        guard let text else { return nil }
        guard let bytes = Base64URL.decode(Array(text.utf8).span), let cursor = String(validating: bytes, as: UTF8.self)
        else { throw .badCursor }
        return cursor
    }
}

extension APIError {
    static let badCursor = APIError.invalid("cursor", "is not one that was given out.")
}
