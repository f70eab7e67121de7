/// Values by key, with the order of their age. Putting a value again makes it new.
///
/// Each operation costs the same on average, however often values are put again or taken.
struct AgedTable<Key: Hashable, Value> {
    private var entries: [Key: (number: UInt64, value: Value)] = [:]
    /// Keys in the order in which values were put. An item whose number is not its key's any more is stale.
    private var order: [(key: Key, number: UInt64)] = []
    private var first = 0
    private var nextNumber: UInt64 = 0

    var count: Int { entries.count }
    /// The length of the order, including stale items.
    var placeCount: Int { order.count }

    /// In any order.
    var all: [(key: Key, value: Value)] { entries.map { ($0.key, $0.value.value) } }

    subscript(key: Key) -> Value? { entries[key]?.value }

    mutating func put(_ value: Value, for key: Key) {
        entries[key] = (nextNumber, value)
        order.append((key, nextNumber))
        nextNumber += 1
        tidy()
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        entries.removeValue(forKey: key)?.value
    }

    /// The oldest value.
    var oldest: Value? {
        mutating get {
            while first < order.count {
                let (key, number) = order[first]
                if let entry = entries[key], entry.number == number { return entry.value }
                first += 1
            }
            return nil
        }
    }

    @discardableResult
    mutating func removeOldest() -> Value? {
        guard let oldest else { return nil }
        entries[order[first].key] = nil
        first += 1
        tidy()
        return oldest
    }

    private mutating func tidy() {
        guard order.count > 2 * entries.count + 64 else { return }
        order.removeFirst(first)
        first = 0
        order.removeAll { entries[$0.key]?.number != $0.number }
    }
}
