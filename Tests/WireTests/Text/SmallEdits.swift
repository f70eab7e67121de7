import Wire

/// Edits for tests.
enum SmallEdits {
    /// All edits of texts of a length, with any of these texts at each place.
    static func all(_ length: Int, _ insertions: [String]) -> [TextEdit] {
        var edits = [TextEdit()]
        for place in 0...length {
            edits = edits.flatMap { edit in
                insertions.map { text in
                    var edit = edit
                    edit.insert([UInt16](text))
                    return edit
                }
            }
            guard place < length else { break }
            edits = edits.flatMap { edit in
                var (kept, removed) = (edit, edit)
                kept.keep(1)
                removed.remove(1)
                return [kept, removed]
            }
        }
        return edits
    }

    /// As in JSON: numbers and texts.
    static func edit(_ parts: Any...) -> TextEdit {
        TextEdit(
            parts.map { part in
                if let text = part as? String { return .insert([UInt16](text)) }
                let number = part as? Int ?? 0
                return number > 0 ? .keep(number) : .remove(-number)
            })
    }
}

/// Chance that is the same for the same seed.
struct SmallRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return Int((bits ^ bits >> 31) % UInt64(bound))
    }

    mutating func percent(_ chance: Int) -> Bool { below(100) < chance }

    mutating func word() -> [UInt16] { [UInt16](["a", "1", "-2 ", "c d", "😀", "é", "\n", "word ", "\"𝄞\\"][below(9)]) }

    mutating func text(_ words: Int) -> [UInt16] { (0..<words).flatMap { _ in word() } }

    /// An edit that inserts and removes at a few places, or at so many, and cuts no character.
    mutating func edit(of text: [UInt16], places: Int? = nil) -> TextEdit {
        var (edit, place) = (TextEdit(), 0)
        for _ in 0..<(places ?? below(4)) {
            let next = wholePlace(place + below(text.count - place + 1), text, atLeast: place)
            edit.keep(next - place)
            place = next
            if percent(60) {
                edit.insert(word())
            } else {
                let end = wholePlace(min(text.count, place + below(6)), text, atLeast: place)
                edit.remove(end - place)
                place = end
            }
        }
        edit.keep(text.count - place)
        return edit
    }

    private func wholePlace(_ place: Int, _ text: [UInt16], atLeast least: Int) -> Int {
        let cuts = place > 0 && place < text.count && 0xdc00...0xdfff ~= text[place]
        return max(cuts ? place - 1 : place, least)
    }
}
