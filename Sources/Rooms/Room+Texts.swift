import Wire

/// Changes of the texts of elements by several writers.
extension Room {
    /// A change of an element's text, as a client sends it.
    package struct Edit: Sendable, Equatable {
        package let elementID: String
        /// The version of the element whose text the client has changed.
        package let version: Int
        package let changes: TextEdit
        /// The client's own id for this edit, so that a resend changes nothing twice.
        package let clientID: String?

        package init(elementID: String, version: Int, changes: TextEdit, clientID: String? = nil) {
            self.elementID = elementID
            self.version = version
            self.changes = changes
            self.clientID = clientID
        }
    }

    /// An edit's result.
    package struct Edited: Sendable, Equatable {
        package let element: Element
        /// Whether the text is just what the edit makes of the version that it names.
        package let isDirect: Bool
    }

    /// Changes an element's text. An edit of an older version is transformed against the changes since then.
    package mutating func edit(_ edit: Edit, by author: Author, at now: Moment) throws(RoomError) -> Edited {
        flight?.note(.edit(edit, by: author.id, now))
        guard let old = elements[edit.elementID] else { throw RoomError(.notFound, "There is no such element.") }
        if let clientID = edit.clientID, texts.has(clientID, of: author.idJSON, in: old.id) {
            return Edited(element: old, isDirect: false)
        }
        let isNew = texts.knowsIDs(of: old.id, since: edit.version, current: old.version)
        let missed = try changes(of: old, after: edit.version, isMade: isNew ? false : nil)
        let text = old.text
        var changes = edit.changes
        guard changes.baseCount == missed.first?.edit.baseCount ?? text.count else {
            throw conflict(old, "The changes do not fit the text of version \(edit.version).", isMade: false)
        }
        changes = changes.transformed(after: missed.lazy.map { (edit: $0.edit, isRepeated: false) })
        guard let new = changes.apply(to: text) else {
            throw conflict(old, "The changes cut a character that has two UTF-16 units.", isMade: false)
        }
        var element = old
        try setText(new, of: &element, field: "changes")
        element.touch(by: author, at: now, in: era)
        try replace(old, with: element, changes, by: author, clientID: edit.clientID)
        logUpdate(element, after: old, changes, by: author, clientID: edit.clientID)
        return Edited(element: element, isDirect: edit.version == old.version)
    }

    /// The changes of an element's text after a version.
    ///
    /// - Parameter isMade: false when it is known that the edit which needs them was not made before.
    private func changes(
        of element: Element, after version: Int, isMade: Bool? = nil
    ) throws(RoomError) -> ArraySlice<TextHistory.Change> {
        if let changes = texts.changes(of: element.id, after: version, current: element.version) { return changes }
        throw conflict(
            element,
            version > element.version
                ? "The element has version \(element.version), not \(version) yet."
                : "The changes since version \(version) are not known any more.", isMade: isMade)
    }

    /// Merges the content that an update has set into the current text.
    ///
    /// - Returns: the change of the text.
    func merge(
        _ element: inout Element, into old: Element, baseVersion: Int?, by author: Author
    ) throws(RoomError) -> TextEdit {
        let (text, theirs) = (old.text, element.text)
        guard let baseVersion, baseVersion != old.version else { return TextEdit(from: text, to: theirs) }
        let missed = try changes(of: old, after: baseVersion)
        var base = text
        for change in missed.reversed() { base = change.inverse.apply(to: base) ?? base }
        let edit = TextEdit(from: base, to: theirs).transformed(
            after: missed.lazy.map { (edit: $0.edit, isRepeated: $0.author == author.idJSON) })
        guard let new = edit.apply(to: text) else { preconditionFailure("a merge of another text") }
        // A client that removes the content may find that others have written meanwhile.
        if !new.isEmpty || !element.values[Element.Field.content.rawValue].isEmpty {
            try setText(new, of: &element, field: "content")
        }
        return edit
    }

