import Wire

/// The newest position of each participant, as the frame for the others. A new position overwrites the old one; nothing
/// is queued.
struct TouchTable: Recordable {
    private var rows: [TouchRow] = []
    /// The connection that moved last, by slot.
    private var movers: [ConnectionID?] = []
    /// Touches of connections that have come later than the mover, whose touch is seen in their place. They are seen again
    /// after that one. By slot; few participants have any.
    private var hidden: [Int: [TouchPosition]] = [:]
    private var changed: [Int] = []
    private var ended: [Int] = []

    var isDirty: Bool { !changed.isEmpty || !ended.isEmpty }

    /// A new participant has got the slot.
    mutating func clear(_ slot: Int) {
        guard slot < rows.count else { return }
        rows[slot] = TouchRow()
        movers[slot] = nil
        hidden[slot] = nil
    }

    /// Whether the participant has a row. A participant who has only watched so far has none.
    @inline(__always)
    func isOpen(_ slot: Int) -> Bool { slot < rows.count && rows[slot].isOpen }

    /// Prepares the row of a participant who moves for the first time.
    mutating func open(_ slot: Int, roomJSON: [UInt8], userJSON: [UInt8]) {
        while rows.count <= slot {
            rows.append(TouchRow())
            movers.append(nil)
        }
        rows[slot] = TouchRow(roomJSON: roomJSON, userJSON: userJSON)
    }

    /// Overwrites a participant's position. The spans are checked JSON: two numbers, and a string or nothing.
    mutating func move(
        _ slot: Int, x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>
    ) {
        if rows[slot].write(x: x, y: y, elementID: elementID) { changed.append(slot) }
    }

    /// Another connection of the participant is about to move.
    ///
    /// - Parameter later: those that have come later. Their touches go on; that of an earlier one is replaced.
    mutating func setMover(of slot: Int, to mover: ConnectionID, hiding later: ArraySlice<ConnectionID>) {
        let touches = (hidden[slot] ?? []) + (position(slot).map { [$0] } ?? [])
        setHidden(touches.filter { later.contains($0.mover) }, of: slot)
        movers[slot] = mover
    }

    private mutating func setHidden(_ touches: [TouchPosition], of slot: Int) {
        hidden[slot] = touches.isEmpty ? nil : touches
    }

    /// Whether this connection was the last that moved the participant. A connection that has left was not.
    func isMover(_ connection: ConnectionID, of slot: Int) -> Bool {
        slot >= 0 && slot < movers.count && movers[slot] == connection
    }

    func isActive(_ slot: Int) -> Bool { rows.indices.contains(slot) && rows[slot].isActive }

    mutating func forgetMover(of slot: Int) {
        if slot < movers.count { movers[slot] = nil }
    }

    /// Ends a participant's touch on all connections. Returns the frame of its last position, for the log; nil if there is
    /// none.
    mutating func end(_ slot: Int) -> [UInt8]? {
        hidden[slot] = nil
        return endSeen(slot)
    }

    /// Ends the touch of one connection. Returns the frame of its last position, for the log; nil if it is not the one that is
    /// seen.
    mutating func end(_ slot: Int, of connection: ConnectionID) -> [UInt8]? {
        guard isMover(connection, of: slot) else {
            setHidden(hidden[slot]?.filter { $0.mover != connection } ?? [], of: slot)
            return nil
        }
        return endSeen(slot)
    }

    /// The mover's touch may have ended. Then the newest one that it hid is seen again.
    mutating func showHidden(_ slot: Int) {
        guard !isActive(slot), var touches = hidden[slot], let last = touches.popLast() else { return }
        setHidden(touches, of: slot)
        movers[slot] = last.mover
        move(slot, x: last.x.span, y: last.y.span, elementID: last.elementID.span)
    }

    /// Connections of a participant whose touches are hidden.
    func hiddenMovers(of slot: Int) -> [ConnectionID] { hidden[slot]?.map(\.mover) ?? [] }

    private mutating func endSeen(_ slot: Int) -> [UInt8]? {
        guard isActive(slot) else { return nil }
        rows[slot].isActive = false
        rows[slot].isChanged = false
        ended.append(slot)
        var frame: [UInt8] = []
        rows[slot].append(to: &frame)
        return frame
    }

