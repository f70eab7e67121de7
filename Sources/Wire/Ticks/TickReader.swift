/// Reads binary ticks, row by row. It keeps no state from one tick to the next: see `TickDecoder`.
public struct TickReader {
    /// No slot and no index of an element reaches this.
    public static let slotsMax = 1 << 20
    /// So far from zero are whole numbers exact as a double.
    private static let numberMax: UInt64 = 1 << 53

    public let header: TickHeader
    private var position: Int
    private var slot = 0
    private var left = 0
    private var isSpecial = false

    public init(_ bytes: Span<UInt8>) throws(TickFault) {
        guard bytes.count > 0 else { throw TickFault() }
        let first = bytes[0]
        guard first < 32, first & 7 <= UInt8(TickHeader.decimalsMax) else { throw TickFault() }
        position = 1
        let tick = try Self.number(bytes, &position)
        let interval = try Self.number(bytes, &position)
        guard interval < 1 << 20 else { throw TickFault() }
        header = TickHeader(
            decimals: Int(first & 7), isAbsolute: first & 8 != 0, tick: tick, interval: Int(interval),
            isOfView: first & 16 != 0)
    }

    /// The next row; nil at the end.
    @inline(__always)
    public mutating func next(in bytes: Span<UInt8>) throws(TickFault) -> TickRow? {
        if left == 0 {
            guard position < bytes.count else { return nil }
            if header.isOfView { try beginRow(bytes) } else { try begin(bytes) }
        }
        left -= 1
        defer { slot += 1 }
        guard isSpecial else {
            let x = try Self.signed(bytes, &position)
            return TickRow(slot: slot, x: x, y: try Self.signed(bytes, &position))
        }
        return try special(bytes)
    }

    private mutating func begin(_ bytes: Span<UInt8>) throws(TickFault) {
        let head = try Self.number(bytes, &position)
        isSpecial = head & 1 == 1
        var count = Int(head >> 1 & 7) + 1
        if count == TickRun.longCount {
            let more = try Self.number(bytes, &position)
            guard more < Self.slotsMax else { throw TickFault() }
            count += Int(more)
        }
        guard head >> 4 < Self.slotsMax, slot + Int(head >> 4) + count <= Self.slotsMax else { throw TickFault() }
        slot += Int(head >> 4)
        left = count
    }

    private mutating func beginRow(_ bytes: Span<UInt8>) throws(TickFault) {
        let head = try Self.number(bytes, &position)
        guard head >> 1 < Self.slotsMax else { throw TickFault() }
        isSpecial = head & 1 == 1
        slot = Int(head >> 1)
        left = 1
    }

    private mutating func special(_ bytes: Span<UInt8>) throws(TickFault) -> TickRow {
        guard position < bytes.count else { throw TickFault() }
        let flags = bytes[position]
        position += 1
        guard flags & ~(header.isOfView ? TickFlags.allOfView : TickFlags.all) == 0 else { throw TickFault() }
        var row = TickRow(slot: slot)
        row.leaves = flags & TickFlags.leaves != 0
        row.begins = flags & TickFlags.begins != 0
        if flags & TickFlags.exact != 0 {
            let x = try double(bytes)
            row.exact = TickPoint(x: x, y: try double(bytes))
        } else {
            row.x = try Self.signed(bytes, &position)
            row.y = try Self.signed(bytes, &position)
        }
        if flags & TickFlags.element != 0 { row.element = try element(bytes) }
        return row
    }

    private mutating func element(_ bytes: Span<UInt8>) throws(TickFault) -> TickElement {
        let number = try Self.number(bytes, &position)
        guard number > 0 else { return .none }
        let index = (number - 1) / 2
        guard index < Self.slotsMax else { throw TickFault() }
        guard number % 2 == 0 else { return .known(Int(index)) }
        let count = try Self.number(bytes, &position)
        guard count <= UInt64(bytes.count - position) else { throw TickFault() }
        let id = bytes.extracting(position..<position + Int(count))
        position += Int(count)
        return .new(Int(index), id.withUnsafeBufferPointer { Array($0) })
    }

    private mutating func double(_ bytes: Span<UInt8>) throws(TickFault) -> Double {
        guard bytes.count - position >= 8 else { throw TickFault() }
        var pattern: UInt64 = 0
        for index in 0..<8 { pattern |= UInt64(bytes[position + index]) << UInt64(index * 8) }
        position += 8
        let value = Double(bitPattern: pattern)
        guard value.isFinite else { throw TickFault() }
        return value
    }

    @inline(__always)
    private static func signed(_ bytes: Span<UInt8>, _ position: inout Int) throws(TickFault) -> Int {
        let number = try number(bytes, &position)
        return Int(number >> 1) ^ -Int(number & 1)
    }

    @inline(__always)
    private static func number(_ bytes: Span<UInt8>, _ position: inout Int) throws(TickFault) -> UInt64 {
        guard position < bytes.count else { throw TickFault() }
        let first = bytes[position]
        position += 1
        return first < 0x80 ? UInt64(first) : try longNumber(bytes, &position, UInt64(first & 0x7f))
    }

    private static func longNumber(
        _ bytes: Span<UInt8>, _ position: inout Int, _ low: UInt64
    ) throws(TickFault) -> UInt64 {
        var (value, shift) = (low, UInt64(7))
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 {
                guard value <= numberMax else { throw TickFault() }
                return value
            }
            shift += 7
            guard shift < 56 else { throw TickFault() }
        }
        throw TickFault()
    }
}
