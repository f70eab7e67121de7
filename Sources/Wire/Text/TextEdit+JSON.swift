/// An edit as JSON: an array in which a positive number keeps so many units, a negative one removes so many, and a string is
/// inserted.
extension TextEdit {
    /// The most parts of an edit that a client sends.
    public static let partsMax = 512

    /// - Parameter range: where the array stands in the bytes.
    /// - Returns: nil when it is not an edit of a text of at most `unitsMax` units.
    public init?(json bytes: Span<UInt8>, _ range: Range<Int>, unitsMax: Int) {
        var items = JSONItems(range: range)
        var count = 0
        do throws(JSONError) {
            while let item = try items.next(in: bytes) {
                count += 1
                guard count <= Self.partsMax, let part = Self.part(item, bytes, unitsMax) else { return nil }
                append(part)
                guard baseCount <= unitsMax, resultCount <= 2 * unitsMax else { return nil }
            }
        } catch {
            return nil
        }
    }

    private static func part(_ item: JSONField, _ bytes: Span<UInt8>, _ unitsMax: Int) -> Part? {
        if let number = item.int(in: bytes) {
            guard number != 0, -unitsMax...unitsMax ~= number else { return nil }
            return number > 0 ? .keep(number) : .remove(-number)
        }
        guard let text = item.string(in: bytes), !text.isEmpty else { return nil }
        return .insert([UInt16](text))
    }

    public func appendJSON(to bytes: inout [UInt8]) {
        bytes.append(JSONByte.leftBracket)
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            switch part {
            case .keep(let count): bytes.appendDecimal(count)
            case .remove(let count): bytes.appendDecimal(-count)
            case .insert(let units): bytes.appendJSONString(String(units: units).utf8.span)
            }
        }
        bytes.append(JSONByte.rightBracket)
    }
}
