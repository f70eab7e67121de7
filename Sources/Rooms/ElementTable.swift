import Wire

/// The elements of a room, in the order of their creation.
struct ElementTable {
    private(set) var byID: [String: Element] = [:]
    /// Ids in the order of creation; those of deleted elements are taken out now and then.
    private var order: [String] = []
    /// What clients called their creations, with their person's id in front; also of some that were deleted since.
    private var creations: [String: String] = [:]
    private var creationOrder: [String] = []

    var count: Int { byID.count }

    subscript(id: String) -> Element? { byID[id] }

    /// The element that this client's creation has made before; nil when it is new, `.some(nil)` when it was deleted.
    func creation(_ key: String) -> Element?? {
        guard let id = creations[key] else { return nil }
        return .some(byID[id])
    }

    mutating func insert(_ element: Element, creation: String?, rememberedMax: Int) {
        byID[element.id] = element
        order.append(element.id)
        guard let creation else { return }
        creations[creation] = element.id
        creationOrder.append(creation)
        // Those of living elements are kept; the bound is for what is remembered beyond them.
        while creationOrder.count > rememberedMax + byID.count {
            creations[creationOrder.removeFirst()] = nil
        }
    }

    mutating func replace(_ element: Element) {
        byID[element.id] = element
    }

    mutating func remove(_ id: String) {
        byID[id] = nil
        if order.count > 64, order.count > 2 * byID.count { order.removeAll { byID[$0] == nil } }
    }

    func append(roomJSON: [UInt8], to bytes: inout [UInt8]) {
        var isFirst = true
        for id in order {
            guard let element = byID[id] else { continue }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            element.append(roomJSON: roomJSON, to: &bytes)
        }
    }

    func checkInvariants() {
        precondition(Set(order).isSuperset(of: byID.keys), "an element without a place in the order")
        precondition(creations.count == creationOrder.count, "a creation that is never forgotten")
    }
}
