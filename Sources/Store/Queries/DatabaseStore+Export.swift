import Wire

extension DatabaseStore {
    package func export(
        of person: String, after cursor: String?, files: String, then answer: @escaping Answer<ExportPart>
    ) {
        read(then: answer) { [limits] (database) throws(StoreError) in
            var place = try ExportPlace(cursor)
            var lists: [(name: String, rows: [[UInt8]])] = []
            var (rowCount, byteCount) = (0, 0)
            while let table = place.table, rowCount < limits.pageItemsMax, byteCount < limits.pageBytesMax {
                let most = min(limits.pageItemsMax - rowCount, 50)
                let found = try table.rows(of: person, after: place.key, limit: most, files: files, database)
                if !found.isEmpty {
                    if lists.last?.name != table.name { lists.append((table.name, [])) }
                    lists[lists.count - 1].rows += found.map(\.json)
                }
                rowCount += found.count
                byteCount += found.reduce(0) { $0 + $1.json.count }
                place.move(after: found.count == most ? found.last?.key : nil)
            }
            var json: [UInt8] = []
            JSONWriter.write(into: &json) { json in
                json.beginObject()
                for list in lists {
                    json.key(list.name)
                    json.beginArray()
                    for row in list.rows { json.raw(row.span) }
                    json.endArray()
                }
                json.endObject()
            }
            return ExportPart(json: json, next: place.cursor)
        }
    }
}

/// How far an export has come.
private struct ExportPlace {
    private var index = 0
    /// Of the last row; nil before the first.
    private(set) var key: [SQLValue]?

    init(_ cursor: String?) throws(StoreError) {
        guard let cursor else { return }
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard cursor.utf8.count <= 2_048, let name = parts.first,
            let index = ExportedTable.all.firstIndex(where: { $0.name == name })
        else { throw .badCursor }
        self.index = index
        if parts.count == 1 { return }
        let start = ExportedTable.all[index].start
        guard parts.count == start.count + 1 else { throw .badCursor }
        var key: [SQLValue] = []
        for (text, first) in zip(parts.dropFirst(), start) {
            guard let value = Self.value(text, like: first) else { throw .badCursor }
            key.append(value)
        }
        self.key = key
    }

    var table: ExportedTable? { index < ExportedTable.all.count ? ExportedTable.all[index] : nil }

    /// - Parameter key: nil when the table has no more rows.
    mutating func move(after key: [SQLValue]?) {
        self.key = key
        if key == nil { index += 1 }
    }

    var cursor: String? {
        table.map { ([$0.name] + (key ?? []).map(Self.text)).joined(separator: ".") }
    }

    private static func text(_ value: SQLValue) -> String {
        switch value {
        case .int(let number): "\(number)"
        case .text(let text): Hex.text(text.utf8)
        default: ""
        }
    }

    private static func value(_ text: String, like first: SQLValue) -> SQLValue? {
        guard case .text = first else { return Int64(text).map { .int($0) } }
        guard let bytes = Hex.bytes(text), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self).map { .text($0) }
    }
}

extension ExportedTable {
    struct Row {
        let json: [UInt8]
        let key: [SQLValue]
    }

    func rows(
        of person: String, after key: [SQLValue]?, limit: Int, files: String, _ database: any SQLConnection
    ) throws(StoreError) -> [Row] {
        var found: [Row] = []
        try database.each(select, [.text(person)] + (key ?? start) + [.int(limit)]) { row throws(StoreError) in
            var json: [UInt8] = []
            JSONWriter.write(into: &json) { writer in
                writer.beginObject()
                for (index, column) in columns.enumerated() { writer.column(column, row, Int32(index), files) }
                writer.endObject()
            }
            let key = start.enumerated().map { index, first -> SQLValue in
                if case .int = first { .int(row.int(Int32(index))) } else { .text(row.text(Int32(index))) }
            }
            found.append(Row(json: json, key: key))
        }
        return found
    }
}

extension JSONWriter {
    fileprivate mutating func column(
        _ column: (name: String, kind: ExportedTable.Kind), _ row: any SQLRow, _ index: Int32, _ files: String
    ) {
        if case .hidden = column.kind { return }
        key(column.name)
        if row.isNull(index) { return null() }
        switch column.kind {
        case .int: int(Int(row.int(index)))
        case .text: string(row.text(index))
        case .time: string(UTCTime.text(row.int(index)))
        case .bool: bool(row.bool(index))
        case .flag: bool(row.int(index) == 1)
        case .json:
            let bytes = row.bytes(index)
            if (try? JSON.validate(bytes.span)) != nil { raw(bytes.span) } else { null() }
        case .file: string(files + row.text(index))
        case .hidden: break
        }
    }
}
