import Relay
import Rooms
import Store

/// What survives a server: the logs of rooms and the seats. In a cluster it is the same for all nodes, and says which of
/// them is home to which room.
///
/// Each method is one transaction. They say what the statements of `HomeTable` and `JournalWriting` say.
final class SimulatedDatabase {
    private struct Kept {
        var seat: Seat
        let node: Int
        var lostAt: Int64?
    }

    private struct Claim {
        let node: ClusterNode
        let fence: Int64
        /// Whether the room has been given away since.
        var isReleased = false
    }

    /// The newest life of a node.
    private struct Life {
        let boot: Int64
        var leaseUntil: Int64
        var renewingSince: Int64
        var hasEnded = false
        var lapses = 0
    }

    private unowned let world: Simulation
    private let entriesKept: Int
    /// The whole log of each room.
    private var logs: [String: [JournalEntry]] = [:]
    /// The room's era at each entry of its log.
    private var eras: [String: [Int]] = [:]
    /// How often a server has begun to use it.
    private var startCount = 0
    private var seats: [Kept] = []
    private var claims: [String: Claim] = [:]
    /// How often a room was claimed without having been given away, or given away or read after a loss.
    private var losses: [String: Int] = [:]
    private var lives: [Int: Life] = [:]
    /// How often it was started.
    var starts = 0

    init(_ world: Simulation, entriesKept: Int) {
        self.world = world
        self.entriesKept = entriesKept
    }

    private var now: Int64 { world.now.monotonic }

    func log(of room: String) -> [JournalEntry] { logs[room] ?? [] }

    // MARK: Rooms

    func load(_ room: String) -> StoredRoom? { logs[room].map { stored(room, $0) } }

    /// - Parameter fence: nil on a server that is not part of a cluster.
    func append(_ entries: [JournalEntry], to room: String, fence: Int64?) throws(StoreError) -> UInt64 {
        let isHome = fence == nil || world.fault == .ignoresFence || claims[room]?.fence == fence
        var log = logs[room] ?? []
        let stored = log.last?.seq ?? 0
        let refusal: StoreError = isHome ? .outOfOrder(stored: stored) : .notHome
        for entry in entries where entry.seq <= stored && log[Int(entry.seq) - 1] != entry { throw refusal }
        let new = entries.filter { $0.seq > stored }
        guard let first = new.first else { return stored }
        guard isHome, first.seq == stored + 1 else {
            world.reach(.fencedOff, if: !isHome)
            throw refusal
        }
        log += new
        logs[room] = log
        eras[room, default: []] += new.map { _ in era(of: room) }
        return log.last?.seq ?? 0
    }

    /// A server begins to use it.
    func countStart() { startCount += 1 }

    private func era(of room: String) -> Int { startCount + losses[room, default: 0] }

    func countLoss(of room: String) { losses[room, default: 0] += 1 }

    private func stored(_ room: String, _ log: [JournalEntry]) -> StoredRoom {
        var elements: [StoredElement] = []
        var remembered: [String] = []
        var present: [String: Presence] = [:]
        for (entry, era) in zip(log, eras[room] ?? []) {
            switch entry.effect {
            case .none: break
            case .created(var element, let creation):
                element.era = era
                elements.append(StoredElement(element: element, creation: creation, seq: entry.seq))
            case .updated(var element):
                element.era = era
                guard let index = elements.firstIndex(where: { $0.element.id == element.id }) else { break }
                elements[index] = StoredElement(
                    element: element, creation: elements[index].creation, seq: entry.seq)
            case .deleted(let id, _):
                remembered += elements.filter { $0.element.id == id }.compactMap(\.creation)
                elements.removeAll { $0.element.id == id }
            case .came(let person): present[person.id] = person
            case .left(let person): present[person] = nil
            case .closed: present = [:]
            }
        }
        return StoredRoom(
            id: room, seq: log.last?.seq ?? 0, elements: elements, rememberedCreations: remembered,
            entries: log.suffix(entriesKept), present: present.values.sorted { $0.id < $1.id }, era: era(of: room))
    }

    // MARK: Homes

    func claim(_ room: String, by node: ClusterNode) -> RoomClaim {
        if let claim = claims[room], !claim.isReleased, claim.node.id != node.id, lives(claim.node) {
            return .elsewhere(claim.node.id)
        }
        if let before = claims[room], before.node != node, !before.isReleased {
            world.reach(.takenOver)
            // The clients of the node before may be there: their grace began with the claim.
            world.disturb()
        }
        let fence = Int64(world.ids.next() >> 1)
        if claims[room]?.isReleased == false { countLoss(of: room) }
        claims[room] = Claim(node: node, fence: fence)
        return .here(load(room), fence: fence)
    }

    func isHome(_ room: String, fence: Int64) -> Bool {
        world.fault == .ignoresFence || claims[room]?.fence == fence
    }

    func release(_ room: String, fence: Int64, afterLoss: Bool) {
        guard claims[room]?.fence == fence else { return }
        claims[room]?.isReleased = true
        if afterLoss { countLoss(of: room) }
    }

    // MARK: Nodes

    /// A lease that ends later than this is not over.
    private var newestEndOfLease: Int64 {
        let vouches = lives.values.contains {
            $0.leaseUntil > now + Self.leaseMilliseconds - Self.pauseMilliseconds
                && $0.renewingSince <= now - Self.leaseMilliseconds
        }
        return vouches ? now : 0
    }

