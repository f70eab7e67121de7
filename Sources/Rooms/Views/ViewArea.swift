import Wire

/// A rectangle of a room's coordinates: the part that a member sees.
package struct ViewArea: Sendable, Equatable {
    package let x: Double
    package let y: Double
    package let width: Double
    package let height: Double
    /// No coordinate and no length of an area is larger.
    package static let numberMax = 1e15

    /// What a member sees that wants to see everything.
    package static let everything = ViewArea(
        x: -numberMax, y: -numberMax, width: 2 * numberMax, height: 2 * numberMax)

    /// All of them finite and at most `numberMax`, the lengths positive.
    package init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
}

/// Squares of a room's coordinates, all of the same size, with a number for each: those of a row have consecutive ones.
struct CellGrid {
    /// The sides of a square are `2^level` long.
    let level: Int
    let side: Double
    private let perSide: Double

    /// The number of no square.
    static let none = Int.min
    private static let levels = -64...64
    /// Squares so far from the middle have no others outside of them.
    private static let indexMax = 1 << 30
    /// An area of the size for which a grid is made is so many squares long at most, and at least half of it.
    static let squaresPerArea = 8.0

    init(level: Int) {
        self.level = level
        side = Double(sign: .plus, exponent: level, significand: 1)
        perSide = Double(sign: .plus, exponent: -level, significand: 1)
    }

    /// The level of the grid that suits an area.
    static func level(for area: ViewArea) -> Int {
        let side = max(area.width, area.height) / squaresPerArea
        let level = Int(side.exponent) + (side.significand > 1 ? 1 : 0)
        return min(max(level, levels.lowerBound), levels.upperBound)
    }

    func cell(x: Double, y: Double) -> Int { Self.cell(row: index(y), column: index(x)) }

    func cells(of area: ViewArea) -> CellRectangle {
        CellRectangle(
            rows: index(area.y)...index(area.y + area.height), columns: index(area.x)...index(area.x + area.width))
    }

    /// What the squares cover.
    func area(of cells: CellRectangle) -> ViewArea {
        ViewArea(
            x: Double(cells.columns.lowerBound) * side, y: Double(cells.rows.lowerBound) * side,
            width: Double(cells.columns.count) * side, height: Double(cells.rows.count) * side)
    }

    static func cell(row: Int, column: Int) -> Int { row << 32 + (column + indexMax) }

    /// What is farther away than any area is where the outermost areas are.
    private func index(_ coordinate: Double) -> Int {
        let exact = min(max(coordinate, -ViewArea.numberMax), ViewArea.numberMax) * perSide
        guard exact > -Double(Self.indexMax) else { return -Self.indexMax }
        guard exact < Double(Self.indexMax) else { return Self.indexMax }
        let index = Int(exact)
        return Double(index) > exact ? index - 1 : index
    }
}

/// The squares of a grid that a member sees.
struct CellRectangle: Equatable {
    let rows: ClosedRange<Int>
    let columns: ClosedRange<Int>
}
