import Rooms
import Sessions
import Transport
import Wire

extension Edge {
    private static let touchKeys = JSONKeys("roomId", "x", "y", "elementId")

    func moveTouch(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.touchKeys, arguments)
        let (roomID, x, y, elementID) = (fields[0], fields[1], fields[2], fields[3])
        try EventFields.checkNumber(x, "x", limits: configuration.room)
        try EventFields.checkNumber(y, "y", limits: configuration.room)
        var elementRange = 0..<0
        if !elementID.isAbsent, !elementID.isNull {
            guard elementID.kind == .string, EventFields.fits(elementID, arguments, configuration.room.idBytesMax)
            else {
                throw EventFields.invalid(
                    "elementId", "must be a string of at most \(configuration.room.idBytesMax) bytes.")
            }
            elementRange = elementID.range
        }
        guard let membership = client.membership(roomID, in: arguments) else { throw notJoined(roomID) }
        let room = membership.room
        guard room.gate.isOpen else { throw room.gate.isFull ? RoomJournal.takesNothing : notJoined(roomID) }
        guard let home = room.homeRoom, !context.isWaiting else {
            gather(
                of: client, membership, x: arguments.extracting(x.range), y: arguments.extracting(y.range),
                elementID: arguments.extracting(elementRange))
            return accept(client, call)
        }
        try home.moveTouch(
            of: client.id, slot: membership.slot, x: arguments.extracting(x.range), y: arguments.extracting(y.range),
            elementID: arguments.extracting(elementRange))
        accept(client, call)
    }

    func endTouch(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.roomKeys, arguments)
        guard let membership = client.membership(fields[0], in: arguments) else { throw notJoined(fields[0]) }
        // On the home's own shard it takes the same path as positions, so no position can overtake it.
        if let home = membership.room.homeRoom, !context.isWaiting {
            home.endTouch(of: client.id)
        } else if !tellHome(of: membership.room.id, .endTouch(client.id)) {
            throw Self.overwhelmed
        }
        accept(client, call)
    }

    func notJoined(_ field: JSONField) -> RoomError {
        field.kind == .string
            ? RoomError(.forbidden, "You have not joined this room.")
            : EventFields.invalid("roomId", "must be a string.")
    }

    // MARK: Touches for homes on other shards

    /// How long to wait before another try, when a shard's mailbox is full.
    private static let dispatchRetryMilliseconds = 50

    /// Takes a member's position for a room of another shard. It is sent when the room's next tick is near, or at once
    /// if the room was quiet, and once for each tick: what comes between that and the tick goes to the tick after. For a room of this shard it goes behind the waiting messages.
    private func gather(
        of client: RelayClient, _ membership: RelayClient.Membership, x: Span<UInt8>, y: Span<UInt8>,
        elementID: Span<UInt8>
    ) {
        let (room, dispatch) = (membership.room, dispatches[membership.room.home])
        guard room.homeRoom == nil else {
            var parcel = TouchParcel(room.id)
            parcel.append(of: client.id, slot: membership.slot, x: x, y: y, elementID: elementID)
            return context.deliverInOrder(.touches([parcel]))
        }
        let isFirst = room.gather(of: client.id, slot: membership.slot, x: x, y: y, elementID: elementID)
        if isFirst {
            let interval = max(hub.tickIntervals[room.home].value, hub.tickIntervals[loop.index].value)
            let due = room.touchesDue(interval: Int64(interval))
            // The end of the turn sends what is due. The timer only makes sure that there is a turn.
            if due > loop.now, due < dispatch.dueAt { loop.arm(dispatch.timer, in: Int(due - loop.now)) }
            dispatch.add(room, due: due)
        }
        if dispatch.dueAt > loop.now { loop.noteWaiting() }
    }

    /// At the end of a turn.
    func sendDueTouches() {
        for (home, dispatch) in dispatches.enumerated() where dispatch.dueAt <= loop.now { sendTouches(to: home) }
    }

    /// Sends a shard the touches that were gathered for it. Messages to a shard keep their order. Returns false when they wait
    /// because the shard takes no more.
    @discardableResult
    func sendTouches(to home: Int, insists: Bool = false) -> Bool {
        let dispatch = dispatches[home]
        guard !dispatch.isEmpty else { return true }
        loop.cancel(dispatch.timer)
        let taken = dispatch.take(at: loop.now)
        guard !sendHome(.touches(taken.map(\.parcel)), to: home, insists: insists) else { return true }
        for (room, parcel) in taken {
            room.putBack(parcel)
            dispatch.add(room, due: loop.now + Int64(Self.dispatchRetryMilliseconds))
        }
        loop.arm(dispatch.timer, in: Self.dispatchRetryMilliseconds)
        return false
    }
}
