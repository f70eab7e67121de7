import Wire

/// The views of a replica's members, and the grids in which they lie.
struct ReplicaViews {
    struct View {
        let grid: ViewGrid
        let cells: CellRectangle
        /// The newest delta that the member has been sent; 0 before the first.
        var tick: UInt64
        /// Whether it has been told of all touches in this view.
        var isTold = false
    }

    private(set) var grids: [ViewGrid] = []
    /// By the number of the view, which members have; nil for free ones.
    private var views: [View?] = []
    private var free: [Int] = []
    /// For the calls for one member: ranges of the orders of its grid.
    var left: [Range<Int>] = []
    var moved: [Range<Int>] = []

    /// A member with a view of yet another size gets the squares of another one's, or sees everything.
    static let gridsMax = 8
    /// So many rows of squares has a view at most.
    private static let rowsMax = 64
    /// Of the grid for those who see everything, which is always to be had.
    private static let levelOfEverything = CellGrid.level(for: .everything)

    subscript(view: Int) -> View? { views[view] }

    /// The member has been told everything up to a delta; with 0 nothing.
    mutating func advance(_ view: Int, to tick: UInt64) {
        views[view]?.tick = tick
        views[view]?.isTold = tick > 0
    }

    // MARK: Views

    /// Adds the view of a member that has been sent the deltas up to `tick`.
    ///
    /// - Parameter fill: moves those who are touching to their places in a new grid.
    mutating func add(_ area: ViewArea, at tick: UInt64, fill: (ViewGrid) -> Void) -> Int {
        let grid = grid(for: area, fill)
        grid.memberCount += 1
        let view = View(grid: grid, cells: grid.squares.cells(of: area), tick: tick)
        guard let number = free.popLast() else {
            views.append(view)
            return views.count - 1
        }
        views[number] = view
        return number
    }

    mutating func remove(_ number: Int) {
        guard let view = views[number] else { return }
        views[number] = nil
        free.append(number)
        view.grid.memberCount -= 1
        if view.grid.memberCount == 0 { grids.removeAll { $0 === view.grid } }
        if free.count == views.count { (views, free) = ([], []) }
    }

    private mutating func grid(for area: ViewArea, _ fill: (ViewGrid) -> Void) -> ViewGrid {
        let level = CellGrid.level(for: area)
        if let grid = grids.first(where: { $0.squares.level == level }) { return grid }
        let isOneMore = grids.count >= Self.gridsMax
        if isOneMore, let other = other(for: area, level) { return other }
        let grid = ViewGrid(level: isOneMore ? Self.levelOfEverything : level)
        fill(grid)
        grids.append(grid)
        return grid
    }

    /// The grid with the next larger squares; of smaller ones only if they are not far too many.
    private func other(for area: ViewArea, _ level: Int) -> ViewGrid? {
        let inOrder = grids.sorted { $0.squares.level < $1.squares.level }
        if let coarser = inOrder.first(where: { $0.squares.level > level }) { return coarser }
        return inOrder.last.flatMap { $0.squares.cells(of: area).rows.count <= Self.rowsMax ? $0 : nil }
    }
}
