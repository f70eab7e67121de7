import Identity
import Rooms
import Sessions
import Store
import Threads
import Transport

@testable import Relay

/// The relay of one shard of a node, which does what it has to do in the test's own thread. The other nodes and the database are
/// the test's.
final class TestNode {
    let hub: RelayHub
    let relay: Relay
    let link = TestLink()
    let homes = TestHomes()
    private let loop = TestLoop()
    private let mailbox = TestMailbox()

    /// - Parameter others: nodes that are connected.
    init(_ number: Int, others: [Int], _ configure: (inout RelayConfiguration) -> Void = { _ in }) {
        var configuration = RelayConfiguration()
        configure(&configuration)
        hub = RelayHub(
            shardCount: 1, flow: .off, store: homes,
            cluster: RelayCluster(node: ClusterNode(id: number, boot: 1), homes: homes, link: link))
        relay = Relay(on: loop, [mailbox], hub: hub, configuration: configuration, verifier: OpenVerifier())
        link.others = others
        for node in others { take(.peer(.established(node, life: 1))) }
    }

    /// Takes messages in one turn, and does all that follows from them without a wait.
    func take(_ messages: RelayMessage...) {
        for message in messages { relay.receive(message) }
        work()
    }

    /// Does all that is to be done by now.
    func work() {
        loop.fireTimers()
        repeat {
            while let message = mailbox.takeFirst() { relay.receive(message) }
            relay.endTurn()
            loop.endTurn()
        } while !mailbox.isEmpty
    }

    func pass(milliseconds: Int64) {
        loop.now += milliseconds
        work()
    }

    /// Gives each of two nodes what the other one sends it, until neither sends any more.
    func talk(to other: TestNode) {
        var (here, there) = (link.take(to: other.hub.node), other.link.take(to: hub.node))
        while !here.isEmpty || !there.isEmpty {
            for message in here { other.take(message) }
            for message in there { take(message) }
            (here, there) = (link.take(to: other.hub.node), other.link.take(to: hub.node))
        }
    }

    /// The database gives the answers that it has held.
    func release() {
        homes.release()
        work()
    }

    // MARK: What others send

    /// A client wants to connect, and shows the `pid` of its last connection if it comes back.
    func connect(_ client: TestPeer, showing pid: SessionID? = nil) {
        let admission = client.admission()
        client.state = admission
        relay.edge.admit(client, admission, pid.map { RecoveryPayload(pid: $0, offset: nil) })
        work()
        if client.isAdmitted { begin(client) }
    }

    /// A client that was let in is connected.
    func begin(_ client: TestPeer) {
        client.closed = { [unowned client, weak relay] in
            client.closed = nil
            relay?.edge.disconnected(client, $0)
        }
        relay.edge.connected(client)
        work()
    }

    func send(_ event: String, _ argument: String, from client: TestPeer) {
        relay.edge.received(
            Array(event.utf8).span, Array(argument.utf8).span, SocketCall(ackID: 1, attachments: []), on: client)
        work()
    }

