import Wire

/// Texts that several write.
extension ClientSession {
    /// Changes an element's text. The server merges it with what others have written since that version. Sent again after a
    /// lost connection, it changes the text once.
    ///
    /// - Parameter clientID: this client's own id for the edit, by which `element:edited` names it; another one for each.
    public func edit(
        _ elementID: String, _ changes: TextEdit, version: Int, clientID: String? = nil, in roomID: String,
        _ done: @escaping (Result<Edited, ClientError>) -> Void
    ) {
        var json: [UInt8] = []
        changes.appendJSON(to: &json)
        var argument: [UInt8] = []
        JSONWriter.write(into: &argument) { writer in
            writer.beginObject()
            writer.member("roomId", roomID)
            writer.member("elementId", elementID)
            writer.member("version", version)
            writer.member("changes", raw: json.span)
            writer.member("clientId", clientID ?? Self.randomKey())
            writer.endObject()
        }
        enqueue(
            Operation(kind: .edit, roomID: roomID, key: elementID, argument: argument) { result in
                done(
                    result.flatMap { answer in
                        guard let version = answer.version ?? answer.element?.version else {
                            return .failure(.cannotConnect("an answer without a version"))
                        }
                        return .success(Edited(version: version, element: answer.element))
                    })
            })
    }

    /// Tells the others where this client's user writes; nil when the user does not write any more.
    public func setCaret(_ caret: Caret?, in roomID: String) {
        guard isJoined(roomID) else { return }
        var argument: [UInt8] = []
        JSONWriter.write(into: &argument) { json in
            json.beginObject()
            json.member("roomId", roomID)
            if let caret {
                json.member("elementId", caret.elementID)
                json.member("position", caret.position)
                if let anchor = caret.anchor { json.member("anchor", anchor) }
                if let version = caret.version { json.member("version", version) }
            } else {
                json.member("elementId", raw: Array("null".utf8).span)
            }
            json.endObject()
        }
        emit("element:caret", argument)
    }
}
