import Rooms
import Store

/// The log of a trial's room. The content of an entry follows from its number, so a later check knows the expected
/// entries.
enum TrialLog {
    /// Some rooms have short entries and some have long ones.
    static func entry(_ seq: UInt64, room: Int) -> JournalEntry {
        let padding = String(repeating: "x", count: Int(seq % 7) * (room % 3) * 100)
        let json = Array(#"{"room":\#(room),"seq":\#(seq),"padding":"\#(padding)"}"#.utf8)
        return JournalEntry(seq: seq, kind: "trial", json: json, at: Int64(1_000_000 + seq), effect: effect(seq, room))
    }

    /// Of six entries two make an element, one changes the first, one deletes the second, one changes the first again.
    private static func effect(_ seq: UInt64, _ room: Int) -> LogRecord.Effect {
        let round = (seq - 1) / 6
        switch (seq - 1) % 6 {
        case 0: return .created(element(round, "a", seq, version: 1), creation: "c\(seq)")
        case 1: return .created(element(round, "b", seq, version: 1), creation: "c\(seq)")
        case 2: return .updated(element(round, "a", seq, version: 2))
        case 3: return .deleted(id: "b\(round)", version: 2)
        case 4: return .updated(element(round, "a", seq, version: 3))
        default: return .none
        }
    }

    private static func element(_ round: UInt64, _ letter: String, _ seq: UInt64, version: Int) -> Element {
        var values = Element.noValues
        for field in Element.Field.allCases where field.isRequired { values[field.rawValue] = Array("\(seq)".utf8) }
        return Element(
            stored: "\(letter)\(round)", kind: .note, createdBy: Array("\"ann\"".utf8), createdAt: Int64(round),
            values: values, version: version, updatedAt: version == 1 ? nil : Int64(seq),
            updatedBy: version == 1 ? [] : Array("\"bob\"".utf8))
    }

    /// The elements after a number, as they have to be stored.
    static func elements(after seq: UInt64, room: Int) -> [StoredElement] {
        var living: [StoredElement] = []
        guard seq > 0 else { return [] }
        for number in 1...seq {
            switch effect(number, room) {
            case .created(let element, let creation):
                living.append(StoredElement(element: element, creation: creation, seq: number))
            case .updated(let element):
                guard let index = living.lastIndex(where: { $0.element.id == element.id }) else { continue }
                living[index] = StoredElement(element: element, creation: living[index].creation, seq: number)
            case .deleted(let id, _): living.removeAll { $0.element.id == id }
            case .none, .came, .left, .closed: break
            }
        }
        return living
    }
}
