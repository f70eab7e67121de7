import Wire

/// The binary ticks of a room in one precision: each is encoded once, as the difference to the tick before, for all
/// members that keep up. A member that is behind gets positions that count from nothing.
///
/// After each tick a member that gets it knows what `rows` and `elements` have of those who are touching, so the next
/// difference can count from there.
struct TickStream {
    private struct Row {
        /// Quanta. Both are 0 after a position that is too large for quanta.
        var x = 0
        var y = 0
        var exact: TickPoint?
        /// The index of the element, or -1.
        var element = -1
        /// Whether members know the position: the participant is touching.
        var isKnown = false
        /// The place among `changes`, if the newest tick changed it.
        var change: Int32 = 0
    }

    let decimals: Int
    var memberCount = 0
    /// How many of them have a view, and get other ticks.
    var viewCount = 0
    private var rows: [Row] = []
    private var elements = TickElements()
    /// What the newest tick changed.
    private var changes: [TickRow] = []
    /// The event's text frame.
    private let event: [UInt8]

    init(decimals: Int, roomJSON: [UInt8]) {
        self.decimals = decimals
        var event: [UInt8] = []
        EventFrame.appendTick(roomJSON, to: &event)
        self.event = event
    }

    // MARK: Ticks

    mutating func begin() { changes.removeAll(keepingCapacity: true) }

    /// The participant touches no more. The next position counts from nothing.
    mutating func end(_ slot: Int) {
        guard slot < rows.count, rows[slot].isKnown else { return }
        if rows[slot].element >= 0 { elements.release(rows[slot].element) }
        rows[slot] = Row()
    }

    /// Notes a position: two numbers, and a string or nothing, of checked JSON. Slots come in their order.
    mutating func move(_ slot: Int, x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>) {
        while rows.count <= slot { rows.append(Row()) }
        var change = TickRow(slot: slot)
        change.begins = !rows[slot].isKnown
        change.element = setElement(of: slot, elementID)
        if let x = TouchQuanta.count(x, decimals: decimals), let y = TouchQuanta.count(y, decimals: decimals) {
            (change.x, change.y) = (x - rows[slot].x, y - rows[slot].y)
            (rows[slot].x, rows[slot].y, rows[slot].exact) = (x, y, nil)
        } else {
            change.exact = TickPoint(x: JSON.double(x), y: JSON.double(y))
            (rows[slot].x, rows[slot].y, rows[slot].exact) = (0, 0, change.exact)
        }
        rows[slot].isKnown = true
        rows[slot].change = Int32(changes.count)
        changes.append(change)
    }

    /// Nil when the element stays.
    private mutating func setElement(of slot: Int, _ id: Span<UInt8>) -> TickElement? {
        let before = rows[slot].element
        guard before >= 0 || !id.isEmpty else { return nil }
        if before >= 0, id.equals(elements[before]) { return nil }
        // The new one first: of two participants who exchange their elements, neither makes the other's be told anew.
        let element = id.isEmpty ? TickElement.none : elements.use(id)
        if before >= 0 { elements.release(before) }
        rows[slot].element = element.index
        return element
    }

    // MARK: Encoding

    /// Appends the newest tick, for members that have the one before.
    func appendNewest(_ tick: UInt64, interval: Int, to bytes: inout [UInt8]) {
        let header = TickHeader(decimals: decimals, isAbsolute: false, tick: tick, interval: interval)
        append(header, changes, to: &bytes)
    }

    /// Appends the positions of some participants for a member that is behind. Their slots come in order.
    func append(_ slots: [Int], _ tick: UInt64, interval: Int, to bytes: inout [UInt8]) {
        var told: Set<Int> = []
        let changes = slots.map { slot in
            let row = rows[slot]
            var change = TickRow(slot: slot, x: row.x, y: row.y)
            change.exact = row.exact
            guard row.element >= 0 else { return change }
            let isNew = told.insert(row.element).inserted
            change.element = isNew ? .new(row.element, elements[row.element]) : .known(row.element)
            return change
        }
        let header = TickHeader(decimals: decimals, isAbsolute: true, tick: tick, interval: interval)
        append(header, changes, to: &bytes)
    }

    /// A participant's row for members that see a part of the room. They know only ids that a row of that part has told.
    ///
    /// - Parameters:
    ///   - isNew: whether they do not know the participant's position before.
    ///   - leaves: whether it is the last that they are told.
    func row(_ slot: Int, isNew: Bool, leaves: Bool) -> TickRow {
        let row = rows[slot]
        guard isNew || leaves else {
            var change = changes[Int(row.change)]
            if case .known(let index) = change.element { change.element = .new(index, elements[index]) }
            return change
        }
        var change = TickRow(slot: slot, x: row.x, y: row.y)
        (change.begins, change.leaves, change.exact) = (true, leaves, row.exact)
        if row.element >= 0, !leaves { change.element = .new(row.element, elements[row.element]) }
        return change
    }

    private func append(_ header: TickHeader, _ changes: [TickRow], to bytes: inout [UInt8]) {
        bytes.append(contentsOf: event)
        EventFrame.appendAttachment(to: &bytes) { TickWriter.append(header, changes, to: &$0) }
    }
}

extension TickElement {
    /// Its index; -1 for none.
    fileprivate var index: Int {
        switch self {
        case .none: -1
        case .known(let index), .new(let index, _): index
        }
    }
}
