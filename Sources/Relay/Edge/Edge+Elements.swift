import Rooms
import Sessions
import Transport
import Wire

/// Events that change a room's elements.
extension Edge {
    private var elementReading: ElementReading { ElementReading(limits: configuration.room) }

    func createElement(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(ElementReading.createKeys, arguments)
        let room = fields[ElementReading.CreatePlace.roomID]
        guard let membership = client.membership(room, in: arguments) else { throw notJoined(room) }
        let creation = try elementReading.creation(fields, arguments)
        change(client, membership.room, .elementCreate, call, .create(creation))
    }

    func updateElement(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(ElementReading.updateKeys, arguments)
        let room = fields[ElementReading.UpdatePlace.roomID]
        guard let membership = client.membership(room, in: arguments) else { throw notJoined(room) }
        let id = try EventFields.id(
            fields[ElementReading.UpdatePlace.elementID], "elementId", arguments, limits: configuration.room)
        let update = try elementReading.update(of: id, fields, arguments)
        change(client, membership.room, .elementUpdate, call, update)
    }

    func deleteElement(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(ElementReading.deleteKeys, arguments)
        let room = fields[ElementReading.DeletePlace.roomID]
        guard let membership = client.membership(room, in: arguments) else { throw notJoined(room) }
        let id = try EventFields.id(
            fields[ElementReading.DeletePlace.elementID], "elementId", arguments, limits: configuration.room)
        change(client, membership.room, .elementDelete, call, .delete(id))
    }

    /// Has the room's home make a change for a client.
    private func change(
        _ client: RelayClient, _ room: LocalRoom, _ event: ClientEvent, _ call: SocketCall, _ request: ElementRequest
    ) {
        let asker = ElementAsker.member(client.id, event, call)
        guard tellHome(of: room.id, .change(request, asker)) else {
            return refuse(client, event.rawValue, Self.overwhelmed, call)
        }
    }
}
