/// Waiting items, in a line for each key. The lines take turns, so that a long line does not delay the others. Each
/// line keeps its order.
struct RoundRobin<Key: Hashable, Item> {
    private var lines: [Key: Fifo<Item>] = [:]
    private var turns = Fifo<Key>()
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ item: Item, for key: Key) {
        if lines[key] == nil { turns.append(key) }
        lines[key, default: Fifo()].append(item)
        count += 1
    }

    mutating func next() -> Item? {
        guard let key = turns.takeFirst(), let item = lines[key]?.takeFirst() else { return nil }
        count -= 1
        if lines[key]?.isEmpty == false { turns.append(key) } else { lines[key] = nil }
        return item
    }
}

/// A line from which items are taken at the front. A taken item is released at once.
struct Fifo<Item> {
    private var items: [Item?] = []
    private var first = 0

    var isEmpty: Bool { first == items.count }

    var oldest: Item? { isEmpty ? nil : items[first] }
    /// The oldest first.
    var all: some Sequence<Item> { items[first...].lazy.compactMap(\.self) }

    mutating func append(_ item: Item) { items.append(item) }

    mutating func takeFirst() -> Item? {
        guard first < items.count else { return nil }
        let item = items[first]
        items[first] = nil
        first += 1
        if first == items.count || (first > 64 && first > items.count / 2) {
            items.removeFirst(first)
            first = 0
        }
        return item
    }
}
