/// Touches in the order of the squares in which they are: those of neighbours in a row of squares follow one another.
struct CellOrder {
    struct Item {
        let cell: Int
        let slot: Int
        /// Whether the touch was in another square before, or in none.
        var isNew = false
    }

    private(set) var items: [Item] = []

    mutating func removeAll() { items.removeAll(keepingCapacity: true) }
    mutating func append(_ item: Item) { items.append(item) }
    mutating func sort() { items.sort { ($0.cell, $0.slot) < ($1.cell, $1.slot) } }

    /// Appends the ranges of the touches within squares; at most one for each row of squares. Returns their number of touches.
    func find(_ cells: CellRectangle, in ranges: inout [Range<Int>]) -> Int {
        var (start, count) = (0, 0)
        guard !items.isEmpty else { return 0 }
        for row in cells.rows {
            start = firstIndex(from: start, notBefore: CellGrid.cell(row: row, column: cells.columns.lowerBound))
            guard start < items.count else { break }
            let end = firstIndex(from: start, notBefore: CellGrid.cell(row: row, column: cells.columns.upperBound) + 1)
            if start == end { continue }
            ranges.append(start..<end)
            count += end - start
            start = end
        }
        return count
    }

    private func firstIndex(from start: Int, notBefore cell: Int) -> Int {
        var (low, high) = (start, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].cell < cell { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// What members are told of the touches of an order, in one form, encoded once: a piece for each touch.
struct CellPieces {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private(set) var isMade = false

    mutating func forget() {
        isMade = false
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    mutating func make(_ order: CellOrder, _ append: (CellOrder.Item, inout [UInt8]) -> Void) {
        guard !isMade else { return }
        isMade = true
        for item in order.items {
            append(item, &bytes)
            ends.append(bytes.count)
        }
    }

    /// Appends the pieces of some touches that follow one another.
    func append(_ range: Range<Int>, to output: inout [UInt8]) {
        guard let last = range.last else { return }
        let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
        bytes.withUnsafeBytes { output.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[start..<ends[last]])) }
    }
}
