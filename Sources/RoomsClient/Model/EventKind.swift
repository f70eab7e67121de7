import Wire

/// The events of the protocol that a server sends.
public enum EventKind: UInt8, Sendable, CaseIterable {
    case touchMoved, touchBatch, touchEnded, elementUpdated, elementCreated, elementDeleted
    case elementEdited, elementCaret, touchLeft, viewAll
    case participantAdded, participantRemoved, recordingStarted, recordingStopped
    case userJoined, userLeft, roomJoined, roomRenamed, roomClosed, draining, tokenExpiring, error, other

    /// In the order of the cases, without the last.
    private static let names = [
        "touch:moved", "touch:batch", "touch:ended", "element:updated", "element:created", "element:deleted",
        "element:edited", "element:caret", "touch:left", "view:all",
        "participant:added", "participant:removed", "recording:started", "recording:stopped",
        "user:joined", "user:left", "room:joined", "room:renamed", "room:closed", "server:draining", "auth:expiring",
        "error",
    ].map { Array($0.utf8) }

    init(_ name: Span<UInt8>) {
        for (index, known) in Self.names.enumerated() where name.equals(known) {
            self = EventKind(rawValue: UInt8(index)) ?? .other
            return
        }
        self = .other
    }

    /// Whether it belongs to a room's log, so that a client that comes back gets it if it was missed.
    public var isOfLog: Bool {
        switch self {
        case .touchEnded, .elementUpdated, .elementCreated, .elementDeleted, .elementEdited, .userJoined, .userLeft,
            .participantAdded, .participantRemoved, .recordingStarted, .recordingStopped, .roomRenamed, .roomClosed:
            true
        default: false
        }
    }
}

/// An event as it came. The ranges point into the text that comes with it.
public struct IncomingEvent: Sendable {
    public let kind: EventKind
    public let name: Range<Int>
    /// The arguments as JSON, without the brackets and the offset.
    public let arguments: Range<Int>
    /// What stands between the quotation marks of the last argument, where that says the event's place in the log.
    public let offset: Range<Int>?

    init(_ head: SocketPacketHead, _ text: Span<UInt8>) {
        name = head.eventName
        kind = head.eventNameForm == .plain ? EventKind(text.extracting(head.eventName)) : .other
        let mayHaveOffset = kind.isOfLog || kind == .roomJoined
        if mayHaveOffset, let offset = Self.lastString(text, head.arguments) {
            self.offset = offset
            arguments = head.arguments.lowerBound..<offset.lowerBound - 2
        } else {
            offset = nil
            arguments = head.arguments
        }
    }

    /// A string without escapes behind a comma, at the end.
    private static func lastString(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        let quote = UInt8(ascii: "\"")
        guard range.count > 4, text[range.upperBound - 1] == quote else { return nil }
        var start = range.upperBound - 1
        while start > range.lowerBound, text[start - 1] != quote {
            if text[start - 1] == UInt8(ascii: "\\") { return nil }
            start -= 1
        }
        guard start - 2 > range.lowerBound, text[start - 2] == UInt8(ascii: ",") else { return nil }
        return start..<range.upperBound - 1
    }
}
