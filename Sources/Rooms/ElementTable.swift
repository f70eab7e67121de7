import Wire

/// The elements of a room, in the order of their creation.
struct ElementTable: Sendable {
    private var byID: [String: Element] = [:]
    /// Ids in the order of creation; those of deleted elements are taken out now and then.
    private var order: [String] = []
    /// What clients called their creations, with their person's id in front, of living elements and of some deleted ones.
    private var creations: [String: String] = [:]
    private var creationOfElement: [String: String] = [:]
    /// The creations of deleted elements, the earliest deleted first from `forgotten` on.
    private var remembered: [String] = []
    private var forgotten = 0

    var count: Int { byID.count }

    subscript(id: String) -> Element? { byID[id] }

    /// The element that this client's creation has made before; nil when it is new, `.some(nil)` when it was deleted.
    func creation(_ key: String) -> Element?? {
        guard let id = creations[key] else { return nil }
        return .some(byID[id])
    }

    mutating func insert(_ element: Element, creation: String?) {
        byID[element.id] = element
        order.append(element.id)
        guard let creation else { return }
        creations[creation] = element.id
        creationOfElement[element.id] = creation
    }

    mutating func replace(_ element: Element) {
        byID[element.id] = element
    }

    /// Takes an element out. What its creator called it is remembered for a while.
    mutating func remove(_ id: String, rememberedMax: Int) {
        byID[id] = nil
        if order.count > 64, order.count > 2 * byID.count { order.removeAll { byID[$0] == nil } }
        guard let creation = creationOfElement.removeValue(forKey: id) else { return }
        remembered.append(creation)
        while remembered.count - forgotten > rememberedMax {
            creations[remembered[forgotten]] = nil
            forgotten += 1
        }
        if forgotten > 64, forgotten > remembered.count / 2 {
            remembered.removeFirst(forgotten)
            forgotten = 0
        }
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
        precondition(
            creations.count == creationOfElement.count + remembered.count - forgotten, "a creation never forgotten")
        for (id, creation) in creationOfElement {
            precondition(byID[id] != nil && creations[creation] == id, "a creation without its element")
        }
    }
}
