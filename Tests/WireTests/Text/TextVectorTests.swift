import Foundation
import Testing
import Wire

/// `docs/text-edits.json` has edits with their results, for other implementations. It is what this one computes.
///
/// With `ROOMS_WRITE_VECTORS=1` the test writes the file.
@Suite struct TextVectorTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/text-edits.json").standardized

    @Test("The vectors in docs are what edits do")
    func vectors() throws {
        let text = Self.text()
        if ProcessInfo.processInfo.environment["ROOMS_WRITE_VECTORS"] != nil {
            try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: Self.file, encoding: .utf8) == text)
    }

    private static func text() -> String {
        var random = SmallRandom(seed: 11)
        let pairs = (0..<120).map { _ in pair(&random) }
        let differences = (0..<80).map { _ in difference(&random) }
        let repetitions = [("hel", "hello"), ("hello", "hel"), ("a", "a"), ("a", "b")].map(repetition)
        let guesses = Self.guesses.map(guess)
        return """
            {
            "edits": [
            \(pairs.joined(separator: ",\n"))
            ],
            "differences": [
            \(differences.joined(separator: ",\n"))
            ],
            "repetitions": [
            \(repetitions.joined(separator: ",\n"))
            ],
            "guesses": [
            \(guesses.joined(separator: ",\n"))
            ]
            }

            """
    }

    private static func pair(_ random: inout SmallRandom) -> String {
        let text = random.text(random.below(6))
        let (first, second) = (random.edit(of: text), random.edit(of: text))
        let after = TextEdit.transform(first, second)
        let result = first.apply(to: text).flatMap(after.second.apply(to:)) ?? []
        return object([
            ("text", string(text)), ("first", json(first)), ("second", json(second)),
            ("firstAfterSecond", json(after.first)), ("secondAfterFirst", json(after.second)),
            ("firstThenSecond", json(first.composed(with: after.second))),
            ("firstInverted", json(first.inverted(of: text))), ("result", string(result)),
        ])
    }

    private static func difference(_ random: inout SmallRandom) -> String {
        let old = random.text(random.below(9))
        let new = random.percent(60) ? random.edit(of: old).apply(to: old) ?? [] : random.text(random.below(9))
        return object([("old", string(old)), ("new", string(new)), ("changes", json(TextEdit(from: old, to: new)))])
    }

    private static func repetition(_ first: String, _ second: String) -> String {
        let (first, second) = (SmallEdits.edit(1, first, 1), SmallEdits.edit(1, second, 1))
        return object([
            ("first", json(first)), ("second", json(second)),
            ("secondAfterFirst", json(second.transformed(after: first, isRepeated: true))),
        ])
    }

    /// Texts before and after, an edit of the first one, and what a writer shows then.
    private static let guesses: [(old: String, new: String, edit: TextEdit)] = [
        ("an apple pie", "an ample pie", SmallEdits.edit(3, -6, 3)),
        ("an apple pie", "an ample pie", SmallEdits.edit(2, -6, 4)),
        ("an apple pie", "an ample pie", SmallEdits.edit(3, -9)),
        ("one an apple two pie", "one an ample two pie", SmallEdits.edit(4, -13, 3)),
        ("apple", "apples", SmallEdits.edit(-5)), ("one two three", "one two trees", SmallEdits.edit(4, -4, 5)),
        ("helo", "helos", SmallEdits.edit(3, "l", 1)), ("one two", "ones two", SmallEdits.edit("three", -3, 4)),
        ("one two", "one tower", SmallEdits.edit(4, "new ", 3)),
        ("aaab aabab aaca", "aaba aabca", SmallEdits.edit(15, " z")),
        ("cat dog", "cats dogs", SmallEdits.edit(-7)), ("milk\neggs\nbred", "milks\neggs\nbread", SmallEdits.edit(-14)),
        ("don't go", "do not go", SmallEdits.edit(-6, 2)),
        ("one two three", "one two trees", SmallEdits.edit(8, "four", -5)),
        ("a\ncat\ndog\nb", "a\ncats\ndogs\nb", SmallEdits.edit(1, -8, 2)),
        ("我爱苹果", "我很爱苹果", SmallEdits.edit(2, -1, 1)), ("a😀b c", "a😁b c", SmallEdits.edit(-5, 1)),
    ]

    private static func guess(_ old: String, _ new: String, _ edit: TextEdit) -> String {
        let (old, new) = ([UInt16](old), [UInt16](new))
        var writer = TextWriter(old, version: 1)
        writer.write(edit)
        _ = writer.reset(new, version: 2)
        return object([
            ("old", string(old)), ("new", string(new)), ("changes", json(TextEdit.guess(from: old, to: new))),
            ("edit", json(edit)), ("result", string(writer.text)),
        ])
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
    }

    private static func string(_ units: [UInt16]) -> String {
        var bytes: [UInt8] = []
        bytes.appendJSONString(String(units: units).utf8.span)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func json(_ edit: TextEdit) -> String {
        var bytes: [UInt8] = []
        edit.appendJSON(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