    private func setText(_ text: [UInt16], of element: inout Element, field: String) throws(RoomError) {
        let content = String(units: text)
        guard content.unicodeScalars.count <= limits.contentCharactersMax else {
            throw RoomError(
                .payloadTooLarge, "The text would have more than \(limits.contentCharactersMax) characters.",
                details: Array("{\"field\":\"\(field)\"}".utf8))
        }
        var json: [UInt8] = []
        json.appendJSONString(content.utf8.span)
        element.values[Element.Field.content.rawValue] = json
    }

    /// Puts a changed element into the place of the old one.
    ///
    /// - Parameter edit: the change of its text, if there is one.
    mutating func replace(
        _ old: Element, with element: Element, _ edit: TextEdit?, by author: Author, clientID: String? = nil
    ) throws(RoomError) {
        try checkFits(element, insteadOf: old)
        elements.replace(element)
        texts.begin(element.id, version: old.version)
        texts.leaveOut(between: old.version, and: element.version, of: element.id)
        guard let edit else { return }
        let change = TextHistory.Change(
            version: element.version, edit: edit, inverse: edit.inverted(of: old.text), author: author.idJSON,
            clientID: clientID)
        texts.append(change, of: element.id, limits: limits)
    }

    /// - Parameter edit: the change of its text, if nothing else has changed. Clients know it as that of the version before, so
    ///   after versions that were left out they get the whole element.
    mutating func logUpdate(
        _ element: Element, after old: Element, _ edit: TextEdit?, by author: Author, clientID: String? = nil
    ) {
        let idJSON = idJSON
        var frame: [UInt8] = []
        if let edit, old.version + 1 == element.version {
            EventFrame.append("element:edited", to: &frame) { bytes in
                bytes.append(contentsOf: #"{"roomId":"#.utf8)
                bytes.append(contentsOf: idJSON)
                bytes.append(contentsOf: #","elementId":""#.utf8)
                bytes.append(contentsOf: element.id.utf8)
                bytes.append(contentsOf: #"","version":"#.utf8)
                DecimalInteger.append(element.version, to: &bytes)
                bytes.append(contentsOf: #","changes":"#.utf8)
                edit.appendJSON(to: &bytes)
                bytes.append(contentsOf: #","userId":"#.utf8)
                bytes.append(contentsOf: author.idJSON)
                if let clientID {
                    bytes.append(contentsOf: #","clientId":"#.utf8)
                    bytes.appendJSONString(clientID.utf8.span)
                }
                bytes.append(contentsOf: #","updatedAt":""#.utf8)
                Moment.append(element.updatedAt ?? 0, to: &bytes)
                bytes.append(contentsOf: "\"}".utf8)
            }
        }
        log("element:updated", edit: frame, effect: .updated(element)) { bytes in
            element.append(roomJSON: idJSON, to: &bytes)
            guard let clientID else { return }
            // It is stored with the entry, so that a resend after a restart is known.
            bytes.removeLast()
            bytes.append(contentsOf: #","clientId":"#.utf8)
            bytes.appendJSONString(clientID.utf8.span)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static let rememberedKeys = JSONKeys("id", "version", "updatedBy", "clientId")

    /// Remembers the change of an element, and the edit that made it, from before the room was read.
    mutating func rememberChange(_ entry: KeptEntry) {
        let json = entry.argument.span
        guard entry.name == "element:updated" || entry.name == "element:created",
            let fields = try? JSON.fields(Self.rememberedKeys, of: json), let id = fields[0].string(in: json),
            let version = fields[1].int(in: json), let element = elements[id]
        else { return }
        texts.remember(id, version: version, current: element.version)
        guard let author = fields[2].string(in: json), let clientID = fields[3].string(in: json) else { return }
        texts.add(clientID, of: Author(author).idJSON, in: id, version: version, limits: limits)
    }
}

extension Element {
    /// The content as text; empty without one.
    var text: [UInt16] {
        let json = values[Field.content.rawValue]
        return json.isEmpty ? [] : [UInt16]((try? JSONReader(json))?.string ?? "")
    }

    /// Counts a change of it.
    mutating func touch(by author: Author, at now: Moment, in era: Int) {
        countVersion(in: era)
        updatedAt = now.unixSeconds
        updatedBy = author.idJSON
    }
}
