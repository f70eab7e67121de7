import Testing
import Wire

/// An edit that goes after many changes: the same as one by one, at less cost.
@Suite struct UnitwiseEditTests {
    private static func oneByOne(_ edit: TextEdit, _ changes: [TextEdit], _ isRepeated: (Int) -> Bool) -> TextEdit {
        changes.indices.reduce(edit) { $0.transformed(after: changes[$1], isRepeated: isRepeated($1)) }
    }

    private static func unitwise(_ edit: TextEdit, _ changes: [TextEdit], _ isRepeated: (Int) -> Bool) -> TextEdit {
        var units = UnitwiseEdit(edit)
        for index in changes.indices { units.follow(changes[index], isRepeated: isRepeated(index)) }
        return units.edit
    }

    @Test("Every edit of a short text after every two changes is what it is one by one")
    func allShortChains() {
        var count = 0
        for length in 0...2 {
            let edits = SmallEdits.all(length, ["", "x", "yz"])
            for (first, change) in SmallEdits.all(length, ["", "p"]).enumerated() {
                for (second, next) in SmallEdits.all(change.resultCount, ["", "y"]).enumerated()
                where change.resultCount < 4 || (first + second).isMultiple(of: 7) {
                    for edit in edits {
                        for isRepeated in [false, true] {
                            let same =
                                Self.unitwise(edit, [change, next]) { _ in isRepeated }
                                == Self.oneByOne(edit, [change, next]) { _ in isRepeated }
                            if !same { Issue.record("\(edit.parts) after \(change.parts), \(next.parts)") }
                            count += 1
                        }
                    }
                }
            }
        }
        #expect(count == 505_860)
    }

    @Test("An edit of many parts after many changes of many parts is what it is one by one", arguments: 1...40)
    func longChains(seed: UInt64) {
        var random = SmallRandom(seed: seed)
        for _ in 0..<25 {
            var text = random.text(random.below(60))
            let edit = random.edit(of: text, places: random.below(40))
            var changes: [TextEdit] = []
            for _ in 0..<random.below(30) {
                // Now and then a writer says again what the edit says.
                let change =
                    random.percent(10) && edit.apply(to: text) != nil
                    ? edit : random.edit(of: text, places: random.below(6))
                changes.append(change)
                text = change.apply(to: text) ?? []
            }
            let repeating = random.below(3)
            let isRepeated = { (index: Int) in repeating > 0 && index.isMultiple(of: repeating) }
            let result = Self.unitwise(edit, changes, isRepeated)
            #expect(result == Self.oneByOne(edit, changes, isRepeated))
            let numbered = changes.enumerated().lazy.map { (edit: $0.element, isRepeated: isRepeated($0.offset)) }
            #expect(edit.transformed(after: numbered) == result)
            #expect(result.apply(to: text) != nil)
        }
    }
}
