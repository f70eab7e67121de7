/// A row of a result. Valid until the next row is asked for. Columns count from 0.
protocol SQLRow {
    func isNull(_ column: Int32) -> Bool
    func int(_ column: Int32) -> Int64
    func real(_ column: Int32) -> Double
    func bool(_ column: Int32) -> Bool
    /// The bytes of a text; none where it is null.
    func bytes(_ column: Int32) -> [UInt8]
    func byteCount(_ column: Int32) -> Int
    func text(_ column: Int32) -> String
}

extension SQLRow {
    /// A manipulated file may hold a negative number.
    func seq(_ column: Int32) -> UInt64 { UInt64(clamping: int(column)) }
    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
    func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }
    func optionalReal(_ column: Int32) -> Double? { isNull(column) ? nil : real(column) }
}
