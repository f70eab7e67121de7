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
        for part in parts {
            let end = place + part.baseCount
            if case .remove = part { edit.remove(place..<end, of: text, except: isChanged) } else { edit.append(part) }
            place = end
        }
        return isBehind ? Self.transform(guess, edit).second : Self.transform(edit, guess).first
    }

    /// Removes a part of a text, except words that stay, and the space between one of them and another word.
    private mutating func remove(_ range: Range<Int>, of text: [UInt16], except stays: [Bool]) {
        let isBehindWord = range.lowerBound > 0 && Self.isOfWord(text[range.lowerBound - 1])
        let isBeforeWord = range.upperBound < text.count && Self.isOfWord(text[range.upperBound])
        for place in range {
            let isBetween =
                text[place] == 0x20
                && (isBehindWord && place + 1 < text.count && stays[place + 1]
                    || isBeforeWord && place > 0 && stays[place - 1])
            if stays[place] || isBetween { keep(1) } else { remove(1) }
        }
    }

    /// Which units of a text are of words that this edit changes.
    private func changedWords(of text: [UInt16]) -> [Bool] {
        var marks = [Bool](repeating: false, count: text.count)
        var place = 0
        for part in parts {
            let end = place + part.baseCount
            let isWithin: Bool
            let changed: ArraySlice<UInt16>
            switch part {
            case .keep:
                place = end
                continue
            case .remove: (isWithin, changed) = (false, text[place..<end])
            case .insert(let units): (isWithin, changed) = (Self.cutsWord(text[...], place), units[...])
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
