import Rooms
import Wire

/// The columns of elements.
enum ElementColumns {
    /// The columns from `id` on, in the order in which the functions here read them.
    ///
    /// - Parameter era: its column, for the room's home.
    static func stored(_ row: any SQLRow, from column: Int32, era: Int32? = nil) -> StoredElement {
        var values = Element.noValues
        for field in Element.Field.allCases { values[field.rawValue] = row.bytes(column + 9 + Int32(field.rawValue)) }
        let element = Element(
            stored: row.text(column), kind: Element.Kind(rawValue: row.text(column + 2)) ?? .note,
            createdBy: row.bytes(column + 3), createdAt: row.int(column + 4), values: values,
            version: RoomEra.bounded(version: row.int(column + 5)), updatedAt: row.optionalInt(column + 6),
            updatedBy: row.bytes(column + 7), era: era.map { RoomEra.bounded(row.int($0)) } ?? 0)
        return StoredElement(element: element, creation: row.optionalText(column + 8), seq: row.seq(column + 1))
    }

    static func tombstone(_ row: any SQLRow, from column: Int32, deletedAt: Int64) -> Tombstone {
        Tombstone(
            id: row.text(column), version: Int(row.int(column + 5)), seq: row.seq(column + 1), deletedAt: deletedAt)
    }
}
