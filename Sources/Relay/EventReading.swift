import Rooms
import Wire

/// Reads the one object that a client's event carries, and names the field that is wrong.
struct EventFields {
    let keys: [String]
    let fields: JSONFields

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

    /// A string that may be the id of something.
    static func id(
        _ field: JSONField, _ name: String, _ bytes: Span<UInt8>, limits: RoomLimits
    ) throws(RoomError) -> String {
        guard field.kind == .string else { throw invalid(name, "must be a string.") }
        guard (1...limits.idBytesMax).contains(field.content.count), let text = field.string(in: bytes) else {
            throw invalid(name, "must have 1 to \(limits.idBytesMax) bytes.")
        }
        return text
    }

    static func checkNumber(_ field: JSONField, _ name: String) throws(RoomError) {
        guard field.kind == .number else { throw invalid(name, "must be a finite number.") }
    }
}
