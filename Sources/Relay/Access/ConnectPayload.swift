import Identity
import Rooms
import Sessions
import Wire

/// The content of a CONNECT's payload.
struct ConnectPayload {
    private static let keys = JSONKeys("token", "pid", "offset", "rooms")
    private static let wishKeys = JSONKeys("touch", "recovery")

    let token: String?
    /// Set by a client that comes back.
    let pid: SessionID?
    /// The newest offset that such a client has seen.
    let offset: LogOffset?
    let wantsBatches: Bool
    /// Whether the client wants offsets; nil if it does not say.
    let asksForOffsets: Bool?

    /// Checks the JSON and finds its members in one pass.
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

/// The form of events that a client wants, and the facts about its connection that decide on it.
package struct ConnectWishes {
    let wantsBatches: Bool
    let asksForOffsets: Bool?
    /// Whether the client is a web page.
    let isPage: Bool
    /// Whether the token came with the session's first request, not with CONNECT.
    let tokenIsOfRequest: Bool

    package init(wantsBatches: Bool, asksForOffsets: Bool?, isPage: Bool, tokenIsOfRequest: Bool) {
        self.wantsBatches = wantsBatches
        self.asksForOffsets = asksForOffsets
        self.isPage = isPage
        self.tokenIsOfRequest = tokenIsOfRequest
    }
}
