import Wire

extension Room {
    /// A picture of the room for operators, a JSON object: participants, touches, and the newest elements.
    package func picture(participantsMax: Int, elementsMax: Int) -> [UInt8] {
        var bytes = Array(#"{"participants":["#.utf8)
        var isFirst = true
        for participant in slots.lazy.compactMap({ $0 }).prefix(participantsMax) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            participant.append(isListed: true, roomJSON: idJSON, to: &bytes)
        }
        bytes.append(contentsOf: #"],"touches":["#.utf8)
        touches.appendTuples(max: participantsMax, to: &bytes)
        bytes.append(contentsOf: #"],"elements":["#.utf8)
        for (index, element) in elements.newest(elementsMax).enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            element.append(roomJSON: idJSON, to: &bytes)
        }
        bytes.append(contentsOf: "]}".utf8)
        return bytes
    }
}

extension RoomContents {
    /// The same of a room that is not in use.
    package func picture(of id: String, elementsMax: Int) -> [UInt8] {
        Room(id: id, info: [], limits: RoomLimits(), contents: self).picture(
            participantsMax: 0, elementsMax: elementsMax)
    }
}
