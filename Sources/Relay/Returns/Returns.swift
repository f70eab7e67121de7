import Rooms
import Sessions
import Store
import Transport
import Wire

/// The clients that can come back, by the `pid`s that name this shard.
///
/// A `pid` names a shard. That shard knows the client's connection or, once the connection is lost, the client's state.
/// An edge claims the `pid` here for a connection that shows it. Each claim gets one answer. Later claims of the same
/// `pid` wait for the end of the first.
final class Returns: RelayPart {
    /// A claim in progress, and later claims of the same `pid`. A client whose connection ends before it is admitted
    /// tries again at once.
    private struct Claims {
        /// Past it a claim is removed: its answer was lost on the way.
        static let millisecondsMax: Int64 = 10_000
        static let waitingMax = 8

        let since: Int64
        /// The claim that is being answered.
        let current: RecoveryClaim
        var isAnswered = false
        /// The node that was asked for the client's state.
        var askedNode: Int?
        var waiting: [RecoveryClaim] = []

        func isFor(_ claim: RecoveryClaim) -> Bool {
            (current.node, current.shard, current.number) == (claim.node, claim.shard, claim.number)
        }
    }

    let context: RelayContext
    let loop: any RelayLoop
    private(set) var lost = LostClients()
    private let timer = LoopTimer()
    /// Connections, on any shard.
    private var connections: [SessionID: ConnectionID] = [:]
    private var claims: [SessionID: Claims] = [:]
    /// Seats that the store still has to delete.
    private var removals = SeatRemovals()
    private let removalTimer = LoopTimer()

    init(_ context: RelayContext) {
        self.context = context
        loop = context.loop
        timer.fire = { [unowned self] in
            while let client = self.lost.takeExpired(at: self.loop.now) { self.giveUp(client) }
            self.armTimer()
        }
        removalTimer.fire = { [unowned self] in self.removeSome() }
    }

    var claimCount: Int { claims.count }
    var connectionCount: Int { connections.count }

    private func armTimer() {
        guard let ends = lost.nextEnds else { return loop.cancel(timer) }
        guard !timer.isArmed else { return }
        loop.arm(timer, in: Int(max(ends - loop.now, 1)))
    }

    func receive(_ message: ReturnsMessage) {
        switch message {
        case .claim(let claim): look(claim)
        case .claimAgain(let claim):
            // It was begun by a node that stood in for this one, or that one has left it to this node meanwhile.
            guard claims[claim.pid]?.isFor(claim) == true else { return look(claim) }
            if let lost = lost.take(claim, at: loop.now) { return give(lost, to: claim) }
            // The connection was one of an earlier life of its node.
            if hub.cluster != nil { remember(claim) } else { refuse(claim) }
        case .remembered(let claim, let seats):
            // The store may have taken so long that a later claim was begun: only one of them gets the client.
            guard claims[claim.pid]?.isFor(claim) == true else { return answer(claim, nil) }
            guard claims[claim.pid]?.isAnswered == false else { return }
            if let lost = lostClient(claim, seats) { return give(lost, to: claim) }
            // The node that has the connection has told so meanwhile.
            if isAskingStore(for: claim.pid), connections[claim.pid] != nil { pursue(claim) } else { refuse(claim) }
        case .settled(let pid): settled(pid)
        case .connected(let pid, let connection):
            // What a node tells again is older than what is known of another one.
            if let connection, connections[pid] == nil || claims[pid] != nil { connections[pid] = connection }
            if isAskingStore(for: pid) { return }
            // The client is at another node than the claim. The node that was asked for it may be gone, without an answer.
            if let connection, let claims = claims[pid], !claims.isAnswered, claims.current.node != connection.node {
                return pursue(claims.current)
            }
            settled(pid)
        case .ended(let pid, let connection, let remains):
            // In one step: a claim finds either the connection or its state.
            if connections[pid] == connection { connections[pid] = nil }
            if let remains { keep(remains) }
        case .givenBack(let lost):
            // Another claim may have admitted the client meanwhile.
            if connections[lost.pid] == nil { keep(lost) }
            settled(lost.pid)
        case .notStood(let removal): removeLater(removal)
        }
    }

