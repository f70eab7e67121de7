import CPostgres

/// The meanings of PostgreSQL's codes of errors (SQLSTATE).
enum PostgresFault {
    /// Fields of a message of the server.
    private enum Field {
        static let state = Int32(UInt8(ascii: "C"))
        static let message = Int32(UInt8(ascii: "M"))
        static let constraint = Int32(UInt8(ascii: "n"))
    }

    /// The fields that are unique, by the constraint that says so.
    private static let fields = [
        "accounts_by_name": "username", "accounts_sub_key": "user", "accounts_pkey": "user", "rooms_id_key": "room",
        "media_pkey": "key", "people_by_email": "email", "profiles_by_username": "username",
        "social_accounts_once": "accountId", "credentials_pkey": "credential", "passkeys_pkey": "passkey",
        "wallets_by_address": "wallet",
    ]

    static func error(_ result: OpaquePointer, _ place: PostgresPlace) -> StoreError {
        let shown = place.shown
        guard let state = field(Field.state, of: result) else {
            return .failed(shown, detail: PostgresPlace.line(String(cString: PQresultErrorMessage(result))))
        }
        let message = PostgresPlace.line(field(Field.message, of: result) ?? "an error")
        switch state {
        case "53100": return .diskFull(shown)
        case "25006", "42501": return .readOnly(shown)
        case "XX001", "XX002": return .corrupt(shown)
        case "40001", "40P01": return .contended(shown)
        case "55P03": return .locked(shown)
        case "23505":
            let field = field(Field.constraint, of: result).flatMap { fields[$0] }
            return field.map { .taken($0) } ?? .conflict("The store has this already: \(message).")
        default: break
        }
        // The request is at fault, not the place: the others of its group must not fail with it.
        if ["22", "23", "54"].contains(state.prefix(2)) { return .conflict("The store refuses this: \(message).") }
        return .failed(shown, detail: "PostgreSQL says \(message) (\(state))")
    }

    private static func field(_ field: Int32, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, field).map { String(cString: $0) }
    }
}
