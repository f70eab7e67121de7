import Wire

/// Where a client puts its token: in the payload of CONNECT, in the `Authorization` header, or in the query. The header's
/// scheme (`Bearer`) may stand before it in all three.
package enum TokenSource {
    /// The first token of a request that is present. An empty one is none.
    ///
    /// - Parameters:
    ///   - authorization: the header's value.
    ///   - query: the decoded value of `token` in the query.
    package static func find(authorization: String?, query: String?) -> String? {
        authorization.flatMap(fromAuthorization) ?? query.flatMap(present)
    }

    /// The token in the member `token` of a payload that has been read. `null` is none. A token that is no text counts as
    /// present, and as a text that is no token.
    package static func find(_ field: JSONField, in payload: Span<UInt8>) -> String? {
        switch field.kind {
        case .absent, .null: return nil
        case .string: return field.string(in: payload).flatMap(present)
        case .bool, .number, .array, .object: return "?"
        }
    }

    /// Of a header with another scheme nothing is taken.
    private static func fromAuthorization(_ value: String) -> String? {
        afterScheme(value).flatMap(nonEmpty)
    }

    /// The token of a text that may have the header's scheme before it: applications that put `Bearer TOKEN` together for
    /// REST show the same to a socket.
    package static func withoutScheme(_ text: String) -> String { afterScheme(text) ?? text }

    /// What follows `Bearer` and a blank; nil for other texts.
    private static func afterScheme(_ text: String) -> String? {
        let value = Array(text.utf8)
        let bytes = value.span
        let start = ASCII.trimmed(bytes, 0..<bytes.count).lowerBound
        let scheme = start..<start + 6
        guard scheme.upperBound < bytes.count, ASCII.equalsIgnoringCase(bytes, scheme, "bearer"),
            ASCII.isBlank(bytes[scheme.upperBound])
        else { return nil }
        return bytes.text(ASCII.trimmed(bytes, scheme.upperBound..<bytes.count))
    }

    private static func present(_ text: String) -> String? { nonEmpty(withoutScheme(text)) }

    private static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }
}
