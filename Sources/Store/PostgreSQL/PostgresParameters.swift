import CPostgres

/// The values of a statement in PostgreSQL's binary form, in one piece of memory.
struct PostgresParameters {
    /// The numbers that PostgreSQL has given its types.
    private enum TypeID {
        static let unknown: Oid = 0
        static let bool: Oid = 16
        static let int8: Oid = 20
        static let text: Oid = 25
        static let float8: Oid = 701
    }

    private var types: [Oid] = []
    /// Nil for null.
    private var ranges: [Range<Int>?] = []
    private var bytes: [UInt8] = []

    init(_ values: [SQLValue]) {
        types.reserveCapacity(values.count)
        ranges.reserveCapacity(values.count)
        for value in values { append(value) }
    }

    private mutating func append(_ value: SQLValue) {
        let start = bytes.count
        switch value {
        case .null:
            types.append(TypeID.unknown)
            return ranges.append(nil)
        case .bool(let bool):
            types.append(TypeID.bool)
            bytes.append(bool ? 1 : 0)
        case .int(let number):
            types.append(TypeID.int8)
            append(UInt64(bitPattern: number))
        case .real(let number):
            types.append(TypeID.float8)
            append(number.bitPattern)
        case .text(var text):
            types.append(TypeID.text)
            text.withUTF8 { PostgresText.append($0, to: &bytes) }
        case .json(let json):
            types.append(TypeID.text)
            json.withUnsafeBufferPointer { PostgresText.append($0, to: &bytes) }
        }
        ranges.append(start..<bytes.count)
    }

    private mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Sends a statement with these values, and does not wait for its result.
    ///
    /// - Returns: whether libpq has taken it.
    func send(_ sql: StaticString, on connection: OpaquePointer) -> Bool {
        bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                // An empty text needs an address, too: without one it would be null.
                let somewhere = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
                let start = bytes.baseAddress ?? somewhere
                let values = ranges.map { range in range.map { UnsafePointer(start + $0.lowerBound) } }
                let lengths = ranges.map { Int32(clamping: $0?.count ?? 0) }
                let formats = [Int32](repeating: 1, count: ranges.count)
                return PQsendQueryParams(
                    connection, somewhere, Int32(clamping: ranges.count), types, values, lengths, formats, 0) == 1
            }
        }
    }
}
