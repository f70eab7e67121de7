import Wire

/// A request whose sender is known, as handlers get it.
struct APIRequest: Sendable {
    /// The subject of the sender's token, which is the id of their account.
    let subject: String
    let email: String
    let parameters: [String: String]
    let query: FieldValues
    let body: FieldValues
    let idempotencyKey: String?
    /// Seconds since 1970.
    let now: Int64

    /// A part of the path that the route's pattern names.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }
}
