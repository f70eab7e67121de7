/// Edits that meet, and edits that follow each other.
extension TextEdit {
    /// Two edits of the same text, each as it follows the other: `first` and then `second'` make the same text as `second`
    /// and then `first'`. Where both insert at one place, the text of `first` stands first.
    public static func transform(_ first: TextEdit, _ second: TextEdit) -> (first: TextEdit, second: TextEdit) {
        precondition(first.baseCount == second.baseCount, "edits of different texts")
        var (left, right) = (TextEditCursor(first), TextEditCursor(second))
        var (newFirst, newSecond) = (TextEdit(), TextEdit())
        while true {
            if let units = left.takeInsertion() {
                newFirst.insert(units)
                newSecond.keep(units.count)
            } else if let units = right.takeInsertion() {
                newFirst.keep(units.count)
                newSecond.insert(units)
            } else {
                let count = min(left.rest, right.rest)
                guard count > 0 else { return (newFirst, newSecond) }
                switch (left.isKeeping, right.isKeeping) {
                case (true, true):
                    newFirst.keep(count)
                    newSecond.keep(count)
                case (false, true): newFirst.remove(count)
                case (true, false): newSecond.remove(count)
                case (false, false): break
                }
                left.take(count)
                right.take(count)
            }
        }
    }

    /// This edit as it follows another of the same text that came first.
    ///
    /// - Parameter isRepeated: whether the edit may repeat what the other has done, because it comes from the same writer
    ///   again. What both insert at one place is then inserted once.
    public func transformed(after first: TextEdit, isRepeated: Bool = false) -> TextEdit {
        let edit = isRepeated ? withoutRepetition(of: first) : self
        return Self.transform(first, edit).second
    }

    /// With more parts an edit goes after changes unit by unit.
    private static var partsOneByOneMax: Int { 32 }

    /// This edit as it follows many of the same text, each with whether this one may repeat it. It takes no longer than to go over
    /// the text, or over a few parts, once for each.
    package func transformed(after changes: some Sequence<(edit: TextEdit, isRepeated: Bool)>) -> TextEdit {
        var edit = self
        var units: UnitwiseEdit?
        for change in changes {
            guard units == nil else {
                units?.follow(change.edit, isRepeated: change.isRepeated)
                continue
            }
            edit = edit.transformed(after: change.edit, isRepeated: change.isRepeated)
            if edit.parts.count > Self.partsOneByOneMax { units = UnitwiseEdit(edit) }
        }
        return units?.edit ?? edit
    }

    /// The edit without the beginnings of its insertions that the other inserts at the same places.
    func withoutRepetition(of first: TextEdit) -> TextEdit {
        let known = first.insertions
        var edit = TextEdit()
        var place = 0
        for part in parts {
            switch part {
            case .keep(let count), .remove(let count): place += count
            case .insert(let units):
                if let other = known[place] {
                    if units.starts(with: other) {
                        edit.insert(Array(units[other.count...]))
                        continue
                    }
                    if other.starts(with: units) { continue }
                }
            }
            edit.append(part)
        }
        return edit
    }

    /// Whether this edit does all that another one of the same text does: what that inserts comes first at its places, and what
    /// it removes goes.
    func includes(_ other: TextEdit) -> Bool {
        let inserted = insertions
        return other.insertions.allSatisfy { place, units in inserted[place]?.starts(with: units) == true }
            && other.removals.isSubset(of: removals)
    }

    /// The places of what it removes.
    private var removals: RangeSet<Int> {
        var removals = RangeSet<Int>()
        var place = 0
        for part in parts {
            switch part {
            case .keep(let count): place += count
            case .remove(let count):
                removals.insert(contentsOf: place..<place + count)
                place += count
            case .insert: break
            }
        }
        return removals
    }

    /// What it inserts, by the places in the text before.
    private var insertions: [Int: [UInt16]] {
        var insertions: [Int: [UInt16]] = [:]
        var place = 0
        for part in parts {
            switch part {
            case .keep(let count), .remove(let count): place += count
            case .insert(let units): insertions[place] = units
            }
        }
        return insertions
    }

    /// This edit and the one that follows it, as one.
    public func composed(with next: TextEdit) -> TextEdit {
        precondition(resultCount == next.baseCount, "the edits do not follow each other")
        var (left, right) = (TextEditCursor(self), TextEditCursor(next))
        var result = TextEdit()
        while true {
            if left.isRemoving {
                result.remove(left.rest)
                left.take(left.rest)
            } else if let units = right.takeInsertion() {
                result.insert(units)
            } else {
                let count = min(left.rest, right.rest)
                guard count > 0 else { return result }
                if let units = left.insertion(count) {
                    if right.isKeeping { result.insert(units) }
                } else if right.isKeeping {
                    result.keep(count)
                } else {
                    result.remove(count)
                }
                left.take(count)
                right.take(count)
            }
        }
    }
}

/// Goes over an edit's parts in pieces of any length.
struct TextEditCursor {
    private let parts: [TextEdit.Part]
    private var index = 0
    private var taken = 0

    init(_ edit: TextEdit) { parts = edit.parts }

    private var part: TextEdit.Part? { index < parts.count ? parts[index] : nil }

    /// What is left of the part; 0 at the end.
    var rest: Int {
        switch part {
        case .keep(let count), .remove(let count): count - taken
        case .insert(let units): units.count - taken
        case nil: 0
        }
    }

    var isKeeping: Bool { if case .keep = part { true } else { false } }
    var isRemoving: Bool { if case .remove = part { true } else { false } }

    /// So many of the next units of an insertion; nil when the part is none.
    func insertion(_ count: Int) -> [UInt16]? {
        if case .insert(let units) = part { Array(units[taken..<taken + count]) } else { nil }
    }

    /// The rest of an insertion; nil when the part is none.
    mutating func takeInsertion() -> [UInt16]? {
        guard let units = insertion(rest) else { return nil }
        take(units.count)
        return units
    }

    mutating func take(_ count: Int) {
        taken += count
        if rest == 0 { (index, taken) = (index + 1, 0) }
    }
}
