import CSQLite

/// A row of SQLite's, which is read in place.
struct SQLiteRow: SQLRow {
    let statement: OpaquePointer

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
    func bool(_ column: Int32) -> Bool { int(column) != 0 }

    func bytes(_ column: Int32) -> [UInt8] { withText(column, Array.init) }
    func byteCount(_ column: Int32) -> Int { withText(column, \.count) }
    func text(_ column: Int32) -> String { withText(column) { String(decoding: $0, as: UTF8.self) } }

    private func withText<Value>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        // SQLite requires that the text is fetched before its length.
        let start = sqlite3_column_text(statement, column)
        return body(
            UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))))
    }
}
