/// A change of a text: what it keeps, removes and inserts, from the text's beginning to its end.
///
/// Lengths count UTF-16 units, as strings of JavaScript and `NSString` do. An edit fits only texts of its `baseCount`, and
/// never stands between the two units of one character.
public struct TextEdit: Sendable, Equatable {
    public enum Part: Sendable, Equatable {
        case keep(Int)
        case remove(Int)
        case insert([UInt16])
    }

    /// No part is empty, neighbours are of different kinds, and an insertion stands before the removal at its place.
    public private(set) var parts: [Part] = []
    /// The length of the texts that it fits.
    public private(set) var baseCount = 0
    /// The length of the text that it makes.
    public private(set) var resultCount = 0

    public init() {}

    public init(_ parts: [Part]) {
        for part in parts { append(part) }
    }

    /// The edit that changes nothing of a text.
    public static func nothing(_ count: Int) -> TextEdit { TextEdit([.keep(count)]) }

    public var changesNothing: Bool {
        parts.allSatisfy { if case .keep = $0 { true } else { false } }
    }

    /// The approximate memory of the edit.
    public var byteCount: Int {
        parts.reduce(0) { if case .insert(let units) = $1 { $0 + 32 + 2 * units.count } else { $0 + 32 } }
    }

    mutating func append(_ part: Part) {
        switch part {
        case .keep(let count): keep(count)
        case .remove(let count): remove(count)
        case .insert(let units): insert(units)
        }
    }

    public mutating func keep(_ count: Int) {
        guard count > 0 else { return }
        baseCount += count
        resultCount += count
        if case .keep(let before) = parts.last {
            parts[parts.count - 1] = .keep(before + count)
        } else {
            parts.append(.keep(count))
        }
    }

    public mutating func remove(_ count: Int) {
        guard count > 0 else { return }
        baseCount += count
        if case .remove(let before) = parts.last {
            parts[parts.count - 1] = .remove(before + count)
        } else {
            parts.append(.remove(count))
        }
    }

    public mutating func insert(_ units: [UInt16]) {
        guard !units.isEmpty else { return }
        resultCount += units.count
        var index = parts.count
        // At one place the insertion comes first, so that equal edits have equal parts.
        if case .remove = parts.last { index -= 1 }
        if index > 0, case .insert(let before) = parts[index - 1] {
            parts[index - 1] = .insert(before + units)
        } else {
            parts.insert(.insert(units), at: index)
        }
    }

    // MARK: Texts

    /// The text after the edit. Nil when the edit does not fit: it is for a text of another length, or it would cut a
    /// character that has two units.
    public func apply(to text: [UInt16]) -> [UInt16]? {
        guard text.count == baseCount else { return nil }
        var result: [UInt16] = []
        result.reserveCapacity(resultCount)
        var position = 0
        for part in parts {
            guard !text.cutsCharacter(at: position) else { return nil }
            switch part {
            case .keep(let count):
                result.append(contentsOf: text[position..<position + count])
                position += count
            case .remove(let count): position += count
            case .insert(let units): result.append(contentsOf: units)
            }
        }
        return result
    }

    /// The edit that takes this one back. `text` is the text before this edit, which must fit it.
    public func inverted(of text: [UInt16]) -> TextEdit {
        precondition(text.count == baseCount, "an edit of another text")
        var inverse = TextEdit()
        var position = 0
        for part in parts {
            switch part {
            case .keep(let count):
                inverse.keep(count)
                position += count
            case .remove(let count):
                inverse.insert(Array(text[position..<position + count]))
                position += count
            case .insert(let units): inverse.remove(units.count)
            }
        }
        return inverse
    }

    /// Where a place of the text is after the edit. Text that is inserted right there stands behind the place, unless
    /// `isBehind`.
    public func moved(_ place: Int, isBehind: Bool = false) -> Int {
        var (before, after) = (0, 0)
        for part in parts {
            switch part {
            case .keep(let count):
                guard before + count <= place else { return after + place - before }
                before += count
                after += count
            case .remove(let count):
                guard before + count <= place else { return after }
                before += count
            case .insert(let units):
                if before == place, !isBehind { return after }
                after += units.count
            }
        }
        return after
    }
}

extension [UInt16] {
    public init(_ text: String) { self = Array(text.utf16) }

    /// Whether a place is between the two units of one character.
    func cutsCharacter(at place: Int) -> Bool {
        place > 0 && place < count && 0xd800...0xdbff ~= self[place - 1] && 0xdc00...0xdfff ~= self[place]
    }
}

extension String {
    public init(units: [UInt16]) { self = String(decoding: units, as: UTF16.self) }
}
