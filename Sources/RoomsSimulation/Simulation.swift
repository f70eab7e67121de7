import Relay
import Rooms
import Sessions
import Wire

/// A server of several shards, or a cluster of such servers, and its clients in one thread, driven by a seed: the same
/// seed does the same again.
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
    let isCluster: Bool
    /// Whether clients do little else than write in the same texts.
    let isAboutTexts: Bool
    let fault: SimulationFault?
    var random: SimulationRandom
    /// Apart from what chance decides: ids of the server.
    var ids: SimulationRandom
    /// Sessions are opened after it, at moments so far from each other that the time that this takes does not matter.
    let clockStart = ContinuousClock.now - .seconds(10_000_000)
    var now = Moment(monotonic: 1_000, unixSeconds: 1_760_000_000)

    var configuration = RelayConfiguration()
    /// The grace as the clients assume it.
    let graceMilliseconds: Int64
    let outboundBytesMax: Int
    private(set) var mailboxItemsMax = Int.max
    private let shape: SimulatedShape
    let entriesStored: Int?
    private(set) lazy var nodes = makeNodes()
    private(set) lazy var directory = SimulatedDirectory(self)
    /// Nil when nothing outlives the server.
    private(set) lazy var database = entriesStored.map { SimulatedDatabase(self, entriesKept: $0) }
    private(set) lazy var recorder = SimulatedRecorder(self)
    /// Nil unless flights are recorded.
    let flights: SimulatedFlights?
    /// Between the nodes of a cluster.
    private(set) lazy var wire = SimulatedWire(self, lossPercent: shape.lossPercent)
    var hasRestarted = false
    /// Whether something has happened after which a home may have lost connections that are there, or a room may have
    /// participants and no home.
    var isDisturbed = false
    /// How often a home has lost the way to members who may still be there.
    var lossCount = 0

    var truths: [Int: RoomTruth] = [:]
    var clients: [ModelClient] = []
    /// Which element each named creation has made, by room.
    var creations: [Int: [String: String]] = [:]
    /// Words that were written and answered, by room, with their elements.
    var words: [Int: [String: String]] = [:]
    /// Whether nothing is ever removed from a text: then each answered word is found at the end.
    let keepsWords: Bool
    /// Whether clients mostly move, and look at one part of their rooms after the other.
    let isCrowd: Bool
    /// Changes that were answered, as `id@version`, by room.
    var acked: [Int: Set<String>] = [:]
    /// Changes that named a version, with what their clients knew under it, by room.
    var conditions: [Int: [(change: String, known: [UInt8])]] = [:]
    /// The permitted reasons of departures: users who left or were removed since the last quiet moment, and the times
    /// of lost connections.
    var departures: Set<String> = []
    var losses: [Int: [Int64]] = [:]
    /// Questions of the operator that have no answer yet.
    var openQuestions = 0
    var lastNumber = 0
    /// What planted bugs keep for later, by mailbox.
    var heldBack: [SimulatedMailbox.Place: [RelayMessage]] = [:]

    /// How often each landmark was reached.
    package private(set) var landmarks: [SimulationLandmark: Int] = [:]
    private let isTraced: Bool
    private var trace: [String] = []
    private var step = 0
    private(set) var problem: String?

    package init(
        seed: UInt64, isCluster: Bool = false, isAboutTexts: Bool = false, fault: SimulationFault? = nil,
        isTraced: Bool = false, recordsFlights: Bool = false
    ) {
        flights = recordsFlights ? SimulatedFlights() : nil
        self.seed = seed
        self.isCluster = isCluster
        self.isAboutTexts = isAboutTexts
        self.fault = fault
        self.isTraced = isTraced
        ids = SimulationRandom(seed: seed ^ 0x5eed)
        var random = SimulationRandom(seed: seed)
        shape = isCluster ? .cluster(&random) : .server(&random)
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
                    isWriter: random.percent(60), hasOffsets: random.percent(60),
                    polls: random.percent(15), looksAround: random.percent(60)))
        }
        keepsWords = random.percent(50)
        isCrowd = seed % 4 == 1
        // Edits of versions that a room does not remember come up, and edits that are sent again after that.
        configuration.room.textChangesPerElementMax = [1, 3, 256][Int(seed % 3)]
        entriesStored = isCluster || random.percent(50) ? random.pick([0, 5, 1_000]) : nil
        self.random = random
        if isAboutTexts { gatherWriters() }
    }

    /// The grace that the server has: with some planted bugs not the one that clients are promised.
    private static func grace(_ milliseconds: Int64, _ fault: SimulationFault?) -> Int64 {
        switch fault {
        case .hasNoGrace: 0
        case .neverEndsGrace: 1 << 40
        default: milliseconds
        }
    }

    private func makeNodes() -> [SimulatedNode] {
        shape.shardCounts.enumerated().map { number, shardCount in
            let store = database.map { SimulatedStore(self, $0, node: number) }
            return SimulatedNode(number, self, shardCount: shardCount, store: store)
        }
    }

    /// The nodes that do something now.
    var running: [SimulatedNode] { nodes.filter(\.isRunning) }
    var pipeBytesMax: Int { shape.pipeBytesMax }

    /// Runs so many steps. Throws at the first broken promise.
    package func run(steps: Int) throws(Failure) {
        try run(pause: max(steps / 3, 1)) { [unowned self] in step >= steps }
    }

    /// Runs until so much of the simulation's time has passed.
    package func run(milliseconds: Int64) throws(Failure) {
        let end = now.monotonic + milliseconds
        try run(pause: 5_000) { [unowned self] in now.monotonic >= end }
    }

    private func run(pause: Int, isOver: () -> Bool) throws(Failure) {
        for node in nodes { node.start() }
        defer { for node in nodes { node.server.stop() } }
        var isEnd = false
        while !isEnd {
            step += 1
            if isCluster { takeClusterStep() } else { takeStep() }
            isEnd = isOver()
            if step % pause == 0 || isEnd { becomeQuiet(isEnd: isEnd) }
            if let problem { throw Failure(seed: seed, step: step, problem: problem, trace: trace) }
        }
    }

    /// Replays what was done to the rooms; nil unless it was recorded.
    package func replayFlights() throws(RecordFault) -> SimulatedFlights.Report? { try flights?.replay() }

    func fail(_ problem: @autoclosure () -> String) {
        if self.problem == nil { self.problem = problem() }
    }

    func reach(_ landmark: SimulationLandmark, if isReached: Bool = true) {
        if isReached { landmarks[landmark, default: 0] += 1 }
    }

    func note(_ text: @autoclosure () -> String) {
        guard isTraced else { return }
        trace.append("\(step): \(text())")
        if trace.count > 4_000 { trace.removeFirst(2_000) }
    }

    /// Whether the planted bug shows now.
    func strikes(_ fault: SimulationFault) -> Bool {
        self.fault == fault && random.percent(40)
    }

    // MARK: Steps

    private func takeStep() {
        switch random.below(200) {
        case 0..<80: turn(nodes[0], random.below(nodes[0].shardCount))
        case 80..<140: if let client = random.pick(clients) { act(client) }
        case 140..<168: if let client = random.pick(clients) { read(client) }
        case 168..<176: passTime()
        case 176..<188: answerSomething(nodes[0])
        case 188..<190: command()
        case 190..<198: if let client = random.pick(clients) { vanish(client) }
        case 198: storeFails(nodes[0].store?.isFailing == false, nodes[0])
        default: if random.percent(20) { restart() }
        }
    }

    func storeFails(_ isFailing: Bool, _ node: SimulatedNode) {
        guard let store = node.store, store.isFailing != isFailing else { return }
        note("the store of node \(node.number) \(isFailing ? "fails" : "is good")")
        store.isFailing = isFailing
        if !isFailing { Relay.storeIsGood(node.server.mailboxes) }
    }

    private func passTime() {
        // Ties and small steps mostly; now and then the clock on the wall is set back.
        let step = Int64(random.pick([0, 1, 4, 7, 40, 51, 51, 1_000, 5_001]) ?? 0)
        // No message between shards takes seconds, and no look into the directory.
        let shardCount = nodes[0].shardCount
        for shard in 0..<(step < 1_000 ? 0 : 2 * shardCount) {
            while directory.isWaiting { directory.answerNext() }
            turn(nodes[0], shard % shardCount, takesAll: true)
        }
        now.monotonic += step
        now.unixSeconds += Int64(random.pick([0, 0, 1, 5, -3_600]) ?? 0)
        note("the time is \(now.monotonic)")
    }

    func answerSomething(_ node: SimulatedNode) {
        if random.percent(50), directory.isWaiting { return directory.answerNext() }
        node.store?.doNext()
    }

    /// A shard takes some of its waiting messages and ends its turn.
    func turn(_ node: SimulatedNode, _ shard: Int, takesAll: Bool = false) {
        let server = node.server
        let (loop, mailbox, relay) = (server.loops[shard], server.mailboxes[shard], server.relays[shard])
        loop.fireTimers()
        var count = takesAll ? mailbox.items.count : random.below(mailbox.items.count + 1)
        while count > 0, let message = mailbox.takeFirst() {
            count -= 1
            note("shard \(node.number).\(shard) takes \(Self.shown(message))")
            if message.losesMembers { lossCount += 1 }
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
        for connection in server.connections[shard] where connection.isOpen {
            if connection.pipe.tailCount > 256 << 10 { fail("\(connection.pipe.tailCount) bytes kept for one reader") }
        }
    }

    private static func shown(_ message: RelayMessage) -> String { String("\(message)".prefix(400)) }
}