    /// Whether a client cannot be anywhere without a word of it coming here. Otherwise the store knows where it is.
    private func hears(of pid: SessionID) -> Bool {
        guard let cluster = hub.cluster else { return true }
        return pid.node == hub.node && cluster.link.others.allSatisfy { context.life(of: $0) != nil }
    }

    private func keep(_ client: LostClient) {
        guard hears(of: client.pid) else { return }
        var client = client
        if client.ends == 0 { client.ends = loop.now + Int64(configuration.recoveryMilliseconds) }
        for room in client.rooms { removals.cancel(client.pid, in: room.id) }
        if let other = lost.keep(client) { giveUp(other) }
        armTimer()
    }

    /// A client whose time is over does not come back from the store either.
    private func giveUp(_ client: LostClient) {
        guard !client.rooms.isEmpty, connections[client.pid] == nil, claims[client.pid] == nil else { return }
        remove(SeatRemoval(pid: client.pid, room: nil))
    }

    // MARK: Claims

    private func look(_ claim: RecoveryClaim) {
        // Its client has gone with that node: nobody would take the answer.
        if claim.node != hub.node, context.life(of: claim.node) == nil { return }
        // The node of the `pid` lives again. Of the client's next connection only that node hears: a claim would stay here.
        if claim.pid.node != hub.node, context.life(of: claim.pid.node) != nil { return tell(claim.pid, .claim(claim)) }
        if let others = claims[claim.pid], loop.now - others.since < Claims.millisecondsMax {
            guard others.waiting.count < Claims.waitingMax else { return answer(claim, nil) }
            claims[claim.pid]?.waiting.append(claim)
        } else if connections[claim.pid] != nil || lost.has(claim.pid) {
            begin(claim)
            pursue(claim)
        } else if hub.store != nil {
            begin(claim)
            remember(claim)
        } else {
            answer(claim, nil)
        }
    }

    /// Whether the client of a claim is looked for in the store, and no node was asked for it.
    private func isAskingStore(for pid: SessionID) -> Bool {
        guard let claims = claims[pid] else { return false }
        return !claims.isAnswered && claims.askedNode == nil
    }

    /// Claims that waited for a removed one wait for this one.
    private func begin(_ claim: RecoveryClaim) {
        if let removed = claims[claim.pid] { answer(removed.current, nil) }
        claims[claim.pid] = Claims(since: loop.now, current: claim, waiting: claims[claim.pid]?.waiting ?? [])
    }

    private func pursue(_ claim: RecoveryClaim) {
        if let lost = lost.take(claim, at: loop.now) { return give(lost, to: claim) }
        guard let connection = connections[claim.pid],
            tell(node: connection.node, shard: connection.shard, .takeOver(connection, claim), insists: false)
        else { return refuse(claim) }
        claims[claim.pid]?.askedNode = connection.node
    }

    private func give(_ client: LostClient, to claim: RecoveryClaim) {
        answer(claim, client)
        claims[claim.pid]?.isAnswered = true
        if context.life(of: claim.pid.node) != nil { leaveToItsNode(claim.pid) }
    }

    private func answer(_ claim: RecoveryClaim, _ lost: LostClient?) {
        tell(node: claim.node, shard: claim.shard, .claimAnswered(claim.number, lost))
    }

    private func refuse(_ claim: RecoveryClaim) {
        answer(claim, nil)
        settled(claim.pid)
    }

    func receive(_ message: PeerMessage) {
        switch message {
        case .lost(let node):
            forgetLost()
            lost(node)
        case .established(let node, _):
            forgetLost()
            // From now on it hears of the ends of these connections, and this shard does not.
            connections = connections.filter { $0.key.node != node }
            // An edge of this node that was asked for the client tells the node of the `pid`, too.
            for (pid, claims) in claims where pid.node == node && (claims.isAnswered || claims.askedNode != nil) {
                leaveToItsNode(pid)
            }
        case .lapsed: forgetLost()
        }
    }

