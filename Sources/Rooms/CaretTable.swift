import Wire

/// Where a participant writes: a place in the text of an element.
package struct Caret: Sendable, Equatable {
    package let elementID: String
    /// In UTF-16 units from the beginning of the text.
    package let position: Int
    /// The other end of what is selected, if anything is.
    package let anchor: Int?
    /// The version of the element whose text the places are of, if the client says it.
    package let version: Int?

    package init(elementID: String, position: Int, anchor: Int? = nil, version: Int? = nil) {
        self.elementID = elementID
        self.position = position
        self.anchor = anchor
        self.version = version
    }
}

/// The newest caret of each participant, as the frame for members that take edits. As with touches, a new one overwrites the
/// old one and nothing is queued.
struct CaretTable {
    private struct Row {
        /// The connection that writes; nil when the participant does not write.
        var writer: ConnectionID?
        var frame: [UInt8] = []
        var isChanged = false
    }

    private var rows: [Int: Row] = [:]
    private var changed: [Int] = []

    var isDirty: Bool { !changed.isEmpty }

    func isWriter(_ connection: ConnectionID, of slot: Int) -> Bool { rows[slot]?.writer == connection }

    mutating func set(
        _ slot: Int, _ caret: Caret, by writer: ConnectionID, roomJSON: [UInt8], userJSON: [UInt8]
    ) {
        change(slot, writer, Self.frame(caret, roomJSON, userJSON))
    }

    mutating func end(_ slot: Int, roomJSON: [UInt8], userJSON: [UInt8]) {
        change(slot, nil, Self.frame(nil, roomJSON, userJSON))
    }

    private mutating func change(_ slot: Int, _ writer: ConnectionID?, _ frame: [UInt8]) {
        let wasChanged = rows[slot]?.isChanged == true
        rows[slot] = Row(writer: writer, frame: frame, isChanged: true)
        if !wasChanged { changed.append(slot) }
    }

    /// The carets that changed since the last call.
    mutating func takeChanges() -> [RoomDelta.Caret] {
        defer { changed = [] }
        return changed.compactMap { slot in
            guard let row = rows[slot] else { return nil }
            if row.writer == nil { rows[slot] = nil } else { rows[slot]?.isChanged = false }
            return RoomDelta.Caret(slot: slot, frame: row.frame, isEnd: row.writer == nil)
        }
    }

    /// All carets.
    var current: [RoomDelta.Caret] {
        rows.keys.sorted().compactMap { slot in
            rows[slot].map { RoomDelta.Caret(slot: slot, frame: $0.frame, isEnd: false) }
        }
    }

    // MARK: As a part of a flight

    private static let slotsMax = 1 << 20

    /// - Precondition: no caret waits for the next tick.
    func write(to record: inout RecordWriter) {
        record.put(rows.sorted { $0.key < $1.key }) { row, record in
            record.put(row.key)
            record.put(row.value.writer) { $1.put($0) }
            record.put(row.value.frame)
        }
    }

    private static func frame(_ caret: Caret?, _ roomJSON: [UInt8], _ userJSON: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        EventFrame.append("element:caret", to: &frame) { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: roomJSON)
            bytes.append(contentsOf: #","userId":"#.utf8)
            bytes.append(contentsOf: userJSON)
            bytes.append(contentsOf: #","elementId":"#.utf8)
            if let caret {
                bytes.appendJSONString(caret.elementID.utf8.span)
                for (name, value) in [
                    ("position", caret.position), ("anchor", caret.anchor), ("version", caret.version),
                ] {
                    if let value { bytes.append(contentsOf: ",\"\(name)\":\(value)".utf8) }
                }
            } else {
                bytes.append(contentsOf: "null".utf8)
            }
            bytes.append(UInt8(ascii: "}"))
        }
        return frame
    }
}

extension CaretTable: Recordable {
    init(from record: inout RecordReader) throws(RecordFault) {
        let rows = try record.list { record throws(RecordFault) in
            let slot = try record.int(upTo: Self.slotsMax)
            let writer = try record.optional { record throws(RecordFault) in try ConnectionID(from: &record) }
            return (slot, Row(writer: writer, frame: try record.blob()))
        }
        self.rows = Dictionary(rows) { $1 }
    }
}

extension Room {
    /// Overwrites a participant's caret; nil ends it. A caret in an element that does not exist any more is none.
    package mutating func setCaret(_ caret: Caret?, of connection: ConnectionID) throws(RoomError) {
        flight?.note(.setCaret(caret, connection))
        let slot = try slot(of: connection)
        guard let caret, elements[caret.elementID] != nil else {
            if carets.isWriter(connection, of: slot) { endCaret(slot) }
            return
        }
        guard let participant = slots[slot] else { return }
        carets.set(slot, caret, by: connection, roomJSON: idJSON, userJSON: participant.idJSON)
    }

    mutating func endCaret(_ slot: Int) {
        guard let participant = slots[slot] else { return }
        carets.end(slot, roomJSON: idJSON, userJSON: participant.idJSON)
    }
}
