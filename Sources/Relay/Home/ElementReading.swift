import Rooms
import Wire

/// Reads a change of an element from an event's argument or a request's body, and names a wrong field.
struct ElementReading {
    /// Places among the keys: those of an element's fields (`Element.Field`) come first, then these.
    enum CreatePlace {
        static let roomID = 10
        static let type = 11
        static let clientID = 12
    }

    enum UpdatePlace {
        static let roomID = 10
        static let elementID = 11
        static let version = 12
        static let baseVersion = 13
    }

    enum EditPlace {
        static let roomID = 0
        static let elementID = 1
        static let version = 2
        static let changes = 3
        static let clientID = 4
    }

    enum DeletePlace {
        static let roomID = 0
        static let elementID = 1
        static let version = 2
    }

    static let createKeys = JSONKeys(
        "positionX", "positionY", "width", "height", "content", "imageUrl", "audioUrl", "duration", "z", "color",
        "roomId",
        "type", "clientId")
    static let updateKeys = JSONKeys(
        "positionX", "positionY", "width", "height", "content", "imageUrl", "audioUrl", "duration", "z", "color",
        "roomId",
        "elementId", "version", "baseVersion")
    static let editKeys = JSONKeys("roomId", "elementId", "version", "changes", "clientId")
    static let deleteKeys = JSONKeys("roomId", "elementId", "version")

    let limits: RoomLimits

    /// - Parameter fields: those of `createKeys`.
    func creation(_ fields: JSONFields, _ bytes: Span<UInt8>) throws(RoomError) -> Room.Creation {
        guard let kind = fields[CreatePlace.type].string(in: bytes).flatMap(Element.Kind.init(rawValue:)) else {
            throw EventFields.invalid("type", "must be one of note, photo, audio.")
        }
        var values = Element.noValues
        for field in Element.Field.allCases {
            let value = try elementValue(fields[field.rawValue], field, bytes)
            guard value?.isEmpty == false || !field.isRequired else {
                throw EventFields.invalid("\(field)", "is missing.")
            }
            values[field.rawValue] = value ?? []
        }
        let clientID = try self.clientID(fields[CreatePlace.clientID], bytes)
        return Room.Creation(kind: kind, values: values, clientID: clientID)
    }

    /// - Parameter fields: those of `editKeys`.
    func edit(of id: String, _ fields: JSONFields, _ bytes: Span<UInt8>) throws(RoomError) -> Room.Edit {
        guard let version = try version(fields[EditPlace.version], "version", bytes) else {
            throw EventFields.invalid("version", "is missing.")
        }
        let changes = fields[EditPlace.changes]
        // A character has at most two units.
        guard changes.kind == .array,
            let edit = TextEdit(json: bytes, changes.range, unitsMax: 2 * limits.contentCharactersMax)
        else {
            throw EventFields.invalid(
                "changes",
                "must be an array of at most \(TextEdit.partsMax) integers, which are not 0, and texts, which are not empty."
            )
        }
        for case .insert(let units) in edit.parts { try checkCharacters(units, "changes") }
        let clientID = try self.clientID(fields[EditPlace.clientID], bytes)
        return Room.Edit(elementID: id, version: version, changes: edit, clientID: clientID)
    }

    private func clientID(_ field: JSONField, _ bytes: Span<UInt8>) throws(RoomError) -> String? {
        if field.isAbsent || field.isNull { return nil }
        return try EventFields.id(field, "clientId", bytes, limits: limits)
    }

    func version(_ field: JSONField, _ name: String, _ bytes: Span<UInt8>) throws(RoomError) -> Int? {
        if field.isAbsent || field.isNull { return nil }
        guard let number = field.int(in: bytes), number > 0 else {
            throw EventFields.invalid(name, "must be a positive integer.")
        }
        return number
    }

    /// - Parameter fields: those of `updateKeys`.
    func update(of id: String, _ fields: JSONFields, _ bytes: Span<UInt8>) throws(RoomError) -> ElementRequest {
        var changes: [[UInt8]?] = []
        for field in Element.Field.allCases {
            changes.append(try elementValue(fields[field.rawValue], field, bytes))
        }
        guard changes.contains(where: { $0 != nil }) else {
            throw RoomError(.validation, "There is nothing to change.")
        }
        let version = try version(fields[UpdatePlace.version], "version", bytes)
        let baseVersion = try self.version(fields[UpdatePlace.baseVersion], "baseVersion", bytes)
        return .update(id, changes, version: version, baseVersion: baseVersion)
    }

    /// The value of an element's field as JSON; nil when the event does not have it, empty when the event removes it.
    private func elementValue(
        _ value: JSONField, _ field: Element.Field, _ bytes: Span<UInt8>
    ) throws(RoomError) -> [UInt8]? {
        if value.isAbsent { return nil }
        if value.isNull, !field.isRequired { return [] }
        switch field {
        case .positionX, .positionY, .z: try EventFields.checkNumber(value, "\(field)", limits: limits)
        case .width, .height, .duration:
            try EventFields.checkNumber(value, "\(field)", limits: limits)
            guard let number = value.double(in: bytes), number >= 0 else {
                throw EventFields.invalid("\(field)", "must not be negative.")
            }
        case .content: try checkContent(value, bytes)
        case .imageUrl, .audioUrl: try checkURL(value, "\(field)", bytes)
        case .color: try checkColor(value, bytes)
        }
        return bytes.extracting(value.range).withUnsafeBufferPointer { Array($0) }
    }

    private func checkContent(_ value: JSONField, _ bytes: Span<UInt8>) throws(RoomError) {
        guard let text = value.string(in: bytes) else { throw EventFields.invalid("content", "must be a string.") }
        try checkCharacters(text.utf16, "content")
        let most = limits.contentCharactersMax
        guard text.unicodeScalars.count <= most else {
            throw RoomError(
                .payloadTooLarge, "content must have at most \(most) characters.",
                details: EventFields.invalid("content", "").details)
        }
    }

    private func checkCharacters(_ units: some Sequence<UInt16>, _ name: String) throws(RoomError) {
        if let unfit = UnfitCharacter(in: units) { throw EventFields.invalid(name, "must not have \(unfit).") }
    }

    private func checkColor(_ value: JSONField, _ bytes: Span<UInt8>) throws(RoomError) {
        let text = value.string(in: bytes) ?? ""
        guard text.utf8.count == 7, text.utf8.first == UInt8(ascii: "#"),
            text.utf8.dropFirst().allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
        else { throw EventFields.invalid("color", "must be # and six hexadecimal digits.") }
    }

    private func checkURL(_ value: JSONField, _ name: String, _ bytes: Span<UInt8>) throws(RoomError) {
        guard let text = value.string(in: bytes) else { throw EventFields.invalid(name, "must be a string.") }
        let most = limits.urlBytesMax
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
        guard let scheme, text.utf8.count > scheme.utf8.count, text.utf8.count <= most,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { throw EventFields.invalid(name, "must be an http or https URL of at most \(most) bytes.") }
    }
}