    private func lives(_ node: ClusterNode) -> Bool {
        guard let life = lives[node.id], life.boot == node.boot else { return false }
        return life.leaseUntil > newestEndOfLease && !life.hasEnded
    }

    private static let leaseMilliseconds: Int64 = 3_000
    private static let silenceMilliseconds: Int64 = 750
    private static let pauseMilliseconds: Int64 = 1_500

    /// Nil while an earlier life of the node has a lease.
    func begin(_ node: Int) -> ClusterNode? {
        let before = lives[node]
        guard before.map({ $0.leaseUntil <= now }) ?? true else { return nil }
        let hasOthers = lives.contains { $0.key != node && $0.value.leaseUntil > 0 && !$0.value.hasEnded }
        let life = Life(
            boot: (before?.boot ?? 0) + 1, leaseUntil: now + Self.leaseMilliseconds,
            renewingSince: hasOthers && newestEndOfLease == 0 ? now : 0)
        lives[node] = life
        return ClusterNode(id: node, boot: life.boot)
    }

    /// - Returns: the nodes that live, and how often the node's lease was over. Nil when it has begun a new life.
    func renew(_ node: ClusterNode) -> (living: Set<Int>, lapses: Int)? {
        guard let life = lives[node.id], life.boot == node.boot else { return nil }
        if !(0...Self.pauseMilliseconds).contains(now - (life.leaseUntil - Self.leaseMilliseconds)) {
            lives[node.id]?.renewingSince = now
        }
        lives[node.id]?.leaseUntil = now + Self.leaseMilliseconds
        lives[node.id]?.hasEnded = false
        let lapses = life.lapses + (life.leaseUntil <= now ? 1 : 0)
        lives[node.id]?.lapses = lapses
        let end = newestEndOfLease
        loseSeatsOfEnded(end)
        return (Set(lives.filter { $0.value.leaseUntil > end && !$0.value.hasEnded }.keys), lapses)
    }

    private func loseSeatsOfEnded(_ end: Int64) {
        guard end > 0 else { return }
        for (node, life) in lives where !life.hasEnded && life.leaseUntil <= end {
            lives[node]?.hasEnded = true
            loseSeats { $0.node == node }
        }
    }

    /// Ends the leases of nodes that are not heard any more and have not renewed them either.
    func endSilent(_ nodes: Set<Int>) {
        let end = newestEndOfLease
        guard end > 0 else { return }
        for node in nodes.sorted() {
            guard let until = lives[node]?.leaseUntil, until > end,
                until <= end + Self.leaseMilliseconds - Self.silenceMilliseconds
            else { continue }
            lives[node]?.leaseUntil = end
        }
    }

    func end(_ node: ClusterNode) {
        if lives[node.id]?.boot == node.boot { lives[node.id]?.leaseUntil = 0 }
    }

    // MARK: Seats

    func hasSeat(_ pid: String?, in room: String) -> Bool {
        seats.contains { $0.seat.pid == pid && $0.seat.room == room }
    }

    func sit(_ seat: Seat, _ claim: SeatClaim, of node: Int) {
        let kept = seats.first { $0.seat.pid == seat.pid && $0.seat.room == seat.room }
        if let kept, kept.lostAt == nil, kept.node != node, !holds(claim, of: node) { return }
        world.note("\(seat.person) sits in \(seat.room) on node \(node)")
        seats.removeAll { $0.seat.pid == seat.pid && $0.seat.room == seat.room }
        seats.append(Kept(seat: seat, node: node))
    }

    private func holds(_ claim: SeatClaim, of node: Int) -> Bool {
        switch claim {
        case .firm: true
        case .under(let boot, let lapses):
            lives[node].map { $0.boot == boot && $0.lapses == lapses && !$0.hasEnded } ?? false
        case .weak: false
        }
    }

    func stand(_ pid: String, in room: String?, of node: Int) {
        world.note("the seat of \(pid) in \(room ?? "all rooms") is deleted by node \(node)")
        seats.removeAll { kept in
            kept.seat.pid == pid && (room == nil || kept.seat.room == room) && (kept.lostAt != nil || kept.node == node)
        }
    }

    func lose(_ pid: String, of node: Int) { loseSeats { $0.seat.pid == pid && $0.node == node } }
    func loseSeats(of node: Int) { loseSeats { $0.node == node } }

    private func loseSeats(where isLost: (Kept) -> Bool) {
        for index in seats.indices where seats[index].lostAt == nil && isLost(seats[index]) {
            world.note("the seat of \(seats[index].seat.person) in \(seats[index].seat.room) is lost")
            seats[index].lostAt = world.now.unixSeconds
        }
    }

    func seats(of pid: String, showing offset: LogOffset?, within seconds: Int64) -> [Seat] {
        let found = seats.filter { $0.seat.pid == pid }
        let lostAt = found.contains { $0.lostAt == nil } ? nil : found.compactMap(\.lostAt).max()
        let isInTime = lostAt.map { $0 >= world.now.unixSeconds - seconds } ?? false
        return isInTime ? found.map { shown($0.seat, offset) } : []
    }

    private func shown(_ seat: Seat, _ offset: LogOffset?) -> Seat {
        let entries = log(of: seat.room).suffix(entriesKept)
        guard let offset, entries.contains(where: { $0.seq == offset.seq && $0.incarnation == offset.incarnation })
        else { return seat }
        return Seat(pid: seat.pid, person: seat.person, room: seat.room, incarnation: offset.incarnation)
    }
}
