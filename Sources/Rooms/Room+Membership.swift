import Wire

/// Who may be in a room, which is decided elsewhere: its members are told.
extension Room {
    /// Somebody may be in the room from now on.
    ///
    /// - Parameters:
    ///   - participant: the member as clients are shown it, a JSON object.
    ///   - info: the room as those are shown it who join from now on.
    package mutating func tellAdded(_ participant: [UInt8], info: [UInt8]) {
        guard !isClosed else { return }
        setInfo(info)
        let idJSON = idJSON
        log("participant:added") { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: idJSON)
            bytes.append(contentsOf: #","participant":"#.utf8)
            bytes.append(contentsOf: participant)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Somebody may be in the room no more, and is not.
    package mutating func tellRemoved(_ personID: String, info: [UInt8]) {
        guard !isClosed else { return }
        setInfo(info)
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
