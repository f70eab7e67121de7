import CPostgres
import Glibc

/// A row of a result of PostgreSQL, whose values are texts.
struct PostgresRow: SQLRow {
    let result: OpaquePointer
    let row: Int32

    func isNull(_ column: Int32) -> Bool { PQgetisnull(result, row, column) == 1 }
    func int(_ column: Int32) -> Int64 { Int64(strtoll(PQgetvalue(result, row, column), nil, 10)) }
    func real(_ column: Int32) -> Double { strtod(PQgetvalue(result, row, column), nil) }
    func bool(_ column: Int32) -> Bool { stored(column).first == UInt8(ascii: "t") }

    func bytes(_ column: Int32) -> [UInt8] { PostgresText.decode(stored(column)) }
    func byteCount(_ column: Int32) -> Int { bytes(column).count }
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    private func stored(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let start = UnsafeRawPointer(PQgetvalue(result, row, column))?.assumingMemoryBound(to: UInt8.self)
        return UnsafeBufferPointer(start: start, count: start == nil ? 0 : Int(PQgetlength(result, row, column)))
    }
}
