import Accounts
import COpenSSL
import Logging
import Push
import Recorder
import Relay
import Store
import Transport

/// What the operators' side of a server has to know of it.
package struct OperatorFacts: Sendable {
    let version: String
    /// What operators show; nil where they cannot.
    let token: [UInt8]?
    let relay: RelayHub
    let store: (any ServerStore)?
    /// Nil on a server with a store.
    let keeper: MemoryKeeper?
    /// Nil without notifications.
    let pushes: PushTotals?
    /// Nil on a server that records no rooms.
    let recordings: RecordingTotals?
    /// Nil without accounts.
    let codes: CodeTotals?
    /// Nil on a server that is not part of a cluster.
    let cluster: (any ClusterWatch)?
    let history: ServerHistory
    let audit: AuditLog
    /// Tokens that network addresses have shown, without the right ones.
    private let tries = RequestMeters<IPAddress>()
    /// Begins the end of the server, as SIGTERM does.
    let drain: @Sendable () -> Void

    package init(
        version: String, token: [UInt8]?, relay: RelayHub, store: (any ServerStore)?, keeper: MemoryKeeper? = nil,
        pushes: PushTotals? = nil, codes: CodeTotals? = nil, cluster: (any ClusterWatch)? = nil,
        recordings: RecordingTotals? = nil, history: ServerHistory = ServerHistory(), audit: AuditLog? = nil,
        drain: @escaping @Sendable () -> Void = {}
    ) {
        self.version = version
        self.token = token
        self.relay = relay
        self.store = store
        self.keeper = keeper
        self.pushes = pushes
        self.codes = codes
        self.recordings = recordings
        self.cluster = cluster
        self.history = history
        self.audit = audit ?? AuditLog(nil, Logger(level: .error, format: .json), server: 0)
        self.drain = drain
    }

    package var meters: [any Meters] { [tries] }

    /// Keeps the numbers of the last hour, until the task is cancelled.
    package func remember(_ mailboxes: [ShardMailbox]) async { await history.run(mailboxes) }

    /// The log of actions says when a server began.
    package func noteBegin() { audit.begun(version: version) }

    /// What a request's token is worth.
    enum Shown: Equatable {
        case right, wrong
        /// Its address has shown too many wrong ones; the token is not compared.
        case late(waitMilliseconds: Int)
    }

    /// Wrong tokens of one network address in a minute.
    static let wrongTokensMax = RequestRate(perMinute: 30)

    /// A try is counted before the tokens are compared, and given back when they are the same.
    ///
    /// - Parameter address: as it is counted; nil for one that is not.
    func shown(by exchange: HTTPExchange, from address: IPAddress?, now: Int64) -> Shown {
        let header = exchange.head.headers.first(named: "Authorization")
        guard let header, let address else { return isRight(header) ? .right : .wrong }
        return tries.count(address, nowMilliseconds: now) { paces in
            let before = paces
            if let wait = paces.take(Self.wrongTokensMax, nowMilliseconds: now)?.waitMilliseconds, wait > 0 {
                return .late(waitMilliseconds: wait)
            }
            guard isRight(header) else { return .wrong }
            paces = before
            return .right
        }
    }

    /// How long the comparison takes tells of the token's length alone.
    private func isRight(_ header: String?) -> Bool {
        guard let token, let parts = header?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == "bearer"
        else { return false }
        let shown = Array(parts[1].utf8)
        return shown.count == token.count && CRYPTO_memcmp(shown, token, token.count) == 0
    }
}
