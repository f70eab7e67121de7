import Rooms

/// An entry of a room's log, as it is kept for those who come back after the server was started anew.
public struct JournalEntry: Sendable, Equatable {
    public let seq: UInt64
    /// The event's name, like `element:created`.
    public let kind: String
    /// The event's argument: a JSON object.
    public let json: [UInt8]
    /// The id of a person who does not get it.
    public let except: String?
    /// Seconds since 1970.
    public let at: Int64
    /// What it does to the room's elements. Not kept with the entry: it is folded into their table.
    public let change: ElementChange?
    /// What it does to who is in the room. Kept in a table too.
    public let presence: PresenceChange?
    /// Of the room when it logged this: a server that is killed may have told entries under these numbers that were not
    /// stored, and the next one uses the numbers anew.
    public let incarnation: UInt64

    public init(
        seq: UInt64, kind: String, json: [UInt8], except: String? = nil, at: Int64, change: ElementChange? = nil,
        presence: PresenceChange? = nil, incarnation: UInt64 = 0
    ) {
        self.seq = seq
        self.kind = kind
        self.json = json
        self.except = except
        self.at = at
        self.change = change
        self.presence = presence
        self.incarnation = incarnation
    }
}

/// What an entry does to who is in the room, by people's ids.
public enum PresenceChange: Sendable, Equatable {
    case came(String)
    case left(String)
    case allLeft
}

/// What an entry does to the room's elements.
public enum ElementChange: Sendable, Equatable {
    /// `creation` is the room's key for what the client called it; `media` are the keys of the files that it shows.
    case created(Element, creation: String? = nil, media: [String] = [])
    case updated(Element, media: [String] = [])
    /// The version is that of the deletion.
    case deleted(id: String, version: Int)
}

/// An element with what the room remembers beside it.
public struct StoredElement: Sendable, Equatable {
    public let element: Element
    public let creation: String?
    /// The entry of the room's log that changed it last.
    public let seq: UInt64

    public init(element: Element, creation: String?, seq: UInt64) {
        self.element = element
        self.creation = creation
        self.seq = seq
    }
}

/// An element that was deleted.
public struct Tombstone: Sendable, Equatable {
    public let id: String
    public let version: Int
    public let seq: UInt64
    public let deletedAt: Int64

    public init(id: String, version: Int, seq: UInt64, deletedAt: Int64) {
        self.id = id
        self.version = version
        self.seq = seq
        self.deletedAt = deletedAt
    }
}
