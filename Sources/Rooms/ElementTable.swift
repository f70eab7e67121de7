import Wire

/// The elements of a room, in the order of their creation.
struct ElementTable: Sendable, Recordable {
    private var byID: [ExactText: Element] = [:]
    /// Ids in the order of creation. Ids of deleted elements are removed from time to time.
    private var order: [ExactText] = []
    /// The elements by creation key: the user's id and the `clientId` of the creation. It has all present elements and
    /// some deleted ones.
    private var creations: [ExactText: ExactText] = [:]
    private var creationOfElement: [ExactText: ExactText] = [:]
    /// The creation keys of deleted elements, from `forgotten` on, the earliest deletion first.
    private var remembered: [ExactText] = []
    private var forgotten = 0
    /// The list of all elements that a joining client gets. It is made on request and kept until an element changes.
    private var listed: [UInt8]?

    /// The length of all elements' JSON for clients, without the room's id.
    private(set) var byteCount = 0

    init() {}

    var count: Int { byID.count }

    subscript(id: String) -> Element? { byID[ExactText(id)] }

    /// The element that this creation has made before. Nil when the creation is new, `.some(nil)` when its element was
    /// deleted.
    func creation(_ key: String) -> Element?? {
        guard let id = creations[ExactText(key)] else { return nil }
        return .some(byID[id])
    }

    mutating func insert(_ element: Element, creation: String?) {
        listed = nil
        let id = ExactText(element.id)
        byID[id] = element
        byteCount += element.byteCount
        order.append(id)
        guard let creation = creation.map(ExactText.init) else { return }
        creations[creation] = id
        creationOfElement[id] = creation
    }

    mutating func replace(_ element: Element) {
        listed = nil
        let old = byID.updateValue(element, forKey: ExactText(element.id))
        byteCount += element.byteCount - (old?.byteCount ?? 0)
    }

    /// Removes an element. Its creation key is remembered for a while.
    mutating func remove(_ id: String, rememberedMax: Int) {
        listed = nil
        let id = ExactText(id)
        byteCount -= byID.removeValue(forKey: id)?.byteCount ?? 0
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

    /// Appends the elements with commas between them. Many clients join at once, so the list is kept until an element
    /// changes.
    mutating func append(roomJSON: [UInt8], to bytes: inout [UInt8]) {
        let list = listed ?? list(roomJSON: roomJSON)
        listed = list
        bytes.append(contentsOf: list)
    }

    /// Gives back the memory of the list until the next client joins.
    mutating func forgetList() { listed = nil }

    /// The memory of an element besides its values' bytes: its arrays and its rows in the tables.
    private static let restBytesOfElement = 1_024
    private static let bytesOfCreation = 384

    /// The approximate memory of the elements and of the remembered creation keys.
    var memoryBytes: Int {
        byteCount + (listed?.count ?? 0) + count * Self.restBytesOfElement + creations.count * Self.bytesOfCreation
    }

    private func list(roomJSON: [UInt8]) -> [UInt8] {
        var list: [UInt8] = []
        for id in order {
            guard let element = byID[id] else { continue }
            if !list.isEmpty { list.append(UInt8(ascii: ",")) }
            element.append(roomJSON: roomJSON, to: &list)
        }
        return list
    }

    /// The newest elements, the oldest of them first.
    func newest(_ most: Int) -> [Element] { order.lazy.reversed().compactMap { byID[$0] }.prefix(most).reversed() }

    // MARK: As a part of a flight

    func write(to record: inout RecordWriter) {
        record.put(remembered[forgotten...].map(\.text)) { $1.put($0) }
        record.put(order.filter { byID[$0] != nil }) { id, record in
            if let element = byID[id] {
                record.put(element)
                record.put(element.era)
            }
            record.put(creationOfElement[id]) { $1.put($0.text) }
        }
    }

    init(from record: inout RecordReader) throws(RecordFault) {
        let remembered = try record.list { record throws(RecordFault) in try record.string() }
        self.init(
            try record.list { record throws(RecordFault) in
                var element = try Element(from: &record)
                element.era = try record.int()
                return (
                    element: element,
                    creation: try record.optional { record throws(RecordFault) in try record.string() }
                )
            }, rememberedCreations: remembered)
    }

    func checkInvariants() {
        precondition(Set(order).isSuperset(of: byID.keys), "an element without a place in the order")
        precondition(byteCount == byID.values.reduce(0) { $0 + $1.byteCount }, "elements' bytes are not counted right")
        precondition(
            creations.count == creationOfElement.count + remembered.count - forgotten, "a creation never forgotten")
        for (id, creation) in creationOfElement {
            precondition(byID[id] != nil && creations[creation] == id, "a creation without its element")
        }
    }
}