    /// The changes since the last call. Their frames are appended.
    mutating func takeChanges(into frames: inout [UInt8]) -> (ended: [Int], touches: [RoomDelta.Touch]) {
        var touches: [RoomDelta.Touch] = []
        touches.reserveCapacity(changed.count)
        frames.reserveCapacity(frames.count + changed.reduce(0) { $0 + rows[$1].frameCount })
        for slot in changed where rows[slot].isChanged { touches.append(rows[slot].takeTouch(slot, into: &frames)) }
        changed.removeAll(keepingCapacity: true)
        let ended = ended
        self.ended = []
        return (ended, touches)
    }

    /// Appends the positions in the form of `touch:batch`, with commas between them, for operators.
    func appendTuples(max: Int, to bytes: inout [UInt8]) {
        var isFirst = true
        for slot in rows.indices.filter({ rows[$0].isActive }).prefix(max) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            rows[slot].appendTuple(slot, to: &bytes)
        }
    }

    /// The current position of each connection that is touching.
    var positions: [TouchPosition] { rows.indices.compactMap(position) + hidden.values.flatMap(\.self) }

    /// The touch of one connection, seen or hidden.
    func touch(_ slot: Int, of connection: ConnectionID) -> TouchPosition? {
        if isMover(connection, of: slot) { return position(slot) }
        return hidden[slot]?.first { $0.mover == connection }
    }

    func position(_ slot: Int) -> TouchPosition? {
        guard isActive(slot), let mover = movers[slot] else { return nil }
        let (x, y, elementID) = rows[slot].values
        return TouchPosition(mover: mover, slot: slot, x: x, y: y, elementID: elementID)
    }

    /// Of those who are touching.
    var activeSlots: Set<Int> { Set(rows.indices.filter { rows[$0].isActive }) }

    init() {}

    /// For a flight. No position waits for the next tick.
    func write(to record: inout RecordWriter) {
        record.put(rows)
        record.put(movers) { mover, record in record.put(mover) { $1.put($0) } }
        record.put(hidden.sorted { $0.key < $1.key }.flatMap(\.value))
    }

    init(from record: inout RecordReader) throws(RecordFault) {
        rows = try record.values()
        movers = try record.list { record throws(RecordFault) in
            try record.optional { record throws(RecordFault) in try ConnectionID(from: &record) }
        }
        let others: [TouchPosition] = try record.values()
        guard movers.count == rows.count, others.allSatisfy({ rows.indices.contains($0.slot) }) else {
            throw RecordFault()
        }
        hidden = Dictionary(grouping: others, by: \.slot)
    }

    /// All current positions, for a shard that begins a replica of this room.
    func current(into frames: inout [UInt8]) -> [RoomDelta.Touch] {
        rows.indices.filter { rows[$0].isActive }.map { rows[$0].touch($0, into: &frames) }
    }
}

/// The position of a connection that is touching: x, y and the element's id as JSON.
package struct TouchPosition: Sendable {
    package let mover: ConnectionID
    package let slot: Int
    package let x: [UInt8]
    package let y: [UInt8]
    package let elementID: [UInt8]
}

extension TouchPosition: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(mover)
        record.put(slot)
        for text in [x, y, elementID] { record.put(text) }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            mover: try record.value(), slot: try record.int(), x: try record.blob(), y: try record.blob(),
            elementID: try record.blob())
    }
}

/// A participant's row. `storage[start..<end]` is the frame; its header and beginning are the same for each position.
private struct TouchRow: Recordable {
    /// Space for the longest header, then the text. It grows to the longest frame and keeps that size, so a new
    /// position needs no allocation.
    private var storage: [UInt8] = []
    /// The place of x: after `42["touch:moved",{"roomId":…,"userId":…,"x":`.
    private var headEnd = 0
    private var start = 0
    private var end = 0
    private var place = TouchPlace()
    var isActive = false
    var isChanged = false

    init() {}

