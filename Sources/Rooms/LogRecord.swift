import Wire

/// An entry of a room's log as it is kept for later: what it tells and what it does, known without reading its bytes.
package struct LogRecord: Sendable {
    package enum Effect: Sendable, Equatable {
        case none
        /// `creation` is the room's key for what the client called it.
        case created(Element, creation: String? = nil)
        case updated(Element)
        /// The version is that of the deletion.
        case deleted(id: String, version: Int)
        /// The id of a person who was not in the room before.
        case came(String)
        case left(String)
        /// Nobody is in the room any more.
        case closed

        /// The element that it makes or changes.
        package var element: Element? {
            switch self {
            case .created(let element, _), .updated(let element): element
            case .none, .deleted, .came, .left, .closed: nil
            }
        }
    }

    package let seq: UInt64
    /// The event's name.
    package let name: StaticString
    /// The event's argument: a JSON object.
    package let argument: [UInt8]
    /// The id of the person who does not get it.
    package let except: String?
    package let effect: Effect
}

/// An entry of a log that was kept, as it comes back with its room.
package struct KeptEntry: Sendable {
    package let seq: UInt64
    package let name: String
    package let argument: [UInt8]
    /// Of the room when it logged this: see `Room.incarnation`.
    package let incarnation: UInt64

    package init(seq: UInt64, name: String, argument: [UInt8], incarnation: UInt64) {
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
