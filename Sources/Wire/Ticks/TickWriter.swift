/// Writes binary ticks.
public enum TickWriter {
    /// - Parameter rows: with increasing slots, unless the tick is of a view.
    public static func append(_ header: TickHeader, _ rows: [TickRow], to output: inout [UInt8]) {
        append(header, to: &output)
        guard !header.isOfView else {
            for row in rows { appendOfView(row, to: &output) }
            return
        }
        var (start, nextSlot) = (0, 0)
        while start < rows.count {
            let isSpecial = rows[start].isSpecial
            var end = start + 1
            while end < rows.count, rows[end].slot == rows[end - 1].slot + 1, rows[end].isSpecial == isSpecial {
                end += 1
            }
            appendHead(gap: rows[start].slot - nextSlot, count: end - start, isSpecial, to: &output)
            for index in start..<end { append(rows[index], isSpecial, to: &output) }
            nextSlot = rows[end - 1].slot + 1
            start = end
        }
    }

    /// The beginning of a tick, without rows.
    public static func append(_ header: TickHeader, to output: inout [UInt8]) {
        precondition((0...TickHeader.decimalsMax).contains(header.decimals), "the decimals fit their bits")
        output.append(UInt8(header.decimals) | (header.isAbsolute ? 8 : 0) | (header.isOfView ? 16 : 0))
        append(header.tick, to: &output)
        append(UInt64(header.interval), to: &output)
    }

    /// A row of a tick of a view. It means the same among any others.
    public static func appendOfView(_ row: TickRow, to output: inout [UInt8]) {
        append(UInt64(row.slot << 1 | (row.isSpecial ? 1 : 0)), to: &output)
        append(row, row.isSpecial, to: &output)
    }

    private static func appendHead(gap: Int, count: Int, _ isSpecial: Bool, to output: inout [UInt8]) {
        precondition(gap >= 0, "slots increase")
        let short = min(count, TickRun.longCount) - 1
        append(UInt64((gap << 3 | short) << 1 | (isSpecial ? 1 : 0)), to: &output)
        if count >= TickRun.longCount { append(UInt64(count - TickRun.longCount), to: &output) }
    }

    private static func append(_ row: TickRow, _ isSpecial: Bool, to output: inout [UInt8]) {
        guard isSpecial else {
            append(zigzag(row.x), to: &output)
            return append(zigzag(row.y), to: &output)
        }
        output.append(
            (row.begins ? TickFlags.begins : 0) | (row.element == nil ? 0 : TickFlags.element)
                | (row.exact == nil ? 0 : TickFlags.exact) | (row.leaves ? TickFlags.leaves : 0))
        if let exact = row.exact {
            append(exact.x, to: &output)
            append(exact.y, to: &output)
        } else {
            append(zigzag(row.x), to: &output)
            append(zigzag(row.y), to: &output)
        }
        switch row.element {
        case nil: break
        case .some(.none): output.append(0)
        case .known(let index): append(UInt64(index) * 2 + 1, to: &output)
        case .new(let index, let id):
            append(UInt64(index) * 2 + 2, to: &output)
            append(UInt64(id.count), to: &output)
            output.append(contentsOf: id)
        }
    }

    private static func append(_ number: UInt64, to output: inout [UInt8]) {
        var rest = number
        while rest > 0x7f {
            output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        output.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func append(_ number: Double, to output: inout [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) {
            output.append(UInt8(truncatingIfNeeded: number.bitPattern >> shift))
        }
    }

    private static func zigzag(_ number: Int) -> UInt64 {
        UInt64(bitPattern: Int64(number << 1 ^ number >> (Int.bitWidth - 1)))
    }
}
