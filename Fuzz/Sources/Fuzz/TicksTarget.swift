import Wire

/// With an even first byte the rest is a binary tick, twice for a decoder that keeps what it was told: the rows have to come out
/// the same after they were written and read again. With an odd one it is a number, whose quanta have to be the nearest.
func fuzzTicks(_ input: UnsafeRawBufferPointer) {
    guard let choice = input.first else { return }
    let content = Array(input.dropFirst())
    if choice % 2 == 0 { checkTick(content) } else { checkQuanta(content, decimals: Int(choice / 2) % 5) }
}

private func checkTick(_ bytes: [UInt8]) {
    var decoder = TickDecoder()
    for _ in 0..<2 { _ = try? decoder.decode(bytes.span) { precondition($0.x.isFinite && $0.y.isFinite) } }
    guard let (header, rows) = read(bytes) else { return }
    // Those of a view come in any order.
    for (row, next) in zip(rows, rows.dropFirst()) where !header.isOfView {
        precondition(row.slot < next.slot, "slots increase")
    }
    var again: [UInt8] = []
    TickWriter.append(header, rows, to: &again)
    // A row among special ones that says nothing special becomes a run of its own: its flags go, two heads come.
    precondition(again.count <= bytes.count + rows.count, "a tick became longer")
    guard let second = read(again) else { preconditionFailure("what was read cannot be read again") }
    precondition(second == (header, rows), "a tick did not survive the round trip")
}

private func read(_ bytes: [UInt8]) -> (TickHeader, [TickRow])? {
    guard var reader = try? TickReader(bytes.span) else { return nil }
    var rows: [TickRow] = []
    do throws(TickFault) {
        while let row = try reader.next(in: bytes.span) { rows.append(row) }
    } catch {
        return nil
    }
    return (reader.header, rows)
}

private func checkQuanta(_ text: [UInt8], decimals: Int) {
    guard text.count <= 64, let field = try? JSON.validate(text.span), field.kind == .number else { return }
    let number = text.span.extracting(field.range)
    let scaled = JSON.double(number) * [1.0, 10, 100, 1_000, 10_000][decimals]
    guard let count = TouchQuanta.count(number, decimals: decimals) else {
        return precondition(scaled.magnitude > 9.9e14, "a number that has quanta")
    }
    precondition((Double(count) - scaled).magnitude <= 0.5 + scaled.magnitude * 1e-14, "other quanta than the nearest")
}
