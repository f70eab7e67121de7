import Transport
import Wire

/// The polling requests that a shard passes on to other nodes, and those that other nodes pass on to its sessions.
final class FarPolls {
    /// A request of another node's client.
    struct Origin: Hashable {
        let node: Int
        let number: UInt64
    }

    /// A request that another node is to answer.
    private struct PassedOn {
        /// Nil once the client has gone. The other node may still have the request.
        var exchange: HTTPExchange?
        let session: SessionID
        let byteCount: Int
        let deadline: LoopTimer
    }

    private static let countMax = 10_000
    private static let bytesMax = 4 << 20
    private static let contentTypeBytesMax = 256

    private unowned let service: SessionService
    private let nodes: any FarNodes
    /// Numbers of an earlier life of this node must not come again: an answer to one of them may be on its way.
    private var lastNumber = UInt64.random(in: 0..<1 << 48)
    private var passedOn: [UInt64: PassedOn] = [:]
    /// Bodies that other nodes have, or will have.
    private var byteCount = 0
    /// Requests of other nodes' clients that this shard has not answered.
    private var open: [Origin: FarPoll] = [:]

    init(_ service: SessionService, _ nodes: any FarNodes) {
        self.service = service
        self.nodes = nodes
    }

    // MARK: At the node that the request has come to

    /// Passes a request on to the node of its session.
    func passOn(_ exchange: HTTPExchange, to session: SessionID) {
        // The limits of the session are at its node.
        guard exchange.admit() else { return }
        guard nodes.isReached(session.node) else { return EngineFault.unknownSession.answer(exchange) }
        switch exchange.head.method {
        case .get: send(exchange, to: session, body: [])
        case .post:
            exchange.receiveBody(max: service.configuration.maxPayloadBytes) { [weak self] exchange, body in
                self?.send(exchange, to: session, body: body)
            }
        default: EngineFault.badRequest.answer(exchange)
        }
    }

    private func send(_ exchange: HTTPExchange, to session: SessionID, body: [UInt8]) {
        guard passedOn.count < Self.countMax, byteCount == 0 || byteCount + body.count <= Self.bytesMax,
            exchange.claimConnection()
        else { return EngineFault.full.answer(exchange) }
        lastNumber += 1
        let number = lastNumber << 8 | UInt64(service.shard.index)
        let request = FarPollRequest(
            number: number, session: session, isPost: exchange.head.method == .post,
            version: exchange.head.queryValue("EIO").map { String($0.prefix(2)) } ?? "",
            contentType: exchange.contentType.map {
                String(decoding: $0.utf8.prefix(Self.contentTypeBytesMax), as: UTF8.self)
            },
            body: body)
        guard nodes.send(.request(request), to: session.node) else { return EngineFault.full.answer(exchange) }
        service.totals.passedOn += 1
        keep(
            number,
            PassedOn(
                exchange: exchange, session: session, byteCount: body.count,
                deadline: LoopTimer { [weak self] in self?.giveUp(number) }))
        exchange.aborted = { [weak self] _ in self?.clientHasGone(number) }
    }

    private func keep(_ number: UInt64, _ request: PassedOn) {
        passedOn[number] = request
        byteCount += request.byteCount
        let configuration = service.configuration
        // The session does not outlive this without a request.
        service.shard.arm(
            request.deadline, in: configuration.pingIntervalMilliseconds + configuration.pingTimeoutMilliseconds)
    }

    /// What has become of a request is known. Nil when its client has gone.
    private func finish(_ number: UInt64) -> HTTPExchange? {
        guard let request = passedOn.removeValue(forKey: number) else { return nil }
        byteCount -= request.byteCount
        service.shard.cancel(request.deadline)
        request.exchange?.aborted = nil
        return request.exchange
    }

    private func clientHasGone(_ number: UInt64) {
        guard let session = passedOn[number]?.session else { return }
        // Until the other node has answered, it counts.
        passedOn[number]?.exchange = nil
        _ = nodes.send(.gone(number, shard: session.shard), to: session.node)
    }

    /// The other node does not answer; it may be one that does not know such requests.
    private func giveUp(_ number: UInt64) {
        guard let session = passedOn[number]?.session else { return }
        if let exchange = finish(number) { EngineFault.unknownSession.answer(exchange) }
        _ = nodes.send(.gone(number, shard: session.shard), to: session.node)
    }

    // MARK: From other nodes

    func received(_ message: FarPollMessage, from node: Int) {
        switch message {
        case .request(let request): take(request, of: node)
        case .answer(let number, let answer):
            guard passedOn[number]?.session.node == node, let exchange = finish(number) else { return }
            exchange.respond(answer.status, answer.headers.map { ($0.name, $0.value) }, body: answer.body)
        case .gone(let number, _):
            let origin = Origin(node: node, number: number)
            guard let poll = open[origin] else { return }
            poll.end()
            answer(FarPollAnswer(EngineFault.unknownSession), to: origin, poll.request.session)
        }
    }

    func lost(_ node: Int) {
        for number in passedOn.filter({ $0.value.session.node == node }).keys {
            if let exchange = finish(number) { EngineFault.unknownSession.answer(exchange) }
        }
        for origin in open.keys.filter({ $0.node == node }) { open.removeValue(forKey: origin)?.end() }
    }

    // MARK: At the node of the session

    private func take(_ request: FarPollRequest, of node: Int) {
        let origin = Origin(node: node, number: request.number)
        let poll = FarPoll(request) { [weak self] in self?.answer($0, to: origin, request.session) }
        open[origin] = poll
        service.take(poll)
    }

    private func answer(_ answer: FarPollAnswer, to origin: Origin, _ session: SessionID) {
        open[origin] = nil
        if nodes.send(.answer(origin.number, answer), to: origin.node) { return }
        // The packets of the answer are lost: the client has to connect anew.
        _ = nodes.send(.answer(origin.number, FarPollAnswer(EngineFault.unknownSession)), to: origin.node)
        service.end(session)
    }
}

/// A polling request of another node's client for a session of this shard.
final class FarPoll: PollExchange {
    let request: FarPollRequest
    var aborted: ((CloseReason) -> Void)?
    private let answered: (FarPollAnswer) -> Void
    private var isAnswered = false

    init(_ request: FarPollRequest, answered: @escaping (FarPollAnswer) -> Void) {
        self.request = request
        self.answered = answered
    }

    var contentType: String? { request.contentType }

    /// The client's connection is counted at the node that it has reached.
    func claimConnection() -> Bool { true }

    /// The body has come with the request; the other node has bounded it.
    func receiveContent(max: Int, _ done: @escaping (any PollExchange, [UInt8]) -> Void) { done(self, request.body) }

    func respond(_ status: Int, _ headers: [(String, String)], body: [UInt8]) {
        guard !isAnswered else { return }
        isAnswered = true
        answered(FarPollAnswer(status, headers, body))
    }

    /// The client does not read the answer any more.
    func end() {
        isAnswered = true
        let aborted = aborted
        self.aborted = nil
        aborted?(.peerClosed)
    }
}

extension FarPollAnswer {
    init(_ status: Int, _ headers: [(String, String)], _ body: [UInt8]) {
        self.init(status: status, headers: headers.map { Header($0, $1) }, body: body)
    }

    init(_ fault: EngineFault) {
        let (status, headers, body) = fault.response
        self.init(status, headers, body)
    }
}