    init(roomJSON: [UInt8], userJSON: [UInt8]) {
        storage = Array(repeating: 0, count: WebSocketFrame.headerBytesMax)
        storage.append(contentsOf: #"42["touch:moved",{"roomId":"#.utf8)
        storage.append(contentsOf: roomJSON)
        storage.append(contentsOf: #","userId":"#.utf8)
        storage.append(contentsOf: userJSON)
        storage.append(contentsOf: #","x":"#.utf8)
        headEnd = storage.count
    }

    func write(to record: inout RecordWriter) {
        record.put(storage[..<max(end, headEnd)])
        for number in [headEnd, start, end, place.start, place.xCount, place.yCount, place.elementCount] {
            record.put(number)
        }
        record.put(isActive)
    }

    init(from record: inout RecordReader) throws(RecordFault) {
        storage = try record.blob()
        let most = storage.count
        (headEnd, start, end) = (try record.int(upTo: most), try record.int(upTo: most), try record.int(upTo: most))
        place.start = try record.int(upTo: most)
        place.xCount = try record.int(upTo: most)
        place.yCount = try record.int(upTo: most)
        place.elementCount = try record.int(upTo: most)
        isActive = try record.bool()
        guard start <= end else { throw RecordFault() }
    }

    var isOpen: Bool { headEnd > 0 }
    var frameCount: Int { end - start }

    /// - Returns: whether this is the first change since the last tick.
    @inline(__always)
    mutating func write(x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>) -> Bool {
        place = TouchPlace(xCount: x.count, yCount: y.count, elementCount: elementID.count)
        end = headEnd + place.byteCount
        if storage.count < end { storage.append(contentsOf: repeatElement(0, count: end - storage.count)) }
        let length = end - WebSocketFrame.headerBytesMax
        start = WebSocketFrame.headerBytesMax - WebSocketFrame.headerLength(for: length)
        place.start = headEnd - start
        storage.withUnsafeMutableBytes { bytes in
            _ = WebSocketFrame.writeHeader(to: bytes, at: start, opcode: .text, payloadLength: length)
            var position = headEnd
            Self.write(x, to: bytes, &position)
            Self.write(TouchPlace.beforeY, to: bytes, &position)
            Self.write(y, to: bytes, &position)
            if elementID.count > 0 {
                Self.write(TouchPlace.beforeElement, to: bytes, &position)
                Self.write(elementID, to: bytes, &position)
            }
            Self.write(TouchPlace.end, to: bytes, &position)
        }
        isActive = true
        defer { isChanged = true }
        return !isChanged
    }

    @inline(__always)
    private static func write(_ span: Span<UInt8>, to bytes: UnsafeMutableRawBufferPointer, _ position: inout Int) {
        span.withUnsafeBytes { write($0, to: bytes, &position) }
    }

    @inline(__always)
    private static func write(_ text: StaticString, to bytes: UnsafeMutableRawBufferPointer, _ position: inout Int) {
        text.withUTF8Buffer { write(UnsafeRawBufferPointer($0), to: bytes, &position) }
    }

    @inline(__always)
    private static func write(
        _ source: UnsafeRawBufferPointer, to bytes: UnsafeMutableRawBufferPointer, _ position: inout Int
    ) {
        precondition(position + source.count <= bytes.count, "a position fits its row")
        UnsafeMutableRawBufferPointer(rebasing: bytes[position...]).copyMemory(from: source)
        position += source.count
    }

    /// The row's change. As a mutation it works on the row in its place instead of a copy.
    mutating func takeTouch(_ slot: Int, into frames: inout [UInt8]) -> RoomDelta.Touch {
        isChanged = false
        return touch(slot, into: &frames)
    }

    func touch(_ slot: Int, into frames: inout [UInt8]) -> RoomDelta.Touch {
        let begin = frames.count
        append(to: &frames)
        return RoomDelta.Touch(slot: slot, frame: begin..<frames.count, place: place)
    }

    func appendTuple(_ slot: Int, to bytes: inout [UInt8]) {
        place.appendTuple(slot: slot, of: storage, base: start, to: &bytes)
    }

    /// The changing values: x, y, and the element's id or nothing.
    var values: (x: [UInt8], y: [UInt8], elementID: [UInt8]) {
        let (x, y, elementID) = place.values(base: start)
        return (Array(storage[x]), Array(storage[y]), Array(storage[elementID]))
    }

    func append(to frames: inout [UInt8]) {
        storage.withUnsafeBytes { frames.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }
}
