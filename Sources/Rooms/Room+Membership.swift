import Wire

/// Changes of the permission to join the room. Another part decides on them; the room tells its members.
extension Room {
    /// Tells the members that a user may join the room from now on.
    ///
    /// - Parameters:
    ///   - participant: the new member for clients, a JSON object.
    ///   - info: the room's description for later joins.
    package mutating func tellAdded(_ participant: [UInt8], info: [UInt8]) {
        guard !isClosed else { return }
        flight?.note(.tellAdded(participant, info: info))
        self.info = info
        let idJSON = idJSON
        log("participant:added") { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: idJSON)
            bytes.append(contentsOf: #","participant":"#.utf8)
            bytes.append(contentsOf: participant)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Tells the members that a user may not join the room any more. The caller has removed the user already.
    package mutating func tellRemoved(_ personID: String, info: [UInt8]) {
        guard !isClosed else { return }
        flight?.note(.tellRemoved(personID, info: info))
        self.info = info
        let idJSON = idJSON
        log("participant:removed") { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: idJSON)
            bytes.append(contentsOf: #","userId":"#.utf8)
            bytes.appendJSONString(personID.utf8.span)
            bytes.append(UInt8(ascii: "}"))
        }
    }
}
