/// An edit of many parts that goes after many changes, unit by unit of the text.
///
/// `TextEdit.transform` meets each part of the edit again with each change, so it costs their product. Here a change copies all
/// that stands between its own parts at once, whatever the edit does there: it costs no more than the text is long. The result
/// is the same, also in the places of texts that meet.
package struct UnitwiseEdit {
    /// A place of the text: what the edit inserts there, and whether it removes the unit that follows.
    private struct Place {
        private var bits: UInt32 = 0

        var isRemoved: Bool {
            get { bits & 1 != 0 }
            set { bits = newValue ? bits | 1 : bits & ~1 }
        }

        /// The index of what is inserted; 0 is nothing.
        var insertion: Int {
            get { Int(bits >> 1) }
            set { bits = UInt32(newValue) << 1 | bits & 1 }
        }
    }

    /// One before each unit of the text, and one at its end. As in `TextEdit`, an insertion stands before the removal at its
    /// place: no unit before it is removed.
    private var places: [Place] = []
    /// The places of the text after a change, while they are made. The two take turns, so a change allocates nothing.
    private var moved: [Place] = []
    private var insertions: [[UInt16]] = [[]]

    package init(_ edit: TextEdit) {
        places.reserveCapacity(edit.baseCount + 1)
        var insertion = 0
        for part in edit.parts {
            switch part {
            case .insert(let units):
                insertion = insertions.count
                insertions.append(units)
            case .keep(let count), .remove(let count):
                var place = Place()
                if case .remove = part { place.isRemoved = true }
                let first = places.count
                places.append(contentsOf: repeatElement(place, count: count))
                places[first].insertion = insertion
                insertion = 0
            }
        }
        var end = Place()
        end.insertion = insertion
        places.append(end)
    }

    /// Goes after a change of the text.
    ///
    /// - Parameter isRepeated: whether the edit may repeat what the change has done, because it comes from the same writer
    ///   again. What both insert at one place is then inserted once.
    package mutating func follow(_ change: TextEdit, isRepeated: Bool = false) {
        precondition(places.count == change.baseCount + 1, "a change of another text")
        if isRepeated { removeRepetition(of: change) }
        moved.removeAll(keepingCapacity: true)
        // The removed units right before `run.end` begin at `run.start`, as far as that is known.
        var run = (start: 0, end: 0)
        var place = 0
        for part in change.parts {
            switch part {
            case .insert(let units): moved.append(contentsOf: repeatElement(Place(), count: units.count))
            case .keep(let count):
                putFirst(place, &run)
                moved.append(contentsOf: places[place..<place + count])
                place += count
            case .remove(let count):
                let next = place + count
                var first = Place()
                for removed in places[place..<next] where removed.insertion != 0 {
                    first.insertion = joined(first, removed)
                }
                places[next].insertion = joined(first, places[next])
                place = next
            }
        }
        putFirst(place, &run)
        moved.append(places[place])
        swap(&places, &moved)
    }

    /// Moves an insertion before the removed units that end at its place.
    private mutating func putFirst(_ place: Int, _ run: inout (start: Int, end: Int)) {
        guard places[place].insertion != 0, moved.last?.isRemoved == true else { return }
        let end = moved.count
        var start = end
        while start > 0, moved[start - 1].isRemoved { start = start == run.end ? run.start : start - 1 }
        run = (start, end)
        moved[start].insertion = joined(moved[start], places[place])
        places[place].insertion = 0
    }

    /// The insertion of two places that have become one.
    private mutating func joined(_ first: Place, _ second: Place) -> Int {
        guard first.insertion != 0, second.insertion != 0 else { return max(first.insertion, second.insertion) }
        insertions[first.insertion] += insertions[second.insertion]
        return first.insertion
    }

    /// Removes the beginnings of its insertions that the change inserts at the same places.
    private mutating func removeRepetition(of change: TextEdit) {
        var place = 0
        for part in change.parts {
            switch part {
            case .keep(let count), .remove(let count): place += count
            case .insert(let known):
                let units = insertions[places[place].insertion]
                if units.count > known.count, units.starts(with: known) {
                    insertions[places[place].insertion].removeFirst(known.count)
                } else if known.starts(with: units) {
                    places[place].insertion = 0
                }
            }
        }
    }

    /// The edit of the text as it is after the changes.
    package var edit: TextEdit {
        var edit = TextEdit()
        var first = 0
        while first < places.count - 1 {
            let isRemoved = places[first].isRemoved
            edit.insert(insertions[places[first].insertion])
            var end = first + 1
            while end < places.count - 1, places[end].isRemoved == isRemoved, places[end].insertion == 0 { end += 1 }
            isRemoved ? edit.remove(end - first) : edit.keep(end - first)
            first = end
        }
        edit.insert(insertions[places[first].insertion])
        return edit
    }
}
