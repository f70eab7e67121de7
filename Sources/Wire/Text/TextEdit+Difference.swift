/// Edits from texts.
extension TextEdit {
    /// A short edit that makes one text out of another: words that are in both stay.
    ///
    /// It is the way of Myers over words. Texts with more than `differencesMax` words that differ are compared only at their
    /// beginnings and ends, so the time has a bound.
    public init(from old: [UInt16], to new: [UInt16]) {
        self.init(from: old, to: new, shared: Self.common)
    }

    /// The same for texts of which nobody knows how one became the other: no word is made of letters of another one.
    public static func guess(from old: [UInt16], to new: [UInt16]) -> TextEdit {
        TextEdit(from: old, to: new, shared: commonGuess)
    }

    private typealias Shared = (ArraySlice<UInt16>, ArraySlice<UInt16>) -> (head: Int, tail: Int)

    private init(from old: [UInt16], to new: [UInt16], shared: Shared) {
        let (head, tail) = Self.commonWords(old, new)
        keep(head)
        let (oldMiddle, newMiddle) = (old[head..<old.count - tail], new[head..<new.count - tail])
        let (oldWords, newWords) = (Self.words(oldMiddle), Self.words(newMiddle))
        var (from, to) = (oldMiddle.startIndex, newMiddle.startIndex)
        for (oldIndex, newIndex) in Self.matches(oldWords, newWords) {
            replace(old[from..<oldWords[oldIndex].startIndex], new[to..<newWords[newIndex].startIndex], shared)
            keep(oldWords[oldIndex].count)
            (from, to) = (oldWords[oldIndex].endIndex, newWords[newIndex].endIndex)
        }
        replace(old[from..<oldMiddle.endIndex], new[to..<newMiddle.endIndex], shared)
        keep(tail)
    }

    private static let differencesMax = 128

    private mutating func replace(_ old: ArraySlice<UInt16>, _ new: ArraySlice<UInt16>, _ shared: Shared) {
        let (head, tail) = shared(old, new)
        keep(head)
        insert(Array(new.dropFirst(head).dropLast(tail)))
        remove(old.count - head - tail)
        keep(tail)
    }

    /// How many units two texts share at their beginnings and at their ends, without cutting a character.
    private static func common(_ old: ArraySlice<UInt16>, _ new: ArraySlice<UInt16>) -> (head: Int, tail: Int) {
        let most = min(old.count, new.count)
        var head = 0
        while head < most, old[old.startIndex + head] == new[new.startIndex + head] { head += 1 }
        if head > 0, 0xd800...0xdbff ~= old[old.startIndex + head - 1] { head -= 1 }
        var tail = 0
        while tail < most - head, old[old.endIndex - 1 - tail] == new[new.endIndex - 1 - tail] { tail += 1 }
        if tail > 0, 0xdc00...0xdfff ~= old[old.endIndex - tail] { tail -= 1 }
        return (head, tail)
    }

    /// The same without cutting a word, unless that has only more letters, or less. Without spaces nobody knows where words begin.
    private static func commonGuess(_ old: ArraySlice<UInt16>, _ new: ArraySlice<UInt16>) -> (head: Int, tail: Int) {
        var (head, tail) = common(old, new)
        let (removed, inserted) = (old.dropFirst(head).dropLast(tail), new.dropFirst(head).dropLast(tail))
        if removed.isEmpty || inserted.isEmpty, (removed + inserted).allSatisfy(isOfWord) { return (head, tail) }
        if [old, new].contains(where: { cutsWord($0, $0.startIndex + head) }) {
            head -= letters(old, old.startIndex + head - 1, -1)
        }
        if [old, new].contains(where: { cutsWord($0, $0.endIndex - tail) }) {
            tail -= letters(old, old.endIndex - tail, 1)
        }
        return (head, tail)
    }

    /// Whether a place is within a word.
    static func cutsWord(_ text: ArraySlice<UInt16>, _ place: Int) -> Bool {
        place > text.startIndex && place < text.endIndex && isOfSpacedWord(text[place - 1])
            && isOfSpacedWord(text[place])
    }

    /// Longer runs of letters are no words: some languages write without spaces.
    private static let wordMax = 32

