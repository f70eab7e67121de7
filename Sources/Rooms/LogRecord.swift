import Wire

/// An entry of a room's log as it is kept for later: what it tells and what it does, known without reading its bytes.
public struct LogRecord: Sendable {
    public enum Effect: Sendable {
        case none
        /// `creation` is the room's key for what the client called it.
        case created(Element, creation: String?)
        case updated(Element)
        /// The version is that of the deletion.
        case deleted(id: String, version: Int)
        /// The id of a person who was not in the room before.
        case came(String)
        case left(String)
        /// Nobody is in the room any more.
        case closed
    }

    public let seq: UInt64
    /// The event's name.
    public let name: StaticString
    /// The event's argument: a JSON object.
    public let argument: [UInt8]
    /// The id of the person who does not get it.
    public let except: String?
    public let effect: Effect
}

/// An entry of a log that was kept, as it comes back with its room.
public struct KeptEntry: Sendable {
    public let seq: UInt64
    public let name: String
    public let argument: [UInt8]
    /// Of the room when it logged this: see `Room.incarnation`.
    public let incarnation: UInt64

    public init(seq: UInt64, name: String, argument: [UInt8], incarnation: UInt64) {
        self.seq = seq
        self.name = name
        self.argument = argument
        self.incarnation = incarnation
    }

    var logEntry: LogEntry {
        var frames: [UInt8] = []
        EventFrame.append(name, argument: argument, to: &frames)
        return LogEntry(seq: seq, frames: frames)
    }
}
