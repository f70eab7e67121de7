import Rooms
import Sessions
import Wire

/// What part of a room a client sees.
///
/// The view belongs to the client's place in the room. It stays when the members enter the room again without a new
/// connection, and ends when the client leaves.
extension Edge {
    private static let viewKeys = JSONKeys("roomId", "x", "y", "width", "height")

    func setView(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.viewKeys, arguments)
        guard let membership = client.membership(fields[0], in: arguments) else { throw notJoined(fields[0]) }
        let room = membership.room
        let area = try area(fields, arguments)
        guard let told = room.setView(of: client, area) else { throw notJoined(fields[0]) }
        guard tellView(told, of: client, in: room) else {
            // The home goes on with the view before, and so does the client.
            _ = room.setView(of: client, client.views[room.id] ?? .everything)
            throw Self.overwhelmed
        }
        client.views[room.id] = area
        var members: [UInt8] = []
        JSONWriter.write(into: &members) { json in
            json.beginObject()
            json.member("x", told.x)
            json.member("y", told.y)
            json.member("width", told.width)
            json.member("height", told.height)
            json.endObject()
        }
        accept(client, call, Array(",\"view\":".utf8) + members)
        room.deliver(to: client)
    }

    /// A client has entered the room again without a new connection.
    func restoreView(of client: RelayClient, in room: LocalRoom) {
        guard let area = client.views[room.id], let told = room.setView(of: client, area) else { return }
        _ = tellView(told, of: client, in: room, insists: true)
    }

    /// Another node that is home to the room tells this one only what its members see.
    private func tellView(
        _ told: ViewArea, of client: RelayClient, in room: LocalRoom, insists: Bool = false
    ) -> Bool {
        guard hub.cluster != nil else { return true }
        return tellHome(of: room.id, .view(client.id, told), insists: insists)
    }

    /// Without any of its members the area is everything.
    private func area(_ fields: JSONFields, _ arguments: Span<UInt8>) throws(RoomError) -> ViewArea {
        if (1...4).allSatisfy({ fields[$0].isAbsent }) { return .everything }
        return ViewArea(
            x: try number(fields[1], "x", arguments), y: try number(fields[2], "y", arguments),
            width: try length(fields[3], "width", arguments), height: try length(fields[4], "height", arguments))
    }

    private func number(_ field: JSONField, _ name: String, _ arguments: Span<UInt8>) throws(RoomError) -> Double {
        try EventFields.checkNumber(field, name, limits: configuration.room)
        guard let number = field.double(in: arguments), abs(number) <= ViewArea.numberMax else {
            throw EventFields.invalid(name, "must be from -1e15 to 1e15.")
        }
        return number
    }

    private func length(_ field: JSONField, _ name: String, _ arguments: Span<UInt8>) throws(RoomError) -> Double {
        let length = try number(field, name, arguments)
        guard length > 0 else { throw EventFields.invalid(name, "must be more than 0.") }
        return length
    }
}
