import Wire

/// When each field of an item was changed last. A field that is not here is as it was made.
struct LibraryEdits {
    private var times: [LibraryField: Int64] = [:]

    init(_ json: [UInt8]) {
        guard let members = (try? JSONReader(json))?.members else { return }
        for (name, value) in members {
            if let field = LibraryField(rawValue: name), let time = value.int { times[field] = Int64(time) }
        }
    }

    func time(of field: LibraryField) -> Int64? { times[field] }

    /// The same as JSON, with the time of new changes.
    func adding(_ fields: [LibraryField], at time: Int64) -> [UInt8] {
        var json: [UInt8] = []
        JSONWriter.write(into: &json) { json in
            json.beginObject()
            for field in LibraryField.allCases {
                if let time = fields.contains(field) ? time : times[field] { json.member(field.rawValue, Int(time)) }
            }
            json.endObject()
        }
        return json
    }
}

extension LibraryFields {
    /// Whether the item has another value.
    func changes(_ field: LibraryField, of item: LibraryItem, text: String?) -> Bool {
        switch field {
        case .title: isOther(self[text: .title], item.title)
        case .text: isOther(self[text: .text], text)
        case .coverURL: isOther(self[text: .coverURL], item.coverURL)
        case .place: self[number: .place].map { $0 != item.place } ?? false
        case .percent: self[number: .percent].map { $0 != item.percent } ?? false
        }
    }

    private func isOther(_ new: String?, _ old: String?) -> Bool {
        new.map { !$0.utf8.elementsEqual((old ?? "").utf8) } ?? false
    }
}