    /// The lost clients may have come back to another node, or may do so, without a word of it coming here. The store knows it.
    private func forgetLost() {
        lost = LostClients()
        armTimer()
    }

    /// The node of a `pid` lives again: it hears of the client's connection, and this shard does not.
    private func leaveToItsNode(_ pid: SessionID) {
        for claim in claims.removeValue(forKey: pid)?.waiting ?? [] { answer(claim, nil) }
    }

    /// A node is lost, with the connections and the claims that are there. The store knows which of its clients may come
    /// back. What the node was told in answer to a claim may be lost, too.
    private func lost(_ node: Int) {
        connections = connections.filter { $0.value.node != node }
        for (pid, claims) in claims {
            self.claims[pid]?.waiting.removeAll { $0.node == node }
            if claims.current.node == node {
                settled(pid)
            } else if claims.askedNode == node {
                self.claims[pid]?.askedNode = nil
                remember(claims.current)
            }
        }
    }

    /// A claim has ended: the next one begins.
    private func settled(_ pid: SessionID) {
        for claim in claims.removeValue(forKey: pid)?.waiting ?? [] { look(claim) }
    }

    // MARK: Seats

    private static let removalPauseMilliseconds = 1_000
    private static let removalsAtOnce = 500

    private func removeLater(_ removal: SeatRemoval) {
        if let room = removal.room, lost.isIn(room, removal.pid) { return }
        removals.put(removal)
        if !removalTimer.isArmed { loop.arm(removalTimer, in: Self.removalPauseMilliseconds) }
    }

    private func removeSome() {
        for _ in 0..<min(removals.count, Self.removalsAtOnce) {
            guard let removal = removals.takeOldest() else { break }
            if removal.pid.node != hub.node, context.life(of: removal.pid.node) != nil {
                // It lives again, and knows whether the client is in the room again.
                tell(removal.pid, .notStood(removal))
            } else if let claim = claims[removal.pid], loop.now - claim.since < Claims.millisecondsMax {
                // The client is between two connections.
                removals.put(removal)
            } else if let connection = connections[removal.pid] ?? removal.connection {
                tell(node: connection.node, shard: connection.shard, .standAgain(connection, removal))
            } else {
                remove(removal)
            }
        }
        if removals.count > 0, !removalTimer.isArmed {
            loop.arm(removalTimer, in: Self.removalPauseMilliseconds)
        }
    }

    // MARK: After a restart

    /// Looks for a client among those that earlier servers have stored.
    private func remember(_ claim: RecoveryClaim) {
        let (pid, mailbox) = (claim.pid.description, mailbox)
        let seconds = Int64(configuration.recoveryMilliseconds + 999) / 1_000
        hub.store?.seats(of: pid, showing: claim.offset, within: seconds) { result in
            mailbox.insist(RelayMessage.returns(.remembered(claim, (try? result.get()) ?? [])))
        }
    }

    /// Nil when the seats belong to another user, or are not all of the client's.
    private func lostClient(_ claim: RecoveryClaim, _ stored: [Seat]) -> LostClient? {
        let seats = stored.filter { !removals.has(claim.pid, in: RoomID($0.room)) }
        guard !seats.isEmpty, seats.allSatisfy({ $0.person.isExactly(claim.person) }) else { return nil }
        if let offset = claim.offset {
            guard seats.contains(where: { $0.incarnation == offset.incarnation }) else { return nil }
        }
        var trail = Trail()
        let rooms = seats.map { seat in
            var membership = context.takeMembershipNumber()
            if let offset = claim.offset, offset.incarnation == seat.incarnation, offset.seq > 0 {
                if let joined = offset.membership {
                    membership = joined
                    trail.joined(membership, incarnation: seat.incarnation, at: offset.seq)
                } else {
                    trail.wrote(
                        membership, incarnation: seat.incarnation, after: offset.seq - 1, upTo: offset.seq)
                }
            }
            return ReturningRoom(id: RoomID(seat.room), incarnation: seat.incarnation, membership: membership)
        }
        return LostClient(
            sid: nil, pid: claim.pid, person: claim.person, opened: claim.opened, rooms: rooms, endings: [],
            trail: trail)
    }
}
