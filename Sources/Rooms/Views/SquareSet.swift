import Wire

/// Squares of a grid: the part of a room that a node is told of.
package struct SquareSet: Sendable, Equatable {
    let level: Int
    let squares: Set<Int>

    /// Of more squares larger ones are taken.
    static let countMax = 4_096
    private static let levels = -128...128

    /// The squares that some areas meet.
    package init(_ areas: [ViewArea]) {
        // The squares of a node's members are larger than those of a member, and fewer.
        var level = (areas.map(CellGrid.level(for:)).max() ?? 0) + 1
        var squares = Self.squares(areas, level)
        while squares == nil {
            level += 1
            squares = Self.squares(areas, level)
        }
        (self.level, self.squares) = (level, squares ?? [])
    }

    /// Nil when they are too many.
    private static func squares(_ areas: [ViewArea], _ level: Int) -> Set<Int>? {
        let grid = CellGrid(level: level)
        var squares: Set<Int> = []
        for area in areas {
            let cells = grid.cells(of: area)
            for row in cells.rows {
                for column in cells.columns { squares.insert(CellGrid.cell(row: row, column: column)) }
            }
            guard squares.count <= countMax else { return nil }
        }
        return squares
    }

    func contains(_ point: TickPoint, in grid: CellGrid) -> Bool { squares.contains(grid.cell(x: point.x, y: point.y)) }
}

extension SquareSet: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(level)
        var last = 0
        record.put(squares.sorted()) { square, record in
            record.put(square &- last)
            last = square
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        let level = try record.int()
        guard Self.levels.contains(level) else { throw RecordFault() }
        var last = 0
        let squares = try record.list { record throws(RecordFault) in
            last = last &+ (try record.int())
            return last
        }
        guard squares.count <= Self.countMax else { throw RecordFault() }
        (self.level, self.squares) = (level, Set(squares))
    }
}
