import Rooms
import Wire

/// Changes of texts in events.
extension SimulatedEvent {
    static func changes(_ argument: JSONReader) -> TextEdit? {
        guard let json = argument["changes"]?.json else { return nil }
        return TextEdit(json: json.span, 0..<json.count, unitsMax: 1 << 20)
    }

    /// For a planted bug: the frame of an edit that inserts one place too early; nil for another frame.
    static func misplaced(_ frame: [UInt8]) -> [UInt8]? {
        guard let text = FrameTexts(frame).map({ Array(frame[$0]) }).last, begins(text, "2[\"element:edited\"") else {
            return nil
        }
        let key = Array("\"changes\":".utf8)
        guard let event = try? JSONReader(Array(text[1...])), let old = event.items?[1]["changes"]?.json,
            let edit = TextEdit(json: old.span, 0..<old.count, unitsMax: 1 << 20),
            let place = text.indices.first(where: { text[$0...].starts(with: key) })
        else { return nil }
        var (parts, isMoved) = (edit.parts, false)
        for index in parts.indices.dropFirst() {
            guard case .insert = parts[index], case .keep(let count) = parts[index - 1], count > 1 else { continue }
            parts[index - 1] = TextEdit.Part.keep(count - 1)
            parts.insert(TextEdit.Part.keep(1), at: index + 1)
            isMoved = true
            break
        }
        guard isMoved else { return nil }
        var json: [UInt8] = []
        TextEdit(parts).appendJSON(to: &json)
        var changed = text
        changed.replaceSubrange(place + key.count..<place + key.count + old.count, with: json)
        var result: [UInt8] = []
        WebSocketFrame.append(text: (Array("4".utf8) + changed).span, into: &result)
        return result
    }
}