    /// How many letters of a word stand at a place and behind it in one direction; 0 if that is too long for a word.
    static func letters(_ text: ArraySlice<UInt16>, _ place: Int, _ step: Int) -> Int {
        var count = 0
        while count <= wordMax, text.indices.contains(place + step * count), isOfSpacedWord(text[place + step * count])
        {
            count += 1
        }
        return count > wordMax ? 0 : count
    }

    /// Chinese and Japanese have no spaces between words: a character is a word there.
    static func isOfSpacedWord(_ unit: UInt16) -> Bool {
        isOfWord(unit) && !(0x2e80...0xa4cf ~= unit || 0xf900...0xfaff ~= unit)
    }

    /// The same without cutting a word. A new word before one that begins with the same letters does not become one within it, of
    /// which a part goes when another user removes that word.
    private static func commonWords(_ old: [UInt16], _ new: [UInt16]) -> (head: Int, tail: Int) {
        var (head, tail) = common(old[...], new[...])
        let endsInWord = [old, new].contains { head < $0.count && isOfWord($0[head]) }
        if endsInWord { while head > 0, isOfWord(old[head - 1]) { head -= 1 } }
        let beginsInWord = [old, new].contains { tail < $0.count && isOfWord($0[$0.count - 1 - tail]) }
        if beginsInWord { while tail > 0, isOfWord(old[old.count - tail]) { tail -= 1 } }
        return (head, tail)
    }

    /// Runs of letters and digits, and every other unit by itself. All that is not ASCII counts as a letter.
    private static func words(_ text: ArraySlice<UInt16>) -> [ArraySlice<UInt16>] {
        var words: [ArraySlice<UInt16>] = []
        var start = text.startIndex
        for index in text.indices {
            let end = index + 1
            if end < text.endIndex, isOfWord(text[index]), isOfWord(text[end]) { continue }
            words.append(text[start..<end])
            start = end
        }
        return words
    }

    static func isOfWord(_ unit: UInt16) -> Bool {
        switch unit {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x80...: true
        default: false
        }
    }

    /// The places of words that stay, in both lists.
    private static func matches(_ old: [ArraySlice<UInt16>], _ new: [ArraySlice<UInt16>]) -> [(Int, Int)] {
        var numbers: [ArraySlice<UInt16>: Int] = [:]
        for word in old + new where numbers[word] == nil { numbers[word] = numbers.count }
        let (old, new) = (old.map { numbers[$0] }, new.map { numbers[$0] })
        let rows = Self.rows(old, new)
        let middle = differencesMax + 1
        var matches: [(Int, Int)] = []
        var (x, y) = (old.count, new.count)
        for distance in rows.indices.reversed() {
            let (row, diagonal) = (rows[distance], x - y)
            let isInsertion =
                diagonal == -distance
                || (diagonal != distance && row[middle + diagonal - 1] < row[middle + diagonal + 1])
            let before = isInsertion ? diagonal + 1 : diagonal - 1
            let fromX = distance == 0 ? 0 : row[middle + before]
            let fromY = distance == 0 ? 0 : fromX - before
            while x > fromX, y > fromY {
                (x, y) = (x - 1, y - 1)
                matches.append((x, y))
            }
            (x, y) = (fromX, fromY)
        }
        return matches.reversed()
    }

    /// How far each diagonal was reached before each step of Myers' way. Empty when the way has too many steps.
    private static func rows(_ old: [Int?], _ new: [Int?]) -> [[Int]] {
        let middle = differencesMax + 1
        var reached = [Int](repeating: 0, count: 2 * middle + 1)
        var rows: [[Int]] = []
        for distance in 0...differencesMax {
            rows.append(reached)
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let (left, right) = (reached[middle + diagonal - 1], reached[middle + diagonal + 1])
                let isInsertion = diagonal == -distance || (diagonal != distance && left < right)
                var x = isInsertion ? right : left + 1
                while x < old.count, x - diagonal < new.count, old[x] == new[x - diagonal] { x += 1 }
                reached[middle + diagonal] = x
                if x >= old.count, x - diagonal >= new.count { return rows }
            }
        }
        return []
    }
}
