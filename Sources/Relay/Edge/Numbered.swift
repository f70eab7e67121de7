/// Items that wait for an answer, by the number that the answer carries.
struct Numbered<Item> {
    private var items: [UInt64: Item] = [:]
    private var nextNumber: UInt64

    /// - Parameter last: greater numbers follow.
    init(after last: UInt64 = 0) {
        nextNumber = last
    }

    var count: Int { items.count }

    mutating func begin(_ item: Item) -> UInt64 {
        nextNumber += 1
        items[nextNumber] = item
        return nextNumber
    }

    /// The numbers of some items, in their order.
    func numbers(where isMeant: (Item) -> Bool) -> [UInt64] {
        items.filter { isMeant($0.value) }.keys.sorted()
    }

    /// Nil for the second answer to an item.
    mutating func end(_ number: UInt64) -> Item? { items.removeValue(forKey: number) }
}
