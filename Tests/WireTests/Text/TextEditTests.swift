import Testing
import Wire

/// Edits of texts: what they make, and that all orders of them make the same.
@Suite struct TextEditTests {
    @Test("Every two edits of a short text converge, whichever comes first")
    func allPairs() {
        var count = 0
        for length in 0...3 {
            let text = [UInt16](String("abc".prefix(length)))
            let lefts = SmallEdits.all(length, length < 3 ? ["", "x", "yz"] : ["", "x"])
            let rights = SmallEdits.all(length, length < 3 ? ["", "p", "xq"] : ["", "q"])
            for left in lefts {
                for right in rights where !Self.converge(text, left, right) {
                    Issue.record("\(left.parts) and \(right.parts) of \(length) units do not converge")
                }
            }
            count += lefts.count * rights.count
        }
        #expect(count == 9 + 324 + 11_664 + 16_384)
    }

    private static func converge(_ text: [UInt16], _ left: TextEdit, _ right: TextEdit) -> Bool {
        let (newLeft, newRight) = TextEdit.transform(left, right)
        guard let one = left.apply(to: text), let other = right.apply(to: text),
            let both = newRight.apply(to: one), newLeft.apply(to: other) == both
        else { return false }
        return left.composed(with: newRight).apply(to: text) == both
            && right.composed(with: newLeft).apply(to: text) == both
            && right.transformed(after: left) == newRight
    }

    @Test("Every edit of a short text is taken back by its inverse, and is the same after its JSON")
    func inverses() throws {
        for edit in SmallEdits.all(3, ["", "x", "ü\"𝄞"]) {
            let text = [UInt16]("abc")
            let new = try #require(edit.apply(to: text))
            #expect(edit.inverted(of: text).apply(to: new) == text)
            var json: [UInt8] = []
            edit.appendJSON(to: &json)
            #expect(TextEdit(json: json.span, 0..<json.count, unitsMax: 100) == edit)
        }
    }

    @Test("At one place the text of the first stands first")
    func ties() {
        let (first, second) = (SmallEdits.edit(1, "x", 1), SmallEdits.edit(1, "y", 1))
        #expect(second.transformed(after: first) == SmallEdits.edit(2, "y", 1))
        #expect(TextEdit.transform(first, second).first == SmallEdits.edit(1, "x", 2))
    }

    @Test("An insertion into text that the other removes stays")
    func insertionIntoRemoved() {
        let edit = SmallEdits.edit(2, "x", 2).transformed(after: SmallEdits.edit(-4))
        #expect(edit.apply(to: []) == [UInt16]("x"))
    }

    @Test("What the same writer sends again, or goes on with, is inserted once")
    func repetitions() {
        let first = SmallEdits.edit(1, "hel", 1)
        let again = { (text: String) in
            SmallEdits.edit(1, text, 1).transformed(after: first, isRepeated: true).apply(to: [UInt16]("ahelb"))
                .map(String.init(units:))
        }
        #expect(again("hel") == "ahelb")
        #expect(again("hello") == "ahellob")
        #expect(again("h") == "ahelb")
        #expect(again("x") == "ahelxb")
    }

    @Test("An edit fits only texts of its length, and cuts no character")
    func fitting() {
        let text = [UInt16]("a𝄞b")
        #expect(text.count == 4)
        #expect(SmallEdits.edit(3, "x", 1).apply(to: text) == [UInt16]("a𝄞xb"))
        #expect(SmallEdits.edit(1, -2, 1).apply(to: text) == [UInt16]("ab"))
        for edit in [SmallEdits.edit(2, "x", 2), SmallEdits.edit(1, -1, 2), SmallEdits.edit(2, -1, 1)] {
            #expect(edit.apply(to: text) == nil)
        }
        #expect(SmallEdits.edit(3).apply(to: text) == nil)
        #expect(TextEdit().apply(to: []) == [])
    }

    @Test("JSON that is no edit is refused")
    func badJSON() {
        for json in [
            "", "{}", "1", "[0]", "[\"\"]", "[1.5]", "[null]", "[[1]]", "[true]", "[1", "[101]", "[-101]", "[60,60]",
        ] {
            let bytes = Array(json.utf8)
            #expect(TextEdit(json: bytes.span, 0..<bytes.count, unitsMax: 100) == nil, "\(json)")
        }
        let many = Array("[\(Array(repeating: "1", count: TextEdit.partsMax + 1).joined(separator: ","))]".utf8)
        #expect(TextEdit(json: many.span, 0..<many.count, unitsMax: 10_000) == nil)
        let long = Array("[\"\(String(repeating: "a", count: 201))\"]".utf8)
        #expect(TextEdit(json: long.span, 0..<long.count, unitsMax: 100) == nil)
    }

    @Test("A place moves with what is inserted and removed before it")
    func places() {
        let edit = SmallEdits.edit(1, "xy", 1, -1, 2)
        #expect((0...5).map { edit.moved($0) } == [0, 1, 4, 4, 5, 6])
        #expect(edit.moved(1, isBehind: true) == 3)
    }

    @Test("The difference of two texts keeps the words that are in both")
    func differences() {
        let parts = { (old: String, new: String) in TextEdit(from: [UInt16](old), to: [UInt16](new)).parts }
        #expect(parts("one two", "one two") == [.keep(7)])
        #expect(parts("", "a") == [.insert([UInt16]("a"))])
        #expect(
            parts("the quick brown fox", "the slow brown fox jumps")
                == [.keep(4), .insert([UInt16]("slow")), .remove(5), .keep(10), .insert([UInt16](" jumps"))])
        // A word stays whole beside one that begins or ends like it.
        #expect(parts("tomato", "tower tomato") == [.insert([UInt16]("tower ")), .keep(6)])
        #expect(parts("tomato", "tomato potato") == [.keep(6), .insert([UInt16](" potato"))])
        #expect(parts("tomato", "tomatos") == [.keep(6), .insert([UInt16]("s"))])
        // The two characters share their first unit.
        #expect(parts("a𝄞", "a𝄢") == [.keep(1), .insert([UInt16]("𝄢")), .remove(2)])
    }

    @Test("The difference of any two texts makes the one out of the other")
    func anyDifferences() {
        var random = SmallRandom(seed: 5)
        for _ in 0..<2_000 {
            let old = random.text(random.below(12))
            let new = random.percent(50) ? random.edit(of: old).apply(to: old) ?? [] : random.text(random.below(12))
            #expect(TextEdit(from: old, to: new).apply(to: old) == new)
        }
        let (long, other) = (random.text(3_000), random.text(3_000))
        #expect(TextEdit(from: long, to: other).apply(to: long) == other)
    }
}
