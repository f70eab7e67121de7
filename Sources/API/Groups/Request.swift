import Transport
import Wire

/// A request for a handler, with checked fields.
struct Request<Group: RouteGroup>: Sendable {
    /// Nil for a route that is open to everybody.
    var sender: Group.Sender?
    let clientKind: ClientKind
    /// The client's address, as it is counted; nil if it is not counted.
    let address: IPAddress?
    /// The client's `User-Agent`; empty without one.
    let agent: String
    let parameters: [String: String]
    let query: FieldValues
    let body: FieldValues
    /// The unparsed body: a JSON object.
    let object: [UInt8]
    let file: UploadedFile?
    /// `https://rooms.example`: the beginning of the URLs of files, as the sender sees the server.
    let serverURL: String
    let idempotencyKey: String?
    /// Seconds since 1970.
    let now: Int64

    /// The `Idempotency-Key` that marks retries; nil without one.
    func checkedIdempotencyKey() throws(APIError) -> String? {
        guard let key = idempotencyKey else { return nil }
        guard (1...128).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw .invalid("Idempotency-Key", "must have 1 to 128 characters of ASCII without blanks.")
        }
        return key
    }

    /// A part of the path that the route's pattern names.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }
}
