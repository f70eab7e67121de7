/// The counts of the sessions of one shard: plain numbers of its thread, copied on request.
public struct SessionTotals: Sendable {
    /// The transport, protocol and encryption of a client.
    public struct Kind: Sendable, Hashable, CaseIterable {
        public let isWebSocket: Bool
        /// Engine.IO 4; otherwise 3.
        public let isVersion4: Bool
        public let isSecure: Bool

        public static let allCases: [Kind] = (0..<8).map {
            Kind(isWebSocket: $0 & 1 != 0, isVersion4: $0 & 2 != 0, isSecure: $0 & 4 != 0)
        }

        fileprivate var index: Int { (isWebSocket ? 1 : 0) | (isVersion4 ? 2 : 0) | (isSecure ? 4 : 0) }
    }

    private var open = InlineArray<8, Int>(repeating: 0)
    private var ends: [DisconnectReason: Int] = [:]
    public internal(set) var opened = 0
    /// Open sessions without an accepted CONNECT.
    public internal(set) var pending = 0
    /// Sessions that changed from polling to a WebSocket.
    public internal(set) var upgraded = 0
    /// Polling requests that were passed on to other nodes, which have their sessions.
    public internal(set) var passedOn = 0
    public internal(set) var refusedWhileDraining = 0
    public internal(set) var refusedByRate = 0
    private var refusals: [SessionCensus.Refusal: Int] = [:]

    public init() {}

    public func open(_ kind: Kind) -> Int { open[kind.index] }
    public func refused(_ refusal: SessionCensus.Refusal) -> Int { refusals[refusal] ?? 0 }
    public func ended(_ reason: DisconnectReason) -> Int { ends[reason] ?? 0 }

    mutating func count(_ kind: Kind, _ change: Int) { open[kind.index] += change }
    mutating func countRefusal(_ refusal: SessionCensus.Refusal) { refusals[refusal, default: 0] += 1 }
    mutating func countEnd(_ reason: DisconnectReason) { ends[reason, default: 0] += 1 }
}
