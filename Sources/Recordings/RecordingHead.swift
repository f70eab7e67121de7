import Wire

/// The first line of a recording.
package struct RecordingHead: Equatable, Sendable {
    package static let name = "recording"
    package static let version = 1

    package let roomID: String
    /// Milliseconds since 1970.
    package let startedAt: Int64
    /// Whether all lines are `RecordingLine.clean`. Those of earlier versions were not.
    package let isClean: Bool

    package init(roomID: String, startedAt: Int64, isClean: Bool = true) {
        self.roomID = roomID
        self.startedAt = startedAt
        self.isClean = isClean
    }

    private static let keys = JSONKeys("version", "roomId", "startedAt", "isClean")

    /// Nil for a line that is no head, or one of a later version.
    package init?(_ line: RecordingLine) {
        let text = line.argument.span
        guard line.name == Self.name, let fields = try? JSON.fields(Self.keys, of: text),
            fields[0].int(in: text) == Self.version, let roomID = fields[1].string(in: text),
            let startedAt = fields[2].int(in: text)
        else { return nil }
        self.init(roomID: roomID, startedAt: Int64(startedAt), isClean: fields[3].bool(in: text) ?? false)
    }

    package var line: RecordingLine {
        var argument: [UInt8] = []
        JSONWriter.write(into: &argument) { json in
            json.beginObject()
            json.member("version", Self.version)
            json.member("roomId", roomID)
            json.member("startedAt", Int(startedAt))
            if isClean { json.member("isClean", true) }
            json.endObject()
        }
        return RecordingLine(time: 0, name: Self.name, argument: argument)
    }
}
