import Rooms
import Sessions
import Transport

/// What members of this node have sent to a room that has lost its home, until they are in the room again.
struct HomelessRoom {
    struct Change {
        let request: ElementRequest
        let asker: ElementAsker

        var byteCount: Int {
            guard case .member(_, _, let call) = asker else { return request.byteCount }
            return request.byteCount + call.attachments.reduce(0) { $0 + $1.count }
        }
    }

    /// The newest touches of the members.
    var touches = KeptTouches()
    /// Changes that no home has seen.
    private(set) var changes: [ConnectionID: [Change]] = [:]
    /// The node that was the home before, if it lives: it waits until a node knows the next home.
    fileprivate(set) var giver: Int?
    /// When it lost its home, and when a member has last looked for the next one.
    fileprivate(set) var (lostAt, soughtAt): (Int64, Int64)

    fileprivate init(at now: Int64) {
        (lostAt, soughtAt) = (now, now)
    }

    mutating func add(_ change: Change, of connection: ConnectionID) {
        changes[connection, default: []].append(change)
    }

    mutating func takeChanges(of connection: ConnectionID) -> [Change] {
        changes.removeValue(forKey: connection) ?? []
    }

    mutating func takeChanges() -> [Change] {
        defer { changes = [:] }
        return changes.values.flatMap(\.self)
    }
}

extension RoomError {
    /// Whether the same may succeed in a moment.
    var isForNow: Bool { code == .server || code == .rateLimited }
}

extension Home {
    /// How long changes wait for a home.
    private static let changesMilliseconds: Int64 = 10_000
    /// How long touches wait after a member has last come here to look for the home. The directory can be away meanwhile.
    private static let touchesMilliseconds: Int64 = 60_000
    private static let sweepMilliseconds = 5_000
    private static let keptChangesMax = 10_000
    private static let keptBytesMax = 16 << 20

    /// A room has lost its home. Also when nothing was sent to it yet: what members have sent may be on its way to this
    /// shard.
    func keep(_ touches: KeptTouches, giver: Int? = nil, _ id: RoomID) {
        var room = homeless.removeValue(forKey: id) ?? HomelessRoom(at: loop.now)
        var touches = touches
        touches.merge(olderThanThese: room.touches, ofNode: hub.node)
        (room.touches, room.giver, room.lostAt, room.soughtAt) = (touches, giver, loop.now, loop.now)
        homeless[id] = room
        guard !homelessTimer.isArmed else { return }
        homelessTimer.fire = { [unowned self] in self.sweepHomeless() }
        loop.arm(homelessTimer, in: Self.sweepMilliseconds)
    }

    /// A change that no home has seen waits until its member, on this node, is in the room again. When too many wait it is
    /// refused: no later one may overtake it.
    ///
    /// - Returns: false when the room has not lost its home.
    func keep(_ request: ElementRequest, _ asker: ElementAsker, _ id: RoomID) -> Bool {
        guard case .member(let connection, _, _) = asker, connection.node == hub.node, homeless[id] != nil else {
            return false
        }
        let change = HomelessRoom.Change(request: request, asker: asker)
        if keptChanges.count < Self.keptChangesMax, keptChanges.byteCount + change.byteCount <= Self.keptBytesMax {
            keptChanges.count += 1
            keptChanges.byteCount += change.byteCount
            homeless[id]?.add(change, of: connection)
        } else {
            refuse([change], id)
        }
        return true
    }

    /// Members of a room look for its home.
    func seek(_ id: RoomID) { homeless[id]?.soughtAt = loop.now }

    /// The next home of a room is known: the node that gave the room away can give the next one.
    func foundHome(of id: RoomID) {
        foundHome(of: id, homeless[id]?.giver)
        homeless[id]?.giver = nil
    }

    private func foundHome(of id: RoomID, _ giver: Int?) {
        if let giver { context.post(.home(id, .foundNext), to: giver) }
    }

    func takeChanges(of connection: ConnectionID, _ id: RoomID) -> [HomelessRoom.Change] {
        release(homeless[id]?.takeChanges(of: connection) ?? [])
    }

    /// A connection may not be in the room any more.
    func forgetKept(of connection: ConnectionID, _ id: RoomID) {
        homeless[id]?.touches.remove(connection)
        refuse(takeChanges(of: connection, id), id)
    }

    /// The same of one that leaves. One that leaves for good may enter again: its touch has ended before.
    func forgetKept(of connection: ConnectionID, _ id: RoomID, _ leaving: Leaving) {
        switch leaving {
        case .entersAgain: break
        case .lost: forgetKept(of: connection, id)
        case .forGood:
            lastEnd += 1
            homeless[id]?.touches.leave(connection, lastEnd)
            refuse(takeChanges(of: connection, id), id)
        }
    }

    /// The same of one that was refused. A member that a room on the move refuses for now comes back, with its touch.
    func forgetKept(of connection: ConnectionID, _ id: RoomID, refused error: RoomError) {
        guard error.isForNow else { return forgetKept(of: connection, id) }
        refuse(takeChanges(of: connection, id), id)
    }

    /// The room was closed: what was sent to it before is not for the next room with its id.
    func forgetKept(_ id: RoomID) {
        guard let room = homeless.removeValue(forKey: id) else { return }
        foundHome(of: id, room.giver)
        refuse(release(room.changes.values.flatMap(\.self)), id)
    }

    private func refuse(_ changes: [HomelessRoom.Change], _ id: RoomID) {
        for change in changes { answer(change.asker, .failure(Self.unreachable), id) }
    }

    private func release(_ changes: [HomelessRoom.Change]) -> [HomelessRoom.Change] {
        for change in changes {
            keptChanges.count -= 1
            keptChanges.byteCount -= change.byteCount
        }
        return changes
    }

    private func sweepHomeless() {
        for (id, room) in homeless where loop.now - room.lostAt >= Self.changesMilliseconds {
            refuse(release(homeless[id]?.takeChanges() ?? []), id)
            if room.touches.isEmpty || loop.now - room.soughtAt >= Self.touchesMilliseconds { homeless[id] = nil }
        }
        if !homeless.isEmpty { loop.arm(homelessTimer, in: Self.sweepMilliseconds) }
    }
}
