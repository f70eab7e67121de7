import Relay
import Rooms
import Sessions

/// A server of several shards and its clients in one thread, driven by a seed: the same seed does the same again.
///
/// The shards run the relay of the real server. Chance decides when a shard has a turn, how many messages of its mailbox it
/// takes, when the store and the directory answer, how fast clients read, and when they vanish and come back. After every
/// step the promises are checked that can be checked then; whenever all is quiet, that all see the same.
///
/// All of it is one thread. What the relay calls back from the threads of a store or an operator, the simulation calls itself.
package final class Simulation: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let seed: UInt64
        package let step: Int
        package let problem: String
        /// The last of what happened.
        package let trace: [String]

        package var description: String {
            trace.joined(separator: "\n") + "\nSeed \(seed), step \(step): \(problem)"
        }
    }

    let seed: UInt64
    let fault: SimulationFault?
    var random: SimulationRandom
    /// Apart from what chance decides: ids of the server.
    var ids: SimulationRandom
    let clockStart = ContinuousClock.now
    var now = Moment(monotonic: 1_000, unixSeconds: 1_760_000_000)

    var configuration = RelayConfiguration()
    /// The grace as the clients assume it.
    let graceMilliseconds: Int64
    let outboundBytesMax: Int
    private(set) var mailboxItemsMax = Int.max
    private let shardCount: Int
    private let entriesStored: Int?
    private(set) lazy var server = SimulatedServer(self, shardCount: shardCount)
    private(set) lazy var directory = SimulatedDirectory(self)
    /// Nil when nothing outlives the server.
    private(set) lazy var store = entriesStored.map { SimulatedStore(self, entriesKept: $0) }
    private(set) lazy var recorder = SimulatedRecorder(self)
    private(set) var hasRestarted = false

    var truths: [Int: RoomTruth] = [:]
    var clients: [ModelClient] = []
    /// Which element each named creation has made, by room.
    var creations: [Int: [String: String]] = [:]
    /// Changes that were answered, as `id@version`, by room.
    var acked: [Int: Set<String>] = [:]
    /// The permitted reasons of departures: users who left or were removed since the last quiet moment, and the times
    /// of lost connections.
    var departures: Set<String> = []
    var losses: [Int: [Int64]] = [:]
    /// Questions of the operator that have no answer yet.
    var openQuestions = 0
    var lastNumber = 0
    /// What planted bugs keep for later, by mailbox.
    var heldBack: [Int: [RelayMessage]] = [:]

    /// How often each landmark was reached.
    package private(set) var landmarks: [SimulationLandmark: Int] = [:]
    private let isTraced: Bool
    private var trace: [String] = []
    private var step = 0
    private(set) var problem: String?

    package init(seed: UInt64, fault: SimulationFault? = nil, isTraced: Bool = false) {
        self.seed = seed
        self.fault = fault
        self.isTraced = isTraced
        ids = SimulationRandom(seed: seed ^ 0x5eed)
        var random = SimulationRandom(seed: seed)
        shardCount = 1 + random.below(3)
        let roomCount = 1 + random.below(random.percent(20) ? 6 : 2)
        for room in 0..<roomCount { truths[room] = RoomTruth() }
        configuration.room.logBytesMax = random.pick([400, 1_500, 6_000, 1 << 20]) ?? 0
        configuration.room.connectionsPerParticipantMax = random.pick([1, 2, 8]) ?? 1
        configuration.room.participantsMax = random.pick([3, 1_000, 1_000]) ?? 1
        configuration.room.elementsMax = random.pick([3, 1_000]) ?? 1
        configuration.recoveryMilliseconds = random.pick([0, 1_000, 120_000, 120_000]) ?? 0
        graceMilliseconds = random.pick([0, 50, 5_000]) ?? 0
        configuration.room.graceMilliseconds = Self.grace(graceMilliseconds, fault)
        outboundBytesMax = random.pick([3_000, 100_000]) ?? 0
        if random.percent(30) { mailboxItemsMax = 2 + random.below(10) }
        let people = 2 + random.below(5)
        for number in 0..<(people + random.below(people)) {
            clients.append(
                ModelClient(
                    number: number, person: number % people, touches: random.pick([[], [], .batches, .ticks]) ?? [],
                    hasOffsets: random.percent(60), polls: random.percent(15)))
        }
        entriesStored = random.percent(50) ? random.pick([0, 5, 1_000]) : nil
        self.random = random
    }

    /// The grace that the server has: with some planted bugs not the one that clients are promised.
    private static func grace(_ milliseconds: Int64, _ fault: SimulationFault?) -> Int64 {
        switch fault {
        case .hasNoGrace: 0
        case .neverEndsGrace: 1 << 40
        default: milliseconds
        }
    }

    /// Runs so many steps. Throws at the first broken promise.
    package func run(steps: Int) throws(Failure) {
        defer { server.stop() }
        let pause = max(steps / 3, 1)
        for step in 1...max(steps, 1) {
            self.step = step
            takeStep()
            if step % pause == 0 || step == steps { becomeQuiet(isEnd: step == steps) }
            if let problem { throw Failure(seed: seed, step: step, problem: problem, trace: trace) }
        }
    }

    func fail(_ problem: @autoclosure () -> String) {
        if self.problem == nil { self.problem = problem() }
    }

    func reach(_ landmark: SimulationLandmark, if isReached: Bool = true) {
        if isReached { landmarks[landmark, default: 0] += 1 }
    }

    func note(_ text: @autoclosure () -> String) {
        guard isTraced else { return }
        trace.append("\(step): \(text())")
        if trace.count > 400 { trace.removeFirst(200) }
    }

    /// Whether the planted bug shows now.
    func strikes(_ fault: SimulationFault) -> Bool {
        self.fault == fault && random.percent(40)
    }

    // MARK: Steps

    private func takeStep() {
        switch random.below(200) {
        case 0..<80: turn(random.below(shardCount))
        case 80..<140: if let client = random.pick(clients) { act(client) }
        case 140..<168: if let client = random.pick(clients) { read(client) }
        case 168..<176: passTime()
        case 176..<188: answerSomething()
        case 188..<190: command()
        case 190..<198: if let client = random.pick(clients) { vanish(client) }
        case 198: storeFails(store?.isFailing == false)
        default: if random.percent(20) { restart() }
        }
    }

    func storeFails(_ isFailing: Bool) {
        guard let store, store.isFailing != isFailing else { return }
        note("the store \(isFailing ? "fails" : "is good")")
        store.isFailing = isFailing
        if !isFailing { Relay.storeIsGood(server.mailboxes) }
    }

    private func passTime() {
        // Ties and small steps mostly; now and then the clock on the wall is set back.
        let step = Int64(random.pick([0, 1, 4, 7, 40, 51, 51, 1_000, 5_001]) ?? 0)
        // No message between shards takes seconds, and no look into the directory.
        for shard in 0..<(step < 1_000 ? 0 : 2 * shardCount) {
            while directory.isWaiting { directory.answerNext() }
            turn(shard % shardCount, takesAll: true)
        }
        now.monotonic += step
        now.unixSeconds += Int64(random.pick([0, 0, 1, 5, -3_600]) ?? 0)
        note("the time is \(now.monotonic)")
    }

    private func answerSomething() {
        if random.percent(50), directory.isWaiting { return directory.answerNext() }
        store?.doNext()
    }

    /// A shard takes some of its waiting messages and ends its turn.
    func turn(_ shard: Int, takesAll: Bool = false) {
        let (loop, mailbox, relay) = (server.loops[shard], server.mailboxes[shard], server.relays[shard])
        loop.fireTimers()
        var count = takesAll ? mailbox.items.count : random.below(mailbox.items.count + 1)
        while count > 0, let message = mailbox.takeFirst() {
            count -= 1
            note("shard \(shard) takes \(Self.shown(message))")
            relay.receive(message)
        }
        for connection in server.connections[shard] {
            if connection.isGone, connection.isOpen, takesAll || random.percent(30) {
                connection.end(.transportClose)
                continue
            }
            while connection.isOpen, !connection.sent.isEmpty, takesAll || random.percent(60) { connection.takeSent() }
            if connection.wantsWritable { connection.writable() }
            if takesAll || random.percent(50) { connection.poll() }
        }
        loop.endTurn(relay)
        check(shard)
    }

    private static func shown(_ message: RelayMessage) -> String { String("\(message)".prefix(400)) }

    private func check(_ shard: Int) {
        for connection in server.connections[shard] where connection.isOpen {
            if connection.pipe.tailCount > 256 << 10 { fail("\(connection.pipe.tailCount) bytes kept for one reader") }
        }
    }

    // MARK: Restarts

    /// What a client was not told before the server was killed, it is not told any more: that it was put out of a room.
    private func forgetUntold(_ client: ModelClient) {
        guard client.isConnected, let sid = client.sid else { return }
        let members = server.relays.flatMap(\.audit.memberships).filter { $0.sid.description == sid }
        for (room, view) in client.views
        where view.phase == .inside && !members.contains(where: { $0.room == "r\(room)" }) {
            client.views[room]?.phase = .unknown
        }
    }

    /// A seat that was not stored is lost with the server. Then the client need not be in the room when it comes back.
    private func forgetSeats(_ store: SimulatedStore) {
        for client in clients {
            for (room, view) in client.views where view.phase == .inside && !store.hasSeat(client.pid, in: "r\(room)") {
                client.views[room]?.phase = .unknown
            }
        }
    }

    /// The server is killed, and another starts. What the store had been told and has not done is lost in part.
    private func restart() {
        note("the server is killed")
        reach(.restarted)
        hasRestarted = true
        for client in clients {
            if random.percent(50) { read(client) }
            forgetUntold(client)
            client.lostConnection()
        }
        server.stop()
        heldBack = [:]
        directory.forgetQuestions()
        if let store {
            store.crash()
            forgetSeats(store)
        } else {
            acked = [:]
            creations = [:]
        }
        for person in 0..<clients.count { for room in truths.keys { departures.insert("\(person)/\(room)") } }
        server = SimulatedServer(self, shardCount: shardCount)
    }
}
