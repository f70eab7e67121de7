import Rooms
import Wire

/// Reads the object that a client's event carries, and names a wrong field.
enum EventFields {
    static func invalid(_ field: String, _ what: String) -> RoomError {
        var details: [UInt8] = []
        JSONWriter.write(into: &details) { json in
            json.beginObject()
            json.member("field", field)
            json.endObject()
        }
        return RoomError(.validation, "\(field) \(what)", details: details)
    }

    static func read(_ keys: JSONKeys, _ arguments: Span<UInt8>) throws(RoomError) -> JSONFields {
        do {
            return try JSON.fields(keys, of: arguments)
        } catch {
            throw RoomError(.validation, "The event's argument must be one object: \(error.description)")
        }
    }

    /// A string that may be an id.
    static func id(
        _ field: JSONField, _ name: String, _ bytes: Span<UInt8>, limits: RoomLimits
    ) throws(RoomError) -> String {
        guard field.kind == .string else { throw invalid(name, "must be a string.") }
        guard field.content.count > 0, fits(field, bytes, limits.idBytesMax), let text = field.string(in: bytes) else {
            throw invalid(name, "must have 1 to \(limits.idBytesMax) bytes.")
        }
        return text
    }

    /// Whether a string has at most so many bytes when it is unescaped.
    static func fits(_ field: JSONField, _ bytes: Span<UInt8>, _ bytesMax: Int) -> Bool {
        if field.content.count <= bytesMax { return true }
        // An escape sequence has at most six bytes for one.
        guard field.hasEscapes, field.content.count <= 6 * bytesMax, let text = field.utf8(in: bytes) else {
            return false
        }
        return text.count <= bytesMax
    }

    static func checkNumber(_ field: JSONField, _ name: String, limits: RoomLimits) throws(RoomError) {
        guard field.kind == .number else { throw invalid(name, "must be a finite number.") }
        guard field.range.count <= limits.numberBytesMax else {
            throw invalid(name, "must have at most \(limits.numberBytesMax) characters.")
        }
    }
}
