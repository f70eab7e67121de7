import Wire

extension Room {
    /// What somebody who only looks is shown, as a JSON object: who is there, where they touch, what was put there last.
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
