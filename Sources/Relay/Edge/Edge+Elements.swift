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
        let version = try elementReading.version(fields[ElementReading.DeletePlace.version], "version", arguments)
        change(client, membership.room, .elementDelete, call, .delete(id, version: version))
    }

    func editElement(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(ElementReading.editKeys, arguments)
        let room = fields[ElementReading.EditPlace.roomID]
        guard let membership = client.membership(room, in: arguments) else { throw notJoined(room) }
        let id = try EventFields.id(
            fields[ElementReading.EditPlace.elementID], "elementId", arguments, limits: configuration.room)
        change(client, membership.room, .elementEdit, call, .edit(try elementReading.edit(of: id, fields, arguments)))
    }

    private static let caretKeys = JSONKeys("roomId", "elementId", "position", "anchor", "version")

    /// Sets or ends the place at which a client writes.
    func setCaret(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.caretKeys, arguments)
        guard let membership = client.membership(fields[0], in: arguments) else { throw notJoined(fields[0]) }
        var caret: Caret?
        if !fields[1].isNull {
            guard let position = try place(fields[2], "position", arguments) else {
                throw EventFields.invalid("position", "is missing.")
            }
            caret = Caret(
                elementID: try EventFields.id(fields[1], "elementId", arguments, limits: configuration.room),
                position: position, anchor: try place(fields[3], "anchor", arguments),
                version: try elementReading.version(fields[4], "version", arguments))
        }
        guard tellHome(of: membership.room.id, .caret(client.id, caret)) else { throw Self.overwhelmed }
        accept(client, call)
    }

    private func place(_ field: JSONField, _ name: String, _ bytes: Span<UInt8>) throws(RoomError) -> Int? {
        if field.isAbsent || field.isNull { return nil }
        let most = 2 * configuration.room.contentCharactersMax
        guard let number = field.int(in: bytes), 0...most ~= number else {
            throw EventFields.invalid(name, "must be an integer from 0 to \(most).")
        }
        return number
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
