/// Edits that meet one that is only guessed, as the difference of two texts.
extension TextEdit {
    /// This edit as it follows a guess of the same text. A word that has changed may be another word now, which shares letters
    /// with the old one: nothing of it is removed.
    ///
    /// - Parameter isBehind: whether at one place the text of this edit stands behind that of the guess. Otherwise it stands first.
    func follow(guess: TextEdit, of text: [UInt16], isBehind: Bool) -> TextEdit {
        let isChanged = guess.changedWords(of: text)
        var edit = TextEdit()
        var place = 0
        for (index, part) in parts.enumerated() {
            let end = place + part.baseCount
            if case .remove = part { edit.remove(place..<end, of: text, except: isChanged) } else { edit.append(part) }
            if case .insert(let units) = part, units.last.map(Self.isOfSpacedWord) == true, index + 1 < parts.count,
                case .remove(let count) = parts[index + 1], Self.isWord(place..<place + count, of: text, isChanged)
            {
                edit.insert([0x20])
            }
            place = end
        }
        return isBehind ? Self.transform(guess, edit).second : Self.transform(edit, guess).first
    }

    /// Whether a part of a text begins and ends with words, of which the first one stays.
    private static func isWord(_ range: Range<Int>, of text: [UInt16], _ stays: [Bool]) -> Bool {
        stays[range.lowerBound] && isOfSpacedWord(text[range.lowerBound]) && !cutsWord(text[...], range.lowerBound)
            && !cutsWord(text[...], range.upperBound)
    }

    /// Removes a part of a text, except words that stay, and what is between one of them and another word.
    private mutating func remove(_ range: Range<Int>, of text: [UInt16], except stays: [Bool]) {
        let isBehindWord = range.lowerBound > 0 && Self.isOfWord(text[range.lowerBound - 1])
        let isBeforeWord = range.upperBound < text.count && Self.isOfWord(text[range.upperBound])
        let lastWord = isBeforeWord ? range.upperBound : stays[..<range.upperBound].lastIndex(of: true) ?? -1
        for place in range {
            let isSpace = text[place] == 0x20 || text[place] == 0x0a
            let isBetween =
                isSpace
                && (isBehindWord && place + 1 < text.count && stays[place + 1]
                    || place < lastWord && place > 0 && stays[place - 1])
            if stays[place] || isBetween { keep(1) } else { remove(1) }
        }
    }

    /// Which units of a text are of words that this edit changes, or puts others in place of.
    private func changedWords(of text: [UInt16]) -> [Bool] {
        var marks = [Bool](repeating: false, count: text.count)
        var (place, isReplaced) = (0, false)
        for part in parts {
            let end = place + part.baseCount
            let isWithin: Bool
            let changed: ArraySlice<UInt16>
            switch part {
            case .keep:
                (place, isReplaced) = (end, false)
                continue
            case .remove:
                if isReplaced { for unit in place..<end { marks[unit] = true } }
                (isWithin, changed, isReplaced) = (false, text[place..<end], false)
            case .insert(let units):
                (isWithin, changed, isReplaced) = (Self.cutsWord(text[...], place), units[...], true)
            }
            if isWithin || changed.first.map(Self.isOfSpacedWord) == true {
                for unit in place - Self.letters(text[...], place - 1, -1)..<place { marks[unit] = true }
            }
            if isWithin || changed.last.map(Self.isOfSpacedWord) == true {
                for unit in end..<end + Self.letters(text[...], end, 1) { marks[unit] = true }
            }
            place = end
        }
        return marks
    }
}

extension TextEdit.Part {
    /// How many units of the text before are of this part.
    fileprivate var baseCount: Int {
        switch self {
        case .keep(let count), .remove(let count): count
        case .insert: 0
        }
    }
}
