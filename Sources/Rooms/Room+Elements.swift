import Wire

/// Changes of a room's elements.
extension Room {
    /// The content of a request to create an element.
    package struct Creation: Sendable {
        package var kind: Element.Kind
        package var values: Element.Values
        /// The client's own id for this creation, so that a resend creates nothing twice.
        package var clientID: String?

        package init(kind: Element.Kind, values: Element.Values, clientID: String? = nil) {
            self.kind = kind
            self.values = values
            self.clientID = clientID
        }
    }

    /// Creates an element, or returns the one that this creation has made before. `newID` is a random id, used only for
    /// a new element.
    package mutating func create(
        _ creation: Creation, by author: Author, newID: String, at now: Moment
    ) throws(RoomError) -> Element {
        flight?.note(.create(creation, by: author.id, newID: newID, now))
        let key = creation.clientID.map { "\(author.id.utf8.count):\(author.id)\($0)" }
        if let key, let known = elements.creation(key) {
            guard let element = known else {
                throw RoomError(.notFound, "The element of this clientId was deleted.")
            }
            return element
        }
        guard elements.count < limits.elementsMax else {
            throw RoomError(.validation, "The room has \(limits.elementsMax) elements already.")
        }
        precondition(elements[newID] == nil, "a random id was given twice")
        var element = Element(
            id: newID, kind: creation.kind, createdBy: author.idJSON, createdAt: now.unixSeconds,
            values: creation.values)
        element.era = era
        try checkFits(element)
        elements.insert(element, creation: key)
        let idJSON = idJSON
        log("element:created", effect: .created(element, creation: key)) { element.append(roomJSON: idJSON, to: &$0) }
        return element
    }

    /// Changes the values that are not nil. With `version`, only if the element still has that version. With
    /// `baseVersion` the content is merged: it counts as a change of the text that the element had with that version.
    package mutating func update(
        _ id: String, _ changes: [[UInt8]?], version: Int?, baseVersion: Int? = nil, by author: Author, at now: Moment
    ) throws(RoomError) -> Element {
        flight?.note(.update(id, changes, version: version, baseVersion: baseVersion, by: author.id, now))
        guard let old = elements[id] else { throw RoomError(.notFound, "There is no such element.") }
        if let version, version != old.version {
            throw conflict(old, "The element has version \(old.version), not \(version).")
        }
        var element = old
        for (index, change) in changes.enumerated() {
            if let change { element.values[index] = change }
        }
        var edit: TextEdit?
        if changes[Element.Field.content.rawValue] != nil {
            edit = try merge(&element, into: old, baseVersion: baseVersion, by: author)
        }
        element.touch(by: author, at: now, in: era)
        try replace(old, with: element, edit, by: author)
        let isEdit = changes.enumerated().allSatisfy {
            $0.element == nil || $0.offset == Element.Field.content.rawValue
        }
        logUpdate(element, after: old, isEdit ? edit : nil, by: author)
        return element
    }

    /// - Parameter isMade: false when it is known that the refused edit was not made before.
    func conflict(_ element: Element, _ message: String, isMade: Bool? = nil) -> RoomError {
        var details = Array(#"{"element":"#.utf8)
        element.append(roomJSON: idJSON, to: &details)
        if isMade == false { details.append(contentsOf: #","isMade":false"#.utf8) }
        details.append(UInt8(ascii: "}"))
        return RoomError(.conflict, message, details: details)
    }

    /// Checks that all elements still fit into the one answer that a joining client gets. An element may always become
    /// smaller.
    func checkFits(_ element: Element, insteadOf old: Element? = nil) throws(RoomError) {
        let added = element.byteCount - (old?.byteCount ?? 0)
        let count = elements.count + (old == nil ? 1 : 0)
        guard added > 0, elements.byteCount + added + count * (idJSON.count + 1) > limits.elementsBytesMax else {
            return
        }
        throw RoomError(
            .validation, "The room's elements take all the room that they may: \(limits.elementsBytesMax) bytes.")
    }

    /// Deletes an element, and returns its last content with the version of the deletion. With `version`, only if the
    /// element still has that version.
    package mutating func delete(
        _ id: String, version asked: Int? = nil, by author: Author
    ) throws(RoomError) -> Element {
        guard var element = elements[id] else { throw RoomError(.notFound, "There is no such element.") }
        if let asked, asked != element.version {
            throw conflict(element, "The element has version \(element.version), not \(asked).")
        }
        flight?.note(.delete(id, by: author.id))
        elements.remove(id, rememberedMax: limits.rememberedCreationsMax)
        texts.forget(id)
        element.countVersion(in: era)
        let version = element.version
        let idJSON = idJSON
        log("element:deleted", effect: .deleted(id: element.id, version: version)) { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: idJSON)
            bytes.append(contentsOf: #","elementId":""#.utf8)
            bytes.append(contentsOf: element.id.utf8)
            bytes.append(contentsOf: #"","version":"#.utf8)
            DecimalInteger.append(version, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        }
        return element
    }
}

/// The same changes for a connection, which must be in the room.
extension Room {
    package mutating func create(
        _ creation: Creation, by connection: ConnectionID, newID: String, at now: Moment
    ) throws(RoomError) -> Element {
        try create(creation, by: try author(connection), newID: newID, at: now)
    }

    package mutating func update(
        _ id: String, _ changes: [[UInt8]?], version: Int?, baseVersion: Int? = nil, by connection: ConnectionID,
        at now: Moment
    ) throws(RoomError) -> Element {
        try update(
            id, changes, version: version, baseVersion: baseVersion, by: try author(connection), at: now)
    }

    package mutating func delete(_ id: String, by connection: ConnectionID) throws(RoomError) -> Int {
        try delete(id, by: try author(connection)).version
    }
}