    /// A connection of a node joins a room.
    func join(_ room: RoomID, _ connection: ConnectionID, as person: String) {
        let call = SocketCall(ackID: nil, attachments: [])
        take(
            .home(
                room,
                .enter(
                    Entry(
                        connection: connection, person: Person(id: person, name: person), room: room,
                        purpose: .join(call), budget: nil, mark: hub.permissions[room],
                        info: Array(#"{"id":"r"}"#.utf8)))))
    }

    func move(in room: RoomID, _ connection: ConnectionID, to x: Int) {
        var parcel = TouchParcel(room)
        parcel.append(
            of: connection, slot: 0, x: Array("\(x)".utf8).span, y: Array("0".utf8).span, elementID: [UInt8]().span)
        take(.touches([parcel]))
    }
}

/// The link of a node, which keeps what is sent.
final class TestLink: RelayLink, @unchecked Sendable {
    private(set) var sent: [(node: Int, message: RelayMessage)] = []
    var late: Set<Int> = []

    func send(_ message: RelayMessage, holding: (any AnyObject & Sendable)?, to node: Int, life: UInt64) -> Bool {
        sent.append((node, message))
        return true
    }

    func flush() {}
    func send(_ message: RelayMessage, to node: Int) -> Bool { send(message, holding: nil, to: node, life: 1) }
    func tell(_ event: PersonalEvent, to node: Int) {}
    func isLate(_ node: Int) -> Bool { late.contains(node) }
    /// Nodes that live.
    var others: [Int] = []

    /// What was sent to a node since the last call.
    func take(to node: Int) -> [RelayMessage] {
        let taken = sent.filter { $0.node == node }.map(\.message)
        sent.removeAll { $0.node == node }
        return taken
    }

    /// Of that the positions: x of each, with the number of its connection.
    func takePositions(to node: Int) -> [String] {
        take(to: node).flatMap { message -> [String] in
            guard case .touches(let parcels) = message else { return [] }
            var positions: [String] = []
            for parcel in parcels {
                parcel.each { connection, _, x, _, _ in
                    let x = x.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
                    positions.append("\(connection.number) at \(x)")
                }
            }
            return positions
        }
    }
}

/// The database of a node: it says which node is home to a room, and takes all that is stored.
final class TestHomes: HomeStore, @unchecked Sendable {
    /// Homes on other nodes.
    var homes: [String: Int] = [:]
    /// Whether answers to appends and to who looks for seats wait until they are let go.
    var holds = false
    private var held: [@Sendable () -> Void] = []
    /// The seats that it knows.
    var seats: [Seat] = []
    /// The `pid`s for which somebody has looked.
    private(set) var asked: [String] = []
    /// The rooms in which somebody has sat, with their claims.
    private(set) var sat: [(room: String, claim: SeatClaim)] = []

    /// Whether seats cannot be removed; the rooms of those that were.
    var failsToRemove = false
    private(set) var removed: [String] = []

    private func tell(_ answer: @escaping @Sendable () -> Void) {
        if holds { held.append(answer) } else { answer() }
    }

    func release() {
        let answers = held
        (holds, held) = (false, [])
        for answer in answers { answer() }
    }

    /// What is stored of any room.
    var stored: StoredRoom?
    /// What was to be appended, and the error that answers the next append.
    private(set) var appends: [[JournalEntry]] = []
    var nextAppend: StoreError?

    func claim(_ room: String, by node: ClusterNode, then answer: @escaping Answer<RoomClaim>) {
        answer(.success(homes[room].map { .elsewhere($0) } ?? .here(stored, fence: 1)))
    }

    func append(_ entries: [JournalEntry], to room: String, fence: Int64, then answer: @escaping Answer<UInt64>) {
        appends.append(entries)
        let error = nextAppend.take()
        tell { answer(error.map { .failure($0) } ?? .success(entries.last?.seq ?? 0)) }
    }

    func isHome(_ room: String, fence: Int64, then answer: @escaping Answer<Bool>) {
        answer(.success(homes[room] == nil))
    }

    /// The rooms that were given away, with whether something is lost.
    private(set) var released: [String: Bool] = [:]

    func release(_ room: String, fence: Int64, afterLoss: Bool, then answer: @escaping Answer<Void>) {
        released[room] = afterLoss
        answer(.success(()))
    }

    func countLoss(of room: String, then answer: @escaping Answer<Void>) { answer(.success(())) }
    func nodes(then answer: @escaping Answer<[NodeRecord]>) { answer(.success([])) }

    func append(_ entries: [JournalEntry], to room: String, then answer: @escaping Answer<UInt64>) {
        append(entries, to: room, fence: 1, then: answer)
    }

    func load(_ room: String, then answer: @escaping Answer<StoredRoom?>) { answer(.success(nil)) }

    func entries(of room: String, after seq: UInt64, then answer: @escaping Answer<[JournalEntry]?>) {
        answer(.success(nil))
    }

    func changes(
        of room: String, since position: ChangesPosition, limit: Int, then answer: @escaping Answer<ElementChanges>
    ) {
        answer(.failure(.notFound("changes")))
    }

    func sit(_ seat: Seat, _ claim: SeatClaim) { sat.append((seat.room, claim)) }

    func stand(_ pid: String, in room: String?, then answer: @escaping Answer<Void>) {
        if failsToRemove { return answer(.failure(.failed("the seat", detail: "It cannot be removed."))) }
        removed.append(room ?? "all")
        answer(.success(()))
    }

    func lose(_ pid: String) {}

    func seats(
        of pid: String, showing offset: LogOffset?, within seconds: Int64, then answer: @escaping Answer<[Seat]>
    ) {
        asked.append(pid)
        let found = seats.filter { $0.pid == pid }
        tell { answer(.success(found)) }
    }
}

private final class TestMailbox: RelayMailbox, @unchecked Sendable {
    private var messages = Fifo<RelayMessage>()

    var isEmpty: Bool { messages.isEmpty }
    func takeFirst() -> RelayMessage? { messages.takeFirst() }
    func post(_ message: RelayMessage) -> Bool { insist(message) }

    @discardableResult
    func insist(_ message: RelayMessage) -> Bool {
        messages.append(message)
        return true
    }
}

private final class TestLoop: RelayLoop {
    let index = 0
    var now: Int64 = 1_000
    private var wheel = TimerWheel(now: 1_000, slotCount: 1 << 12)
    private var jobs: [() -> Void] = []
    private var random = SystemRandomNumberGenerator()

    var unixSeconds: Int64 { 1_760_000_000 + now / 1_000 }
    func arm(_ timer: LoopTimer, in milliseconds: Int) { wheel.arm(timer, at: now + Int64(milliseconds)) }
    func cancel(_ timer: LoopTimer) { wheel.cancel(timer) }
    func atTurnEnd(_ job: @escaping () -> Void) { jobs.append(job) }
    func noteWaiting() {}
    func randomNumber() -> UInt64 { random.next() }
    func countedAddress(of peer: PeerAddress) -> IPAddress? { nil }

    func fireTimers() { while let timer = wheel.takeDue(now: now) { timer.fire?() } }

    func endTurn() {
        while !jobs.isEmpty {
            let taken = jobs
            jobs = []
            for job in taken { job() }
        }
    }
}

/// A client of a node, which takes everything and reads nothing.
final class TestPeer: RelaySession, RelaySocket, RelayConnect {
    private let name: String
    private(set) var identity: SocketIdentity
    private(set) var isAdmitted = false
    var closed: ((DisconnectReason) -> Void)?
    /// How many of its events were answered.
    private(set) var answers = 0
    let opened = ContinuousClock.now
    var state: AnyObject?
    var memory: AnyObject?

    init(_ name: String, on node: Int) {
        self.name = name
        identity = SocketIdentity(sid: SessionID(node: node, shard: 0), pid: nil)
    }

    func admission() -> Admission {
        Admission(
            VerifiedToken(subject: name, name: name, email: nil, expiresAt: nil, claims: Array("{}".utf8)),
            ConnectWishes(
                touches: [], wantsEdits: false, asksForOffsets: false, isPage: false, tokenIsOfRequest: false))
    }

    func proceed(as identity: SocketIdentity?) {
        if let identity { self.identity = identity }
        isAdmitted = true
    }

    var relaySession: any RelaySession { self }
    var relaySocket: any RelaySocket { self }
    var isOpen: Bool { true }
    var isConnected: Bool { true }
    var peer: PeerAddress { PeerAddress(.loopback) }
    var isSecure: Bool { false }
    var transportName: String { "websocket" }
    var isDraining: Bool { false }
    var canReturn: Bool { true }
    var isWritable: Bool { true }
    var takesBinaryFrames: Bool { true }
    func send(_ bytes: [UInt8], isBinary: Bool) -> Bool { true }
    func makeReadyForFrames() -> Bool { true }
    func writeFrames(_ pieces: Span<UnsafeRawBufferPointer>) -> SendResult { .sent }
    func emit(_ event: String, _ arguments: [UInt8]) -> Bool { true }
    func acknowledge(_ call: SocketCall, _ arguments: [UInt8]) { answers += 1 }
    func disconnect(closingSession: Bool) {}
    func close(_ reason: DisconnectReason) { closed?(reason) }
}
