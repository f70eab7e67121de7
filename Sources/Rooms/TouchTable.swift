import Wire

/// The newest position of each participant, as the frame that tells the others of it. A new position overwrites the old
/// one; nothing is queued.
struct TouchTable {
    private struct Row {
        /// `42["touch:moved",{"roomId":…,"userId":…,`: what is the same for each position of this participant.
        var head: [UInt8] = []
        var frame: [UInt8] = []
        var isActive = false
        var isChanged = false
    }

    private var rows: [Row] = []
    private var changed: [Int] = []
    private var ended: [Int] = []

    var isDirty: Bool { !changed.isEmpty || !ended.isEmpty }

    /// Prepares the row of a participant who has come.
    mutating func open(_ slot: Int, roomJSON: [UInt8], userJSON: [UInt8]) {
        while rows.count <= slot { rows.append(Row()) }
        var head = Array(#"42["touch:moved",{"roomId":"#.utf8)
        head.append(contentsOf: roomJSON)
        head.append(contentsOf: #","userId":"#.utf8)
        head.append(contentsOf: userJSON)
        head.append(contentsOf: #","x":"#.utf8)
        rows[slot] = Row(head: head)
    }

    /// Overwrites a participant's position. The spans are checked JSON: two numbers, and a string or nothing.
    mutating func move(_ slot: Int, x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>) {
        let length =
            rows[slot].head.count + x.count + 5 + y.count + (elementID.count > 0 ? 13 + elementID.count : 0) + 2
        rows[slot].frame.removeAll(keepingCapacity: true)
        WebSocketFrame.appendHeader(opcode: .text, payloadLength: length, into: &rows[slot].frame)
        rows[slot].frame.append(contentsOf: rows[slot].head)
        x.withUnsafeBufferPointer { rows[slot].frame.append(contentsOf: $0) }
        Self.append(",\"y\":", to: &rows[slot].frame)
        y.withUnsafeBufferPointer { rows[slot].frame.append(contentsOf: $0) }
        if elementID.count > 0 {
            Self.append(",\"elementId\":", to: &rows[slot].frame)
            elementID.withUnsafeBufferPointer { rows[slot].frame.append(contentsOf: $0) }
        }
        Self.append("}]", to: &rows[slot].frame)
        rows[slot].isActive = true
        if !rows[slot].isChanged {
            rows[slot].isChanged = true
            changed.append(slot)
        }
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Ends a participant's touch. The answer is the frame of its last position, for the log; nil when there was none.
    mutating func end(_ slot: Int) -> [UInt8]? {
        guard rows.indices.contains(slot), rows[slot].isActive else { return nil }
        rows[slot].isActive = false
        rows[slot].isChanged = false
        ended.append(slot)
        return rows[slot].frame
    }

    /// What has changed since the last call.
    mutating func takeChanges() -> (ended: [Int], touches: [RoomDelta.Touch], frames: [UInt8]) {
        var touches: [RoomDelta.Touch] = []
        var frames: [UInt8] = []
        touches.reserveCapacity(changed.count)
        for slot in changed where rows[slot].isChanged {
            rows[slot].isChanged = false
            let start = frames.count
            frames.append(contentsOf: rows[slot].frame)
            touches.append(RoomDelta.Touch(slot: slot, frame: start..<frames.count))
        }
        changed.removeAll(keepingCapacity: true)
        let ended = ended
        self.ended = []
        return (ended, touches, frames)
    }

    /// The positions of all who are touching, for a shard that has not seen this room before.
    func current() -> (touches: [RoomDelta.Touch], frames: [UInt8]) {
        var touches: [RoomDelta.Touch] = []
        var frames: [UInt8] = []
        for slot in rows.indices where rows[slot].isActive {
            let start = frames.count
            frames.append(contentsOf: rows[slot].frame)
            touches.append(RoomDelta.Touch(slot: slot, frame: start..<frames.count))
        }
        return (touches, frames)
    }
}
