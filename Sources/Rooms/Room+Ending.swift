import Wire

/// Operations on a room that do not come from its members.
extension Room {
    /// Renames the room. All members are told, and later joins get the new name with the room's description.
    package mutating func rename(to name: String) throws(RoomError) {
        flight?.note(.rename(name))
        guard (1...limits.nameCharactersMax).contains(name.unicodeScalars.count) else {
            throw RoomError(.validation, "A room's name has 1 to \(limits.nameCharactersMax) characters.")
        }
        guard !isClosed else { throw RoomError(.notFound, "The room is closed.") }
        info = RoomInfo.named(name, info)
        let idJSON = idJSON
        log("room:renamed") { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: idJSON)
            bytes.append(contentsOf: #","name":"#.utf8)
            bytes.appendJSONString(name.utf8.span)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Replaces the room's description, a JSON object, for later joins.
    package mutating func setInfo(_ info: [UInt8]) {
        flight?.note(.setInfo(info))
        self.info = info
    }

    /// Closes the room: all touches end, all members are told and have left. The next delta is the last.
    package mutating func close(reason: String) {
        guard !isClosed else { return }
        flight?.note(.close(reason: reason))
        for slot in slots.indices {
            endTouch(slot: slot)
            endLostTouch(slot: slot)
        }
        let idJSON = idJSON
        log("room:closed", effect: .closed) { Self.appendClosed(idJSON, reason, to: &$0) }
        slots = []
        participantBytes = 0
        freeSlots = []
        slotsInGrace = []
        slotOfPerson = [:]
        slotOfConnection = [:]
        isClosed = true
    }

    /// Removes a user from the room, connected or in the grace. The others are told that the user has left.
    ///
    /// - Returns: the user's connections, to which the caller sends `room:closed`.
    package mutating func expel(_ personID: String) -> [ConnectionID] {
        flight?.note(.expel(personID))
        guard let slot = slotOfPerson[ExactText(personID)], let connections = slots[slot]?.connections else {
            return []
        }
        endTouch(slot: slot)
        for connection in connections { remove(connection, slot) }
        slotsInGrace.removeAll { $0 == slot }
        removePerson(slot)
        return connections
    }

    /// The argument of `room:closed`.
    package static func appendClosed(_ idJSON: [UInt8], _ reason: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"roomId":"#.utf8)
        bytes.append(contentsOf: idJSON)
        bytes.append(contentsOf: #","reason":"#.utf8)
        bytes.appendJSONString(reason.utf8.span)
        bytes.append(UInt8(ascii: "}"))
    }
}

/// The description of a room for clients: a JSON object.
package enum RoomInfo {
    /// The description of a room of which only the id is known.
    package static func ofID(_ id: String) -> [UInt8] {
        var info: [UInt8] = []
        JSONWriter.write(into: &info) { json in
            json.beginObject()
            json.member("id", id)
            json.member("isActive", true)
            json.endObject()
        }
        return info
    }

    /// The same with another `name`.
    static func named(_ name: String, _ info: [UInt8]) -> [UInt8] {
        let others = ((try? JSONReader(info))?.members ?? []).filter { $0.key != "name" }
        let id = others.prefix { $0.key == "id" }
        var result: [UInt8] = []
        JSONWriter.write(into: &result) { json in
            json.beginObject()
            for (key, value) in id { json.member(key, raw: value.json.span) }
            json.member("name", name)
            for (key, value) in others.dropFirst(id.count) { json.member(key, raw: value.json.span) }
            json.endObject()
        }
        return result
    }
}
