/// The positions of a room's participants as its binary ticks tell of them.
public struct TickDecoder {
    /// A position that a tick has told.
    public struct Touch: Equatable, Sendable {
        public let slot: Int
        public let x: Double
        public let y: Double
        /// A JSON string; nil without an element.
        public let elementID: [UInt8]?
        /// Whether the participant has left what the member sees, for this position.
        public var leaves = false
    }

    private struct Row {
        var x = 0
        var y = 0
        /// The index of the element, or -1.
        var element = -1
    }

    private var rows: [Row] = []
    private var elements: [Int: [UInt8]] = [:]
    private static let powers = [1.0, 10, 100, 1_000, 10_000]

    public init() {}

    /// Takes the next tick. After a fault only an absolute tick of all participants helps.
    ///
    /// - Parameter take: called for each position, in the order of slots.
    @inline(__always)
    public mutating func decode(
        _ bytes: Span<UInt8>, _ take: (Touch) -> Void
    ) throws(TickFault) -> TickHeader {
        var reader = try TickReader(bytes)
        let power = Self.powers[reader.header.decimals]
        while let row = try reader.next(in: bytes) {
            take(try apply(row, isAbsolute: reader.header.isAbsolute, power))
        }
        return reader.header
    }

    @inline(__always)
    private mutating func apply(_ row: TickRow, isAbsolute: Bool, _ power: Double) throws(TickFault) -> Touch {
        if row.slot >= rows.count { rows.append(contentsOf: repeatElement(Row(), count: row.slot + 1 - rows.count)) }
        if isAbsolute || row.begins { rows[row.slot] = Row() }
        if let element = row.element { rows[row.slot].element = try index(of: element) }
        let id = rows[row.slot].element < 0 ? nil : elements[rows[row.slot].element]
        if let exact = row.exact {
            (rows[row.slot].x, rows[row.slot].y) = (0, 0)
            return Touch(slot: row.slot, x: exact.x, y: exact.y, elementID: id, leaves: row.leaves)
        }
        let x = rows[row.slot].x &+ row.x
        let y = rows[row.slot].y &+ row.y
        (rows[row.slot].x, rows[row.slot].y) = (x, y)
        return Touch(slot: row.slot, x: Double(x) / power, y: Double(y) / power, elementID: id, leaves: row.leaves)
    }

    private mutating func index(of element: TickElement) throws(TickFault) -> Int {
        switch element {
        case .none: return -1
        case .known(let index):
            guard elements[index] != nil else { throw TickFault() }
            return index
        case .new(let index, let id):
            elements[index] = id
            return index
        }
    }
}
