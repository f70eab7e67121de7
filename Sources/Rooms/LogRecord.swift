import Wire

/// An entry of a room's log for the store: its event and its effect, so that the store need not read the event's bytes.
package struct LogRecord: Sendable {
    package enum Effect: Sendable, Equatable {
        case none
        /// `creation` is the creation key of the element (see `ElementTable`).
        case created(Element, creation: String? = nil)
        case updated(Element)
        /// The version is that of the deletion.
        case deleted(id: String, version: Int)
        case came(Presence)
        case left(String)
        /// The room is closed; it has no participants any more.
        case closed

        /// A user has become a participant, of whom only the id is known.
        package static func came(_ id: String) -> Effect { .came(Presence(id)) }

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
    /// The id of the user who does not get the event.
    package let except: String?
    package let effect: Effect
}

/// A user who has become a participant.
package struct Presence: Sendable, Equatable {
    package let id: String
    /// Nil for one that an earlier version has stored.
    package let slot: Int?
    package let joinedAt: Int64
    /// The user as others see it: a JSON object.
    package let profile: [UInt8]

    package init(_ id: String, slot: Int? = nil, joinedAt: Int64 = 0, profile: [UInt8] = []) {
        self.id = id
        self.slot = slot
        self.joinedAt = joinedAt
        self.profile = profile
    }
}

/// A stored entry of a log, as it is read with its room.
package struct KeptEntry: Sendable {
    package let seq: UInt64
    package let name: String
    package let argument: [UInt8]
    /// The room's incarnation when it logged this entry: see `Room.incarnation`.
    package let incarnation: UInt64
    /// The id of the user who does not get it.
    package let except: String?

    package init(seq: UInt64, name: String, argument: [UInt8], incarnation: UInt64, except: String? = nil) {
        self.seq = seq
        self.name = name
        self.argument = argument
        self.incarnation = incarnation
        self.except = except
    }

    /// - Parameter slot: the slot of the user who does not get it, or -1 if that user is not in the room.
    func logEntry(except slot: Int) -> LogEntry {
        var frames: [UInt8] = []
        let (position, end) = name == "touch:ended" ? EventFrame.parts(of: argument) : (nil, argument)
        if let position { EventFrame.append("touch:moved", argument: position, to: &frames) }
        EventFrame.append(name, argument: end, to: &frames)
        return LogEntry(seq: seq, frames: frames, except: slot)
    }
}
