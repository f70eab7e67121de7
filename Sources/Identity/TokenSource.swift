import Wire

/// The places of a client's token: the payload of CONNECT, the `Authorization` header, the query. In all three the
/// scheme `Bearer` may stand before it.
package enum TokenSource {
    /// The first token that is present. An empty token and `null` count as absent.
    ///
    /// - Parameters:
    ///   - payload: the payload of CONNECT; empty if there is none. A `token` in it that is not a text counts as
    ///     present, and is refused.
    ///   - authorization: the header's value.
    ///   - query: the decoded value of `token` in the query.
    package static func find(authorization: String?, query: String?) -> String? {
        authorization.flatMap(fromAuthorization) ?? query.flatMap(present)
    }

    /// The token in the member `token` of a payload that was read already.
    package static func find(_ field: JSONField, in payload: Span<UInt8>) -> String? {
        switch field.kind {
        case .absent, .null: return nil
        case .string: return field.string(in: payload).flatMap(present)
        case .bool, .number, .array, .object: return "?"
        }
    }

    /// A header with another scheme has no token.
    private static func fromAuthorization(_ value: String) -> String? {
        afterScheme(value).flatMap(nonEmpty)
    }

    /// Removes the scheme `Bearer` before a token. Applications that build `Bearer TOKEN` for REST send the same text
    /// to a socket.
    package static func withoutScheme(_ text: String) -> String { afterScheme(text) ?? text }

    /// The text after `Bearer` and a blank; nil for other texts.
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
