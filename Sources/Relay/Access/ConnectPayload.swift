import Identity
import Rooms
import Sessions
import Wire

/// The content of a CONNECT's payload.
struct ConnectPayload {
    private static let keys = JSONKeys("token", "pid", "offset", "rooms")
    private static let wishKeys = JSONKeys("touch", "recovery", "decimals", "text")

    let token: String?
    /// Set by a client that comes back.
    let pid: SessionID?
    /// The newest offset that such a client has seen.
    let offset: LogOffset?
    /// The form in which the client wants positions; nil if it does not say.
    let touches: DeliveryForm?
    let wantsEdits: Bool
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
        touches = Self.form(of: wishes?[0].string(in: bytes), decimals: wishes?[2].int(in: bytes))
        asksForOffsets = wishes?[1].bool(in: bytes)
        wantsEdits = wishes?[3].string(in: bytes) == "edits"
    }
}

extension ConnectPayload {
    /// The form of positions that a client asks for by its name; nil for a name that is not known.
    static func form(of name: String?, decimals: Int?) -> DeliveryForm? {
        switch name {
        case "batch": return .batches
        case "binary":
            let known = 0...TickHeader.decimalsMax
            return .ticks(decimals: decimals.flatMap { known.contains($0) ? $0 : nil } ?? TickHeader.decimalsDefault)
        default: return nil
        }
    }
}

/// The form of events that a client wants, and the facts about its connection that decide on it.
package struct ConnectWishes {
    /// The form of positions.
    let touches: DeliveryForm
    let wantsEdits: Bool
    let asksForOffsets: Bool?
    /// Whether the client is a web page.
    let isPage: Bool
    /// Whether the token came with the session's first request, not with CONNECT.
    let tokenIsOfRequest: Bool

    package init(
        touches: DeliveryForm = [], wantsEdits: Bool = false, asksForOffsets: Bool?, isPage: Bool,
        tokenIsOfRequest: Bool
    ) {
        self.touches = touches
        self.wantsEdits = wantsEdits
        self.asksForOffsets = asksForOffsets
        self.isPage = isPage
        self.tokenIsOfRequest = tokenIsOfRequest
    }
}
