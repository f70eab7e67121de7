import Wire

/// What a member is told that is behind.
extension RoomReplica {
    /// The carets that came after a member's tick. One that has just come need not know who has ceased to write.
    func appendCarets(after tick: UInt64, to bytes: inout [UInt8]) {
        guard caretAt > tick else { return }
        for slot in carets.keys.sorted() {
            guard let row = carets[slot], row.at > tick, tick > 0 || !row.caret.isEnd else { continue }
            bytes.append(contentsOf: row.caret.frame)
        }
    }

    /// All positions that came after a tick, as one `touch:tick`; nothing when there are none.
    func appendTick(_ decimals: Int, after tick: UInt64, to bytes: inout [UInt8]) {
        let slots = rows.indices.filter { rows[$0].touchedAt > tick }
        guard !slots.isEmpty, let stream = streams.first(where: { $0.decimals == decimals }) else { return }
        stream.append(slots, self.tick, interval: interval, to: &bytes)
    }

    /// All positions that came after a tick, as one `touch:batch`; nothing when there are none.
    func appendBatch(after tick: UInt64, to bytes: inout [UInt8]) {
        guard rows.contains(where: { $0.touchedAt > tick }) else { return }
        EventFrame.append("touch:batch", to: &bytes) { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: roomJSON)
            bytes.append(contentsOf: #","tick":"#.utf8)
            bytes.append(contentsOf: String(self.tick).utf8)
            bytes.append(contentsOf: #","touches":["#.utf8)
            var isFirst = true
            for slot in rows.indices where rows[slot].touchedAt > tick {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                rows[slot].appendTuple(slot, to: &bytes)
            }
            bytes.append(contentsOf: "]}".utf8)
        }
    }
}
