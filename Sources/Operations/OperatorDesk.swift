import Sessions
import Transport

/// Answers operators on one shard: of the server itself, or of a listener that is there for them.
package final class OperatorDesk: HTTPService {
    struct Reply: Sendable {
        var status = 200
        var contentType = "application/json"
        var body: [UInt8] = []
    }

    /// Past it a shard counts as one that hangs.
    private static let patienceMilliseconds = 2_000
    /// Past it a request is refused: those before it wait already.
    private static let pendingMax = 64

    private struct Pending {
        let exchange: HTTPExchange
        let timer: LoopTimer
    }

    let facts: OperatorFacts
    /// Of the server that is asked about, which need not be that of the desk.
    let mailboxes: [ShardMailbox]
    let server: ServerState
    private unowned let shard: Shard
    private var pending: [UInt64: Pending] = [:]
    private var nextNumber: UInt64 = 0

    /// The shard keeps its desk, until it stops.
    package init(_ facts: OperatorFacts, on shard: Shard, mailboxes: [ShardMailbox], server: ServerState) {
        self.facts = facts
        self.shard = shard
        self.mailboxes = mailboxes
        self.server = server
        shard.keep(self)
    }

    package static let mount: Mount = [metricsPath, "/console", "/console/*"]
    static let metricsPath = "/metrics"

    package func handle(_ exchange: HTTPExchange) {
        if exchange.head.path == Self.metricsPath {
            answerMetrics(exchange, isOpen: false)
        } else {
            answerConsole(exchange)
        }
    }

    /// - Parameter isOpen: whether no token is needed, because only permitted clients can connect.
    func answerMetrics(_ exchange: HTTPExchange, isOpen: Bool) {
        guard exchange.head.method == .get || exchange.head.method == .head else {
            return exchange.respond(405, [("Allow", "GET, HEAD")], text: "Method not allowed\n")
        }
        guard isOpen || isLetIn(exchange) else { return }
        read(exchange) { reading in
            let text = MetricsText.write(Metrics.all, reading)
            return Reply(contentType: MetricsText.contentType, body: Array(text.utf8))
        }
    }

    /// Whether a request shows the token; otherwise it is answered.
    func isLetIn(_ exchange: HTTPExchange) -> Bool {
        let address = shard.server.countedAddress(of: exchange.peer)
        let header = exchange.head.headers.first(named: "Authorization")
        let comparison = facts.token.compare(header, from: address, nowMilliseconds: shard.now)
        if comparison == .right { return true }
        if header != nil { facts.audit.refused(exchange.head.path, asker: exchange.peer.text) }
        if case .limited(let wait) = comparison {
            let body = #"{"error":"Too many wrong tokens; wait before the next.","code":"RATE_LIMITED"}"#
            respond(
                exchange, Reply(status: 429, body: Array(body.utf8)), [("Retry-After", "\((wait + 999) / 1_000)")])
        } else {
            let body = #"{"error":"The operators' token is needed.","code":"UNAUTHORIZED"}"#
            respond(exchange, Reply(status: 401, body: Array(body.utf8)), [("WWW-Authenticate", "Bearer")])
        }
        return false
    }

    // MARK: Questions to shards

    /// Answers a request with the result of `make`, which gets the server's numbers outside the loops.
    func read(_ exchange: HTTPExchange, _ make: @escaping @Sendable (ServerReading) -> Reply) {
        begin(exchange) { give in ServerReading.gather(facts, mailboxes, server) { give(make($0)) } }
    }

    private func begin<Question: ShardQuestion>(
        _ exchange: HTTPExchange, _ ask: (_ give: @escaping @Sendable (Reply) -> Void) -> Gathering<Question>
    ) {
        guard hasRoom(exchange) else { return }
        let (timer, give) = promise(exchange)
        let gathering = ask(give)
        timer.fire = { gathering.giveUp() }
    }

    /// Answers a request for which there is no room any more.
    func hasRoom(_ exchange: HTTPExchange) -> Bool {
        if pending.count < Self.pendingMax { return true }
        exchange.respond(503, [("Retry-After", "1")], text: "Too many questions at once\n")
        return false
    }

    /// The way in which a request is answered later, from any thread, and the timer for when that takes too long.
    func promise(_ exchange: HTTPExchange) -> (timer: LoopTimer, give: @Sendable (Reply) -> Void) {
        let number = nextNumber
        nextNumber += 1
        let mailbox = shard.mailboxes[shard.index]
        let timer = LoopTimer { [unowned self] in
            self.answered(
                number, Reply(status: 504, body: Array(#"{"error":"The server did not answer in time."}"#.utf8)))
        }
        shard.arm(timer, in: Self.patienceMilliseconds)
        pending[number] = Pending(exchange: exchange, timer: timer)
        exchange.aborted = { [unowned self] _ in
            let asked = self.pending[number]
            self.forget(number)
            asked?.timer.fire?()
        }
        return (timer, { mailbox.post(OperatorReply(number: number, reply: $0)) })
    }

    @discardableResult
    private func forget(_ number: UInt64) -> HTTPExchange? {
        guard let asked = pending.removeValue(forKey: number) else { return nil }
        shard.cancel(asked.timer)
        return asked.exchange
    }

    fileprivate func answered(_ number: UInt64, _ reply: Reply) {
        if let exchange = forget(number) { respond(exchange, reply) }
    }

    private func respond(_ exchange: HTTPExchange, _ reply: Reply, _ headers: [(String, String)] = []) {
        exchange.respond(
            reply.status,
            headers + [
                ("Content-Type", reply.contentType), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
            ], body: reply.body)
    }
}

/// What answers on a listener that is there for monitoring alone.
package final class MetricsService: HTTPService {
    private let desk: OperatorDesk
    private let isOpen: Bool
    private let hosts: HostPolicy

    /// - Parameter isOpen: whether it needs no token, because it listens only on this machine. A page whose own name
    ///   leads here must not read the numbers then.
    package init(_ desk: OperatorDesk, isOpen: Bool) {
        self.desk = desk
        self.isOpen = isOpen
        hosts = isOpen ? .known([], anyAddress: false) : .any
    }

    package func handle(_ exchange: HTTPExchange) {
        guard hosts.allows(exchange.head.authority) else {
            return exchange.respond(421, text: "Metrics are at localhost\n")
        }
        guard exchange.head.path == OperatorDesk.metricsPath else {
            return exchange.respond(404, text: "Metrics are at /metrics\n")
        }
        desk.answerMetrics(exchange, isOpen: isOpen)
    }
}

/// What an operator's request is answered with.
private struct OperatorReply: ShardItem {
    let number: UInt64
    let reply: OperatorDesk.Reply

    func arrive(on shard: Shard) {
        shard.local(OperatorDesk.self)?.answered(number, reply)
    }
}
