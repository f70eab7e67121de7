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
        static let bools: Oid = 1_000
        static let texts: Oid = 1_009
        static let int8s: Oid = 1_016
    }

    /// The type of the values in a column of a table.
    enum Column {
        case bool, int, text

        fileprivate var typeID: Oid {
            switch self {
            case .bool: TypeID.bool
            case .int: TypeID.int8
            case .text: TypeID.text
            }
        }

        fileprivate var arrayID: Oid {
            switch self {
            case .bool: TypeID.bools
            case .int: TypeID.int8s
            case .text: TypeID.texts
            }
        }
    }

    private var types: [Oid] = []
    /// Nil for null.
    private var ranges: [Range<Int>?] = []
    private var bytes: [UInt8] = []

    init(_ values: [SQLValue]) {
        types.reserveCapacity(values.count)
        ranges.reserveCapacity(values.count)
        for value in values {
            types.append(Self.type(of: value))
            let start = bytes.count
            ranges.append(append(value) ? start..<bytes.count : nil)
        }
    }

    /// The rows of a table as one array for each column, for `unnest`.
    init(_ columns: [Column], _ rows: [[SQLValue]]) {
        for (index, column) in columns.enumerated() {
            let start = bytes.count
            types.append(column.arrayID)
            // One dimension, which begins at 1; there may be nulls.
            for number in [1, 1, column.typeID, UInt32(clamping: rows.count), 1] { append(number) }
            for row in rows {
                let place = bytes.count
                append(UInt32.max)
                guard append(row[index]) else { continue }
                let count = UInt32(clamping: bytes.count - place - 4)
                withUnsafeBytes(of: count.bigEndian) { bytes.replaceSubrange(place..<place + 4, with: $0) }
            }
            ranges.append(start..<bytes.count)
        }
    }

    private static func type(of value: SQLValue) -> Oid {
        switch value {
        case .null: TypeID.unknown
        case .bool: TypeID.bool
        case .int: TypeID.int8
        case .real: TypeID.float8
        case .text, .json: TypeID.text
        }
    }

    /// Returns false for null, which has no bytes.
    private mutating func append(_ value: SQLValue) -> Bool {
        switch value {
        case .null: return false
        case .bool(let bool): bytes.append(bool ? 1 : 0)
        case .int(let number): append(UInt64(bitPattern: number))
        case .real(let number): append(number.bitPattern)
        case .text(var text): text.withUTF8 { PostgresText.append($0, to: &bytes) }
        case .json(let json): json.withUnsafeBufferPointer { PostgresText.append($0, to: &bytes) }
        }
        return true
    }

    private mutating func append(_ number: some FixedWidthInteger) {
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
