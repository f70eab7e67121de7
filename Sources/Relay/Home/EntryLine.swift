import Rooms

/// Clients that wait to enter a room, in their order. One that goes meanwhile is removed at once, however many wait.
struct EntryLine {
    private var entries: [UInt64: Entry] = [:]
    private var numbers: [ConnectionID: [UInt64]] = [:]
    private var first: UInt64 = 0
    private var next: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }
    var connections: [ConnectionID] { Array(numbers.keys) }
    /// The oldest first.
    var all: [Entry] { entries.sorted { $0.key < $1.key }.map(\.value) }

    mutating func append(_ entry: Entry) {
        entries[next] = entry
        numbers[entry.connection, default: []].append(next)
        next += 1
    }

    mutating func takeFirst() -> Entry? {
        while first < next {
            let entry = entries.removeValue(forKey: first)
            if let entry, numbers[entry.connection]?.count == 1 {
                numbers[entry.connection] = nil
            } else if let entry {
                numbers[entry.connection]?.removeFirst()
            }
            first += 1
            if let entry { return entry }
        }
        return nil
    }

    /// The oldest entry of one connection.
    mutating func takeFirst(of connection: ConnectionID) -> Entry? {
        guard var left = numbers.removeValue(forKey: connection) else { return nil }
        let number = left.removeFirst()
        if !left.isEmpty { numbers[connection] = left }
        return entries.removeValue(forKey: number)
    }

    /// The entries of one connection.
    mutating func take(_ connection: ConnectionID) -> [Entry] {
        (numbers.removeValue(forKey: connection) ?? []).compactMap { entries.removeValue(forKey: $0) }
    }
}
