import Rooms

/// A stored entry of a room's log, for clients that come back after a restart.
package struct JournalEntry: Sendable, Equatable {
    package let seq: UInt64
    /// The event's name, like `element:created`.
    package let kind: String
    /// The event's argument: a JSON object.
    package let json: [UInt8]
    /// The id of the user who does not get it.
    package let except: String?
    /// Seconds since 1970.
    package let at: Int64
    /// Its effect on the room's elements. It is not stored with the entry, but applied to the table of elements.
    package let change: ElementChange?
    /// Its effect on the room's participants. It is stored in a table too.
    package let presence: PresenceChange?
    /// The room's incarnation. A killed server may have sent entries with these numbers that were not stored, and the
    /// next server uses the numbers again.
    package let incarnation: UInt64

    package init(
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

/// The effect of an entry on the room's participants, by the ids of users.
package enum PresenceChange: Sendable, Equatable {
    case came(String)
    case left(String)
    case allLeft
}

/// The effect of an entry on the room's elements.
package enum ElementChange: Sendable, Equatable {
    /// `creation` is the element's creation key; `media` are the keys of the files that it shows.
    case created(Element, creation: String? = nil, media: [String] = [])
    case updated(Element, media: [String] = [])
    /// The version is that of the deletion.
    case deleted(id: String, version: Int)
}

/// An element with the data that the room keeps about it.
package struct StoredElement: Sendable, Equatable {
    package let element: Element
    package let creation: String?
    /// The newest entry of the room's log that changed it.
    package let seq: UInt64

    package init(element: Element, creation: String?, seq: UInt64) {
        self.element = element
        self.creation = creation
        self.seq = seq
    }
}

/// A deleted element.
package struct Tombstone: Sendable, Equatable {
    package let id: String
    package let version: Int
    package let seq: UInt64
    package let deletedAt: Int64

    package init(id: String, version: Int, seq: UInt64, deletedAt: Int64) {
        self.id = id
        self.version = version
        self.seq = seq
        self.deletedAt = deletedAt
    }
}
