import Identity
import Rooms
import Sessions
import Wire

/// What a client says in the payload of its CONNECT.
struct ConnectPayload {
    private static let keys = JSONKeys("token", "pid", "offset", "rooms")
    private static let wishKeys = JSONKeys("touch", "recovery")

    let token: String?
    /// Set by a client that was here before.
    let pid: SessionID?
    /// The last that such a client has seen.
    let offset: LogOffset?
    let wantsBatches: Bool
    /// Whether the client wants offsets, if it says so.
    let asksForOffsets: Bool?

    /// Checks the JSON in the same pass in which it finds the members.
    init(_ payload: [UInt8]) throws(JSONError) {
        let bytes = payload.span
        let fields = try JSON.fields(Self.keys, of: bytes)
        token = TokenSource.find(fields[0], in: bytes)
        pid = fields[1].string(in: bytes).flatMap(SessionID.init)
        offset = fields[2].string(in: bytes).flatMap { LogOffset($0) }
        let wishes = try? JSON.fields(Self.wishKeys, of: bytes, range: fields[3].range)
        wantsBatches = wishes?[0].string(in: bytes) == "batch"
        asksForOffsets = wishes?[1].bool(in: bytes)
    }
}

/// How a client wants to be served, and how it has come.
package struct ConnectWishes {
    let wantsBatches: Bool
    let asksForOffsets: Bool?
    /// Whether the client is a web page.
    let isPage: Bool
    /// Whether the token came with the request with which the session began, and not with CONNECT.
    let tokenIsOfRequest: Bool

    package init(wantsBatches: Bool, asksForOffsets: Bool?, isPage: Bool, tokenIsOfRequest: Bool) {
        self.wantsBatches = wantsBatches
        self.asksForOffsets = asksForOffsets
        self.isPage = isPage
        self.tokenIsOfRequest = tokenIsOfRequest
    }
}
