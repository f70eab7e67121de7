/// A table as `StoreMove` copies it: in the order of its key, page by page.
///
/// Its three statements follow from its columns, but they are literals, as all statements of the store are (`SQLConnection`).
struct MovedTable {
    enum Kind {
        case int, text, bool, real
    }

    let name: String
    let columns: [Kind]
    /// How many of the first columns are the key.
    let keyCount: Int
    /// Rows after a key, with a limit.
    let select: StaticString
    /// The greatest key.
    let last: StaticString
    let insert: StaticString

    /// Less than all keys.
    var start: [SQLValue] { columns.prefix(keyCount).map { $0 == .int ? .int(Int64.min) : .text("") } }

    func values(_ row: any SQLRow) -> [SQLValue] { columns.indices.map { value(row, $0) } }

    func key(_ row: any SQLRow) -> [SQLValue] { (0..<keyCount).map { value(row, $0) } }

    private func value(_ row: any SQLRow, _ index: Int) -> SQLValue {
        let column = Int32(clamping: index)
        if row.isNull(column) { return .null }
        return switch columns[index] {
        case .int: .int(row.int(column))
        case .text: .json(row.bytes(column))
        case .bool: .bool(row.bool(column))
        case .real: .real(row.real(column))
        }
    }

    /// All tables with data, each after those that it refers to. Codes and limits last an hour or a day: a new place
    /// begins without.
    static let all = accounts + people + profiles + rooms + services + library + invitations + operators + recordings
}
