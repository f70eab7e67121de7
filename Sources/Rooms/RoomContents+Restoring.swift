import Wire

/// Elements and contents as they come back from where they were stored.
extension Element {
    package init(
        stored id: String, kind: Kind, createdBy: [UInt8], createdAt: Int64, values: Values, version: Int,
        updatedAt: Int64?, updatedBy: [UInt8]
    ) {
        precondition(values.count == Field.allCases.count, "an element has a value for each field")
        self.init(id: id, kind: kind, createdBy: createdBy, createdAt: createdAt, values: values)
        self.version = version
        self.updatedAt = updatedAt
        self.updatedBy = updatedBy
    }
}

extension RoomContents {
    /// - Parameters:
    ///   - elements: in the order of their creation, each with what its creator's client called it.
    ///   - rememberedCreations: what clients called elements that were deleted, the earliest deleted first.
    ///   - recent: the newest entries of the log, without a gap up to `seq`, the oldest first.
    ///   - present: the ids of people who were in the room when the server ended.
    package init(
        elements: [(element: Element, creation: String?)], rememberedCreations: [String], seq: UInt64,
        recent: [KeptEntry] = [], present: [String] = []
    ) {
        var table = ElementTable()
        // A name that was forgotten may have been used again: what it means now counts.
        var known = Set(elements.compactMap { $0.creation.map(ExactText.init) })
        for creation in rememberedCreations where known.insert(ExactText(creation)).inserted {
            // As it went: made, then deleted. The id is of no interest, and is none that a room gives.
            let gone = Element(id: "", kind: .note, createdBy: [], createdAt: 0, values: Element.noValues)
            table.insert(gone, creation: creation)
            table.remove(gone.id, rememberedMax: .max)
        }
        for (element, creation) in elements { table.insert(element, creation: creation) }
        self.init(elements: table, seq: seq, recent: recent, present: present)
    }
}
