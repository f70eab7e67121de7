/// Positions in lists, as `Page.next` shows them.
enum Cursor {
    /// After a name; names are made of letters, digits, `_` and `.`.
    static func name(_ cursor: String?) throws(StoreError) -> String {
        guard let cursor else { return "" }
        guard cursor.utf8.count <= 128, cursor.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { throw .badCursor }
        return cursor
    }

    /// After an item of a list by time, the newest first. Ids are made of letters, digits, `-` and `_`.
    struct Moment {
        let at: Int64
        let id: String

        init(at: Int64, id: String) {
            self.at = at
            self.id = id
        }

        init(_ cursor: String?) throws(StoreError) {
            guard let cursor else {
                self.init(at: .max, id: "")
                return
            }
            guard let dot = cursor.firstIndex(of: "."), let at = Int64(cursor[..<dot]) else { throw .badCursor }
            self.init(at: at, id: try Cursor.name(String(cursor[cursor.index(after: dot)...])))
        }

        var text: String { "\(at).\(id)" }
    }

    /// After a room of a list by activity.
    struct Activity {
        let at: Int64
        let key: Int64

        static let start = Activity(at: .max, key: .max)

        init(at: Int64, key: Int64) {
            self.at = at
            self.key = key
        }

        init(_ cursor: String?) throws(StoreError) {
            guard let cursor else {
                self = .start
                return
            }
            let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let at = Int64(parts[0]), let key = Int64(parts[1]) else { throw .badCursor }
            self.init(at: at, key: key)
        }

        var text: String { "\(at).\(key)" }
    }
}
