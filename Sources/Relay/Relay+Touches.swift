import Rooms
import Sessions
import Transport
import Wire

extension Relay {
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
        guard room.home == shard.index else {
            gatherTouch(
                of: client, membership, x: arguments.extracting(x.range), y: arguments.extracting(y.range),
                elementID: arguments.extracting(elementRange))
            return accept(client, call)
        }
        guard let home = room.homeRoom else { throw notJoined(roomID) }
        try home.room.moveTouch(
            of: client.id, slot: membership.slot, x: arguments.extracting(x.range), y: arguments.extracting(y.range),
            elementID: arguments.extracting(elementRange))
        home.activity.touches &+= 1
        changed(home)
        accept(client, call)
    }

    func endTouch(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.roomKeys, arguments)
        guard let membership = client.membership(fields[0], in: arguments) else { throw notJoined(fields[0]) }
        let connection = client.id
        let isPosted = atHome(membership.room.id) { relay, home in
            guard let home else { return }
            try? home.room.endTouch(of: connection)
            relay.changed(home)
        }
        guard isPosted else { throw Self.overwhelmed }
        accept(client, call)
    }

    func notJoined(_ field: JSONField) -> RoomError {
        field.kind == .string
            ? RoomError(.forbidden, "You have not joined this room.")
            : EventFields.invalid("roomId", "must be a string.")
    }
}
