import Accounts
import Logging
import Push
import Recorder
import Relay
import Store
import Transport

/// What the operators' side of a server has to know of it.
package struct OperatorFacts: Sendable {
    let version: String
    let token: OperatorToken
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
    /// Begins the end of the server, as SIGTERM does.
    let drain: @Sendable () -> Void

    /// - Parameter token: what operators show; nil where they cannot.
    package init(
        version: String, token: [UInt8]?, relay: RelayHub, store: (any ServerStore)?, keeper: MemoryKeeper? = nil,
        pushes: PushTotals? = nil, codes: CodeTotals? = nil, cluster: (any ClusterWatch)? = nil,
        recordings: RecordingTotals? = nil, history: ServerHistory = ServerHistory(), audit: AuditLog? = nil,
        drain: @escaping @Sendable () -> Void = {}
    ) {
        self.version = version
        self.token = OperatorToken(token)
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

    package var meters: [any Meters] { [token.tries] }

    /// Keeps the numbers of the last hour, until the task is cancelled.
    package func remember(_ mailboxes: [ShardMailbox]) async { await history.run(mailboxes) }

    /// The log of actions says when a server began.
    package func noteBegin() { audit.begun(version: version) }
}
