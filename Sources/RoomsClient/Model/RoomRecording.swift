import Wire

/// A recording that the server makes of a room.
public struct RoomRecording: Equatable, Sendable {
    public let id: String
    /// When it began, as the server writes times.
    public let startedAt: String
    /// The user who has started it; nil for the server itself.
    public let startedBy: String?

    private static let keys = JSONKeys("recordingId", "startedAt", "startedBy")

    /// From `recording:started`, or `recording` of a state.
    init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard let fields = try? JSON.fields(Self.keys, of: text, range: range), let id = fields[0].string(in: text)
        else { return nil }
        self.id = id
        startedAt = fields[1].string(in: text) ?? ""
        startedBy = fields[2].string(in: text)
    }
}

/// The end of one.
struct RecordingEnding {
    let roomID: String
    let recordingID: String
    let reason: String

    private static let keys = JSONKeys("roomId", "recordingId", "reason")

    init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        guard let fields = try? JSON.fields(Self.keys, of: text, range: range),
            let roomID = fields[0].string(in: text), let recordingID = fields[1].string(in: text)
        else { return nil }
        self.roomID = roomID
        self.recordingID = recordingID
        reason = fields[2].string(in: text) ?? ""
    }
}
