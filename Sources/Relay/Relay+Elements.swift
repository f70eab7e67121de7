import Rooms
import Sessions
import Transport
import Wire

extension Relay {
    private static let createKeys = JSONKeys(
        "positionX", "positionY", "width", "height", "content", "imageUrl", "audioUrl", "duration", "roomId", "type",
        "clientId")
    private static let updateKeys = JSONKeys(
        "positionX", "positionY", "width", "height", "content", "imageUrl", "audioUrl", "duration", "roomId",
        "elementId", "version")
    private static let deleteKeys = JSONKeys("roomId", "elementId")

    func createElement(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.createKeys, arguments)
        guard let membership = client.membership(fields[8], in: arguments) else { throw notJoined(fields[8]) }
        guard let kind = fields[9].string(in: arguments).flatMap(Element.Kind.init(rawValue:)) else {
            throw EventFields.invalid("type", "must be one of note, photo, audio.")
        }
        var values = Element.noValues
        for field in Element.Field.allCases {
            let value = try elementValue(fields[field.rawValue], field, arguments)
            guard value?.isEmpty == false || !field.isRequired else {
                throw EventFields.invalid("\(field)", "is missing.")
            }
            values[field.rawValue] = value ?? []
        }
        var clientID: String?
        if !fields[10].isAbsent, !fields[10].isNull {
            clientID = try EventFields.id(fields[10], "clientId", arguments, limits: configuration.room)
        }
        let creation = Room.Creation(kind: kind, values: values, clientID: clientID)
        change(client, membership.room, .elementCreate, call) { (relay, home, connection) throws(RoomError) in
            let element = try home.room.create(
                creation, by: connection, newID: RandomID.make(), at: relay.now)
            return relay.member("element", element, home)
        }
    }

    func updateElement(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.updateKeys, arguments)
        guard let membership = client.membership(fields[8], in: arguments) else { throw notJoined(fields[8]) }
        let id = try EventFields.id(fields[9], "elementId", arguments, limits: configuration.room)
        var changes: [[UInt8]?] = []
        for field in Element.Field.allCases {
            changes.append(try elementValue(fields[field.rawValue], field, arguments))
        }
        guard changes.contains(where: { $0 != nil }) else {
            throw RoomError(.validation, "The event changes nothing.")
        }
        var version: Int?
        if !fields[10].isAbsent, !fields[10].isNull {
            guard let number = fields[10].int(in: arguments), number > 0 else {
                throw EventFields.invalid("version", "must be a positive integer.")
            }
            version = number
        }
        let (values, expected) = (changes, version)
        change(client, membership.room, .elementUpdate, call) { (relay, home, connection) throws(RoomError) in
            let element = try home.room.update(id, values, version: expected, by: connection, at: relay.now)
            return relay.member("element", element, home)
        }
    }

    func deleteElement(_ client: RelayClient, _ arguments: Span<UInt8>, _ call: SocketCall) throws(RoomError) {
        let fields = try EventFields.read(Self.deleteKeys, arguments)
        guard let membership = client.membership(fields[0], in: arguments) else { throw notJoined(fields[0]) }
        let id = try EventFields.id(fields[1], "elementId", arguments, limits: configuration.room)
        change(client, membership.room, .elementDelete, call) { (_, home, connection) throws(RoomError) in
            Array(",\"version\":\(try home.room.delete(id, by: connection))".utf8)
        }
    }
}

extension Relay {
    /// Changes a room's elements on its home shard and answers the client with what the change gives.
    private func change(
        _ client: RelayClient, _ room: LocalRoom, _ event: ClientEvent, _ call: SocketCall,
        _ change: @escaping @Sendable (Relay, HomeRoom, ConnectionID) throws(RoomError) -> [UInt8]
    ) {
        let connection = client.id
        atHome(room.id) { relay, home in
            do throws(RoomError) {
                guard let home else { throw RoomError(.notFound, "The room is closed.") }
                try relay.checkTakesChanges(home)
                let members = try change(relay, home, connection)
                relay.changed(home)
                relay.acceptStored(connection, home, event, call, members)
            } catch {
                relay.atClient(connection) { $0.refuse($1, event.rawValue, error, call) }
            }
        }
    }

    private func member(_ name: String, _ element: Element, _ home: HomeRoom) -> [UInt8] {
        var bytes = Array(",\"\(name)\":".utf8)
        element.append(roomJSON: home.room.idJSON, to: &bytes)
        return bytes
    }

    /// The value of an element's field as JSON; nil when the event does not have it, empty when it takes it away.
    private func elementValue(
        _ value: JSONField, _ field: Element.Field, _ bytes: Span<UInt8>
    ) throws(RoomError) -> [UInt8]? {
        if value.isAbsent { return nil }
        if value.isNull, !field.isRequired { return [] }
        switch field {
        case .positionX, .positionY: try EventFields.checkNumber(value, "\(field)", limits: configuration.room)
        case .width, .height, .duration:
            try EventFields.checkNumber(value, "\(field)", limits: configuration.room)
            guard let number = value.double(in: bytes), number >= 0 else {
                throw EventFields.invalid("\(field)", "must not be negative.")
            }
        case .content: try checkContent(value, bytes)
        case .imageUrl, .audioUrl: try checkURL(value, "\(field)", bytes)
        }
        return bytes.extracting(value.range).withUnsafeBufferPointer { Array($0) }
    }

    private func checkContent(_ value: JSONField, _ bytes: Span<UInt8>) throws(RoomError) {
        guard let text = value.string(in: bytes) else { throw EventFields.invalid("content", "must be a string.") }
        let most = configuration.room.contentCharactersMax
        guard text.unicodeScalars.count <= most else {
            throw RoomError(
                .payloadTooLarge, "content must have at most \(most) characters.",
                details: EventFields.invalid("content", "").details)
        }
    }

    private func checkURL(_ value: JSONField, _ name: String, _ bytes: Span<UInt8>) throws(RoomError) {
        guard let text = value.string(in: bytes) else { throw EventFields.invalid(name, "must be a string.") }
        let most = configuration.room.urlBytesMax
        guard text.utf8.count <= most, text.hasPrefix("https://") || text.hasPrefix("http://"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { throw EventFields.invalid(name, "must be an http or https URL of at most \(most) bytes.") }
    }
}

/// Ids that nobody guesses and nobody makes twice.
public enum RandomID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// 120 random bits as 20 characters.
    public static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        var text = ""
        for _ in 0..<2 {
            var bits = generator.next()
            for _ in 0..<10 {
                text.unicodeScalars.append(Unicode.Scalar(alphabet[Int(bits & 63)]))
                bits >>= 6
            }
        }
        return text
    }
}
