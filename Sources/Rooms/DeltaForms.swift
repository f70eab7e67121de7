/// A delta in every form that a member of the room takes: whole frames, encoded once for all members.
///
/// A form has a part for the log and a part for the positions. Forms share the parts that are the same.
package struct DeltaForms {
    /// The delta's own frames first, then the parts that only some forms have.
    package private(set) var bytes: [UInt8] = []
    /// Whether they are the delta's array, which all shards read.
    private var areShared = false
    /// By `DeliveryForm.logIndex`.
    private var logs = InlineArray<4, Range<Int>>(repeating: 0..<0)
    private var touches = 0..<0
    private var batch = 0..<0
    /// By the number of decimals.
    private var ticks = InlineArray<5, Range<Int>>(repeating: 0..<0)
    private var carets = 0..<0

    /// Begins with the delta's own frames, which are the form without options.
    ///
    /// - Parameter isAll: whether no member takes another form: the delta's array is shared, not copied.
    mutating func begin(_ delta: RoomDelta, isAll: Bool) {
        if isAll {
            bytes = delta.frames
        } else {
            if areShared { bytes = [] }
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: delta.frames)
        }
        areShared = isAll
        logs = .init(repeating: 0..<delta.logByteCount)
        touches = delta.logByteCount..<delta.frames.count
        batch = 0..<0
        for decimals in ticks.indices { ticks[decimals] = 0..<0 }
        carets = 0..<0
    }

    /// Encodes the log in a form for all members of that form. Members with `.edits` of it get the same if no entry has
    /// another form for them.
    mutating func encodeLog(_ entries: [LogEntry], _ form: DeliveryForm, tail: [UInt8]) {
        let start = bytes.count
        for entry in entries { EventFrame.append(entry, form, offsetTail: tail, to: &bytes) }
        logs[form.logIndex] = start..<bytes.count
        if !form.contains(.edits) { logs[form.union(.edits).logIndex] = start..<bytes.count }
    }

    mutating func encodeCarets(_ frames: [UInt8]) {
        carets = bytes.count..<bytes.count + frames.count
        bytes.append(contentsOf: frames)
    }

    /// - Parameter append: appends the batch's frame.
    mutating func encodeBatch(_ append: (inout [UInt8]) -> Void) {
        let start = bytes.count
        append(&bytes)
        batch = start..<bytes.count
    }

    /// - Parameter append: appends the frames of the tick.
    mutating func encodeTick(decimals: Int, _ append: (inout [UInt8]) -> Void) {
        let start = bytes.count
        append(&bytes)
        ticks[decimals] = start..<bytes.count
    }

    /// Appends the log in a form.
    func appendLog(_ form: DeliveryForm, to output: inout [UInt8]) {
        let range = logs[form.logIndex]
        bytes.withUnsafeBytes { output.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    package func pieces(of share: DeltaShare) -> DeltaPieces {
        var pieces = DeltaPieces()
        pieces.append(logs[share.form.logIndex])
        if share.form.contains(.batches) {
            pieces.append(batch)
        } else if share.form.contains(.ticks) {
            pieces.append(ticks[share.form.decimals])
        } else if share.own.isEmpty {
            pieces.append(touches)
        } else {
            pieces.append(touches.lowerBound..<share.own.lowerBound)
            pieces.append(share.own.upperBound..<touches.upperBound)
        }
        if share.form.contains(.edits) { pieces.append(carets) }
        return pieces
    }
}

/// What one member gets of a delta.
package struct DeltaShare {
    let form: DeliveryForm
    /// The member's own position among the delta's frames, which it does not get as a single frame.
    let own: Range<Int>

    /// Whether a position of the delta is left out for this member.
    package var leavesOutOwn: Bool { !own.isEmpty && !form.hasOwnTouch }
    /// Whether the member gets its share as packets.
    package var isOfPackets: Bool { form.contains(.packets) }
}

/// Ranges of `DeltaForms.bytes`, in the order in which they go out.
package struct DeltaPieces {
    /// At most the log, the positions before and after the member's own, and the carets.
    private var ranges = InlineArray<4, Range<Int>>(repeating: 0..<0)
    package private(set) var count = 0

    package subscript(index: Int) -> Range<Int> { ranges[index] }

    /// The same as memory: of this the first `count`.
    package func memory(of bytes: UnsafeRawBufferPointer) -> InlineArray<4, UnsafeRawBufferPointer> {
        InlineArray { UnsafeRawBufferPointer(rebasing: bytes[ranges[$0]]) }
    }

    fileprivate mutating func append(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        if count > 0, ranges[count - 1].upperBound == range.lowerBound {
            ranges[count - 1] = ranges[count - 1].lowerBound..<range.upperBound
        } else {
            ranges[count] = range
            count += 1
        }
    }
}
