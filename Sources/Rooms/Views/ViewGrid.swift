import Wire

/// A grid of squares over a replica's room, for the members with views of about the same size: where everybody touches,
/// and what the newest tick has changed.
final class ViewGrid {
    /// What members in one form are told.
    struct Told {
        /// Those who are in another square than before, by the square before.
        var left = CellPieces()
        var moved = CellPieces()
        var all = CellPieces()

        mutating func forget() {
            left.forget()
            moved.forget()
            all.forget()
        }
    }

    let squares: CellGrid
    var memberCount = 0
    /// By slot; `CellGrid.none` for those who are not touching.
    private var cells: [Int] = []
    private(set) var left = CellOrder()
    private(set) var moved = CellOrder()
    private var everybody: CellOrder?
    /// By `DeliveryForm.viewIndex`.
    var told = Array(repeating: Told(), count: DeliveryForm.viewIndexCount)

    init(level: Int) {
        squares = CellGrid(level: level)
    }

    /// A new tick has come.
    func begin() {
        left.removeAll()
        moved.removeAll()
        everybody = nil
        for form in told.indices { told[form].forget() }
    }

    /// The participant touches no more; everybody is told so by the log.
    func end(_ slot: Int) {
        if slot < cells.count { cells[slot] = CellGrid.none }
    }

    /// - Parameter point: nil for a place that is not told any more.
    func move(_ slot: Int, to point: TickPoint?) {
        while cells.count <= slot { cells.append(CellGrid.none) }
        let (before, cell) = (cells[slot], point.map { squares.cell(x: $0.x, y: $0.y) } ?? CellGrid.none)
        cells[slot] = cell
        if before != CellGrid.none, before != cell { left.append(CellOrder.Item(cell: before, slot: slot)) }
        if cell != CellGrid.none { moved.append(CellOrder.Item(cell: cell, slot: slot, isNew: before != cell)) }
    }

    func sort() {
        left.sort()
        moved.sort()
    }

    /// All who are touching; sorted at most once in a tick.
    var all: CellOrder {
        if let everybody { return everybody }
        var order = CellOrder()
        for slot in cells.indices where cells[slot] != CellGrid.none {
            order.append(CellOrder.Item(cell: cells[slot], slot: slot, isNew: true))
        }
        order.sort()
        everybody = order
        return order
    }
}
