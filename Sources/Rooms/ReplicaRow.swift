import Wire

/// The newest caret of a slot, and the delta in which it came.
struct CaretRow {
    let caret: RoomDelta.Caret
    let at: UInt64

    init(_ caret: RoomDelta.Caret, at tick: UInt64) {
        self.caret = caret
        at = tick
    }
}

/// What a replica knows of a slot.
struct ReplicaRow {
    /// Grows to the longest frame and stays there.
    private var storage: [UInt8] = []
    /// Where the newest position stands in its delta.
    private var range = 0..<0
    private var place = TouchPlace()
    /// The delta in which the position came; 0 when the participant is not touching.
    var touchedAt: UInt64 = 0
    /// Whether the participant has moved on and the home does not tell where.
    var isAway = false
    /// The newest delta with an entry that the participant does not get.
    var exceptedAt: UInt64 = 0
    /// The entry with which the participant came, if it is known; all entries before it were for others.
    var since: UInt64 = 0

    func append(to bytes: inout [UInt8]) {
        storage.withUnsafeBytes { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[..<range.count])) }
    }

    /// Where the position stands in the frames of this delta, if it is there.
    func own(at tick: UInt64) -> Range<Int> { touchedAt == tick ? range : 0..<0 }

    mutating func store(_ touch: RoomDelta.Touch, of frames: UnsafeRawBufferPointer, at tick: UInt64) {
        range = touch.frame
        place = touch.place
        touchedAt = tick
        isAway = false
        let count = range.count
        if storage.count < count { storage.append(contentsOf: repeatElement(0, count: count - storage.count)) }
        let source = UnsafeRawBufferPointer(rebasing: frames[range])
        storage.withUnsafeMutableBytes { $0.copyMemory(from: source) }
    }

    /// The position.
    var point: TickPoint {
        let (x, y, _) = place.values(base: 0)
        return TickPoint(x: JSON.double(storage.span.extracting(x)), y: JSON.double(storage.span.extracting(y)))
    }

    /// Appends the position as one with which the participant has left what a member sees.
    func appendLeft(to bytes: inout [UInt8]) {
        let argument = EventFrame.argument(of: "touch:moved", in: Array(storage[..<range.count]))
        EventFrame.append("touch:left", argument: argument, to: &bytes)
    }

    func appendTuple(_ slot: Int, to bytes: inout [UInt8]) {
        place.appendTuple(slot: slot, of: storage, base: 0, to: &bytes)
    }

    /// Notes the position in a stream of binary ticks.
    func move(_ slot: Int, in stream: inout TickStream) {
        let (x, y, elementID) = place.values(base: 0)
        let bytes = storage.span
        stream.move(
            slot, x: bytes.extracting(x), y: bytes.extracting(y), elementID: bytes.extracting(elementID))
    }
}
