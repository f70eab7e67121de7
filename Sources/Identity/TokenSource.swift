import Wire

/// Where a client puts its token: in the payload of CONNECT, in the `Authorization` header, or in the query.
public enum TokenSource {
    private static let keys = JSONKeys("token")

    /// The first token that is present. An empty one is none, and so is `null`.
    ///
    /// - Parameters:
    ///   - payload: what came with CONNECT, empty if nothing did. A token in it that is no text counts as present, and
    ///     as a text that is no token.
    ///   - authorization: the header's value.
    ///   - query: the decoded value of `token` in the query.
    public static func find(payload: Span<UInt8>, authorization: String?, query: String?) -> String? {
        fromPayload(payload) ?? authorization.flatMap(fromAuthorization) ?? query.flatMap(nonEmpty)
    }

    private static func fromPayload(_ payload: Span<UInt8>) -> String? {
        guard !payload.isEmpty, let fields = try? JSON.fields(keys, of: payload) else { return nil }
        switch fields[0].kind {
        case .absent, .null: return nil
        case .string: return fields[0].string(in: payload).flatMap(nonEmpty)
        case .bool, .number, .array, .object: return "?"
        }
    }

    /// Of a header with another scheme nothing is taken.
    private static func fromAuthorization(_ value: String) -> String? {
        let value = Array(value.utf8)
        let bytes = value.span
        let trimmed = ASCII.trimmed(bytes, 0..<bytes.count)
        let scheme = trimmed.prefix(6)
        guard trimmed.count > 6, ASCII.equalsIgnoringCase(bytes, scheme, "bearer"),
            ASCII.isBlank(bytes[scheme.upperBound])
        else { return nil }
        return nonEmpty(bytes.text(ASCII.trimmed(bytes, scheme.upperBound..<trimmed.upperBound)))
    }

    private static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }
}
