import Wire

/// The input is three lines: a text, and two edits as JSON.
///
/// Promised: no input traps; an edit that is accepted comes back when it is written; edits that fit the text converge, are
/// taken back by their inverses and make the same composed; what they make has whole characters only; the difference of
/// two texts makes the one out of the other.
func fuzzText(_ input: UnsafeRawBufferPointer) {
    let lines = Array(input).split(separator: 0x0a, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
    guard lines.count == 3 else { return }
    let text = [UInt16](String(decoding: lines[0], as: UTF8.self))
    guard let first = edit(lines[1]), let second = edit(lines[2]), let one = first.apply(to: text),
        let other = second.apply(to: text)
    else { return }
    precondition([UInt16](String(units: one)) == one, "A character was cut.")
    precondition(first.inverted(of: text).apply(to: one) == text)
    let (newFirst, newSecond) = TextEdit.transform(first, second)
    guard let both = newSecond.apply(to: one) else { preconditionFailure("A transformed edit does not fit.") }
    precondition(newFirst.apply(to: other) == both, "Two edits do not converge.")
    precondition(first.composed(with: newSecond).apply(to: text) == both)
    precondition(second.transformed(after: first, isRepeated: true).apply(to: one) != nil)
    precondition(TextEdit(from: one, to: other).apply(to: one) == other)
    checkWriter(text, first, second)
}

private func edit(_ json: [UInt8]) -> TextEdit? {
    guard let edit = TextEdit(json: json.span, 0..<json.count, unitsMax: 10_000) else { return nil }
    var written: [UInt8] = []
    edit.appendJSON(to: &written)
    precondition(TextEdit(json: written.span, 0..<written.count, unitsMax: 20_000) == edit)
    return edit
}

/// A writer ends at the server's text, whichever edit came first there.
private func checkWriter(_ text: [UInt16], _ own: TextEdit, _ other: TextEdit) {
    var writer = TextWriter(text, version: 1)
    writer.write(own)
    guard let sent = writer.next(clientID: "k") else { return }
    let change = writer.edited(other, version: 2, clientID: nil)
    precondition(change != nil)
    _ = writer.edited(sent.changes.transformed(after: other), version: 3, clientID: "k")
    _ = writer.accepted(sent, version: 3, text: nil)
    precondition(writer.isSettled && writer.text == writer.base && writer.surpriseCount == 0)
}
