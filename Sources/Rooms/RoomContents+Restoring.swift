import Wire

/// Elements and contents, restored from the store.
extension Element {
    package init(
        stored id: String, kind: Kind, createdBy: [UInt8], createdAt: Int64, values: Values, version: Int,
        updatedAt: Int64?, updatedBy: [UInt8], era: Int = 0
    ) {
        precondition(values.count == Field.allCases.count, "an element has a value for each field")
        self.init(id: id, kind: kind, createdBy: createdBy, createdAt: createdAt, values: values)
        self.version = version
        self.updatedAt = updatedAt
        self.updatedBy = updatedBy
        self.era = era
    }
}

extension RoomContents {
    /// - Parameters:
    ///   - elements: in the order of their creation, each with its creation key.
    ///   - rememberedCreations: creation keys of deleted elements, the earliest deletion first.
    ///   - recent: the newest entries of the log, without a gap up to `seq`, the oldest first.
    ///   - present: participants at the end of the server.
    ///   - era: grows with each loss of what members may have been told.
    package init(
        elements: [(element: Element, creation: String?)], rememberedCreations: [String], seq: UInt64,
        recent: [KeptEntry] = [], present: [Presence] = [], era: Int = 0
    ) {
        self.init(
            elements: ElementTable(elements, rememberedCreations: rememberedCreations), seq: seq, recent: recent,
            present: present, era: era)
    }
}

extension ElementTable {
    init(_ elements: [(element: Element, creation: String?)], rememberedCreations: [String]) {
        self.init()
        // A forgotten key may have been used again. Then it belongs to the newer element.
        var known = Set(elements.compactMap { $0.creation.map(ExactText.init) })
        for creation in rememberedCreations where known.insert(ExactText(creation)).inserted {
            // Repeats the history: created, then deleted. The id does not matter, and no room gives it to an element.
            let gone = Element(id: "", kind: .note, createdBy: [], createdAt: 0, values: Element.noValues)
            insert(gone, creation: creation)
            remove(gone.id, rememberedMax: .max)
        }
        for (element, creation) in elements { insert(element, creation: creation) }
    }
}
