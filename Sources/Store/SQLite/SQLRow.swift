import CSQLite

/// A row of a result. Good until the next row is asked for.
struct SQLRow {
    let statement: OpaquePointer

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
    func bool(_ column: Int32) -> Bool { int(column) != 0 }
    /// A file that was tampered with may hold a negative number.
    func seq(_ column: Int32) -> UInt64 { UInt64(clamping: int(column)) }

    func bytes(_ column: Int32) -> [UInt8] {
        // The text is asked for before its length: SQLite's rule.
        guard let start = sqlite3_column_text(statement, column) else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(statement, column) else { return "" }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }
    func optionalReal(_ column: Int32) -> Double? { isNull(column) ? nil : real(column) }
}
