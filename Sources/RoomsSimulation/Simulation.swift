import Rooms

/// Rooms, shards and clients in one thread, driven by a seed: the same seed does the same again.
///
/// Shards do with rooms what a server does, joined by mailboxes whose messages are handed over whenever chance wills;
/// clients read at their own pace, vanish and come back. After every step the promises are checked that can be checked
/// then; whenever all is quiet, that everybody sees the same.
package final class Simulation {
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

    struct Promise {
        let seq: UInt64
        let state: RoomTruth.State
        let participation: UInt64
    }

    let seed: UInt64
    let fault: SimulationFault?
    var random: SimulationRandom
    var now = Moment(monotonic: 1_000, unixSeconds: 1_760_000_000)
    var limits = RoomLimits()
    let portionBytesMax: Int
    let feedsInPortions: Bool

    var homes: [Int: SimulatedHome] = [:]
    /// What stays of rooms that are not in use.
    var contents: [Int: RoomContents] = [:]
    var truths: [Int: RoomTruth] = [:]
    let shards: [SimulatedShard]
    /// By sender and receiver, `from * shards.count + to`.
    var mailboxes: [[SimulatedMessage]]
    var clients: [ModelClient] = []

    /// What answers promise, by the request's number.
    var promises: [Int: Promise] = [:]
    /// The newest position of each person in each room, `room * 1000 + person`.
    var positions: [Int: Int] = [:]
    /// Which element each named creation has made.
    var creations: [String: String] = [:]
    var lastNumber = 0

    /// How often each landmark was reached.
    package private(set) var landmarks: [SimulationLandmark: Int] = [:]
    private let isTraced: Bool
    private var trace: [String] = []
    private var step = 0
    var problem: String?

    package init(seed: UInt64, fault: SimulationFault? = nil, isTraced: Bool = false) {
        self.seed = seed
        self.fault = fault
        self.isTraced = isTraced
        var random = SimulationRandom(seed: seed)
        let shardCount = 1 + random.below(3)
        shards = (0..<shardCount).map { SimulatedShard($0) }
        mailboxes = Array(repeating: [], count: shardCount * shardCount)
        let roomCount = 1 + random.below(random.percent(20) ? 6 : 2)
        for room in 0..<roomCount { truths[room] = RoomTruth() }
        limits.logBytesMax = random.pick([400, 1_500, 6_000, 1 << 20]) ?? 0
        limits.connectionsPerParticipantMax = random.pick([1, 2, 8]) ?? 1
        limits.participantsMax = random.pick([3, 1_000, 1_000]) ?? 1
        limits.elementsMax = random.pick([3, 1_000]) ?? 1
        limits.graceMilliseconds = random.pick([0, 50, 5_000]) ?? 0
        portionBytesMax = random.pick([1, 200, 1_000, 64 << 10]) ?? 1
        feedsInPortions = random.percent(70)
        let people = 2 + random.below(5)
        for number in 0..<(people + random.below(people)) {
            clients.append(
                ModelClient(
                    number: number, person: number % people, isBatch: random.percent(25),
                    hasOffsets: random.percent(60)))
        }
        self.random = random
    }

    /// What is left of a room that is not in use says where its log ended, so that its next incarnation is the same.
    static func incarnation(_ room: Int) -> UInt64 { UInt64(room) + 1 }

    /// Runs so many steps. Throws at the first broken promise.
    package func run(steps: Int) throws(Failure) {
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
        let dice = random.below(100)
        switch dice {
        case 0..<30: handOverAny()
        case 30..<50: if let room = random.pick(homes.keys.sorted()) { tick(room) }
        case 50..<77: if let client = random.pick(clients) { act(client) }
        case 77..<92: if let client = random.pick(clients), let connection = client.connection { read(connection) }
        case 92..<95: passTime()
        case 95: if let room = random.pick(homes.keys.sorted()) { command(room) }
        default: if let client = random.pick(clients), let connection = client.connection { vanish(connection) }
        }
        for shard in shards { check(shard) }
    }

    private func passTime() {
        // Ties and small steps mostly; now and then the clock on the wall is set back.
        now.monotonic += Int64(random.pick([0, 0, 1, 7, 40, 51, 1_000, 5_001]) ?? 0)
        now.unixSeconds += Int64(random.pick([0, 0, 1, 5, -3_600]) ?? 0)
        note("the time is \(now.monotonic)")
        for room in homes.keys.sorted() where random.percent(60) { expireGraces(room) }
    }

    private func check(_ shard: SimulatedShard) {
        for (room, replica) in shard.replicas {
            if replica.keptLogBytes > limits.logBytesMax { fail("a log of \(replica.keptLogBytes) bytes") }
            for member in replica.members {
                guard let connection = shard.connections[member.connection], connection.isOpen,
                    connection.rooms.contains(room) || connection.farewells.contains(where: { $0.key == room })
                else { return fail("a member of r\(room) that is not connected") }
            }
        }
        for connection in shard.connections.values {
            if connection.pipe.tailCount > 64 << 10 { fail("\(connection.pipe.tailCount) bytes kept for one reader") }
            if connection.outbox.count > 200 { fail("\(connection.outbox.count) answers kept for one reader") }
        }
    }

    // MARK: Quiet

    /// Lets everything arrive and be read, then compares what everybody sees.
    private func becomeQuiet(isEnd: Bool) {
        note("quiet")
        if isEnd {
            now.monotonic += limits.graceMilliseconds
            for room in homes.keys.sorted() { expireGraces(room) }
        }
        var isBusy = true
        while isBusy, problem == nil {
            isBusy = false
            for box in mailboxes.indices {
                while !mailboxes[box].isEmpty {
                    handOver(box)
                    isBusy = true
                }
            }
            for room in homes.keys.sorted() where homes[room].map({ $0.room.isDirty || !$0.pending.isEmpty }) == true {
                tick(room)
                isBusy = true
            }
            for client in clients {
                while let connection = client.connection, !connection.pipe.isEmpty, problem == nil {
                    read(connection, max: 100_000)
                    isBusy = true
                }
            }
        }
        compare()
    }

    private func compare() {
        for (room, home) in homes {
            if let problem = home.problem() { return fail("r\(room): \(problem)") }
            guard let truth = truths[room], truth.lastSeq == home.room.lastSeq else { return fail("r\(room): a gap") }
            let listed = Set(truth.state.participants.keys)
            guard listed == Set(home.people.keys) else {
                return fail("r\(room) shows \(listed.sorted()), there are \(home.people.keys.sorted())")
            }
        }
        for client in clients where client.connection != nil {
            for (room, view) in client.views where view.phase == .inside { compare(client, room, view) }
        }
    }

    private func compare(_ client: ModelClient, _ room: Int, _ view: ModelClient.View) {
        let who = "client \(client.number) in r\(room)"
        guard let connection = client.connection, let truth = truths[room], let home = homes[room],
            home.person(of: connection.id) == client.person
        else { return fail("\(who) is not there") }
        guard view.state == truth.state else { return fail("\(who) sees another state") }
        let unseen = truth.entries[Int(view.seq)...]
        guard unseen.allSatisfy({ $0.except == view.participation }) else { return fail("\(who) lacks entries") }
        var touches = home.people.compactMapValues { $0.touch?.x }
        touches[client.person] = nil
        guard view.touches == touches else {
            return fail("\(who) sees touches \(Self.listed(view.touches)) instead of \(Self.listed(touches))")
        }
    }

    /// In an order that is the same in each run.
    private static func listed(_ touches: [Int: Int]) -> String {
        touches.sorted { $0.key < $1.key }.map { "p\($0.key) at \($0.value)" }.joined(separator: ", ")
    }
}
