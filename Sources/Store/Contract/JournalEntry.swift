import Rooms

/// An entry of a room's log, as it is kept for those who come back after the server was started anew.
package struct JournalEntry: Sendable, Equatable {
    package let seq: UInt64
    /// The event's name, like `element:created`.
    package let kind: String
    /// The event's argument: a JSON object.
    package let json: [UInt8]
    /// The id of a person who does not get it.
    package let except: String?
    /// Seconds since 1970.
    package let at: Int64
    /// What it does to the room's elements, and to who is in the room. Not kept with the entry: it is folded into tables.
    package let effect: LogRecord.Effect
    /// The keys of the files that the element shows which it makes or changes.
    package let media: [String]
    /// Of the room when it logged this: a server that is killed may have told entries under these numbers that were not
    /// stored, and the next one uses the numbers anew.
    package let incarnation: UInt64

    package init(
        seq: UInt64, kind: String, json: [UInt8], except: String? = nil, at: Int64,
        effect: LogRecord.Effect = .none, media: [String] = [], incarnation: UInt64 = 0
    ) {
        self.seq = seq
        self.kind = kind
        self.json = json
        self.except = except
        self.at = at
        self.effect = effect
        self.media = media
        self.incarnation = incarnation
    }
}

/// An element with what the room remembers beside it.
package struct StoredElement: Sendable, Equatable {
    package let element: Element
    package let creation: String?
    /// The entry of the room's log that changed it last.
    package let seq: UInt64

    package init(element: Element, creation: String?, seq: UInt64) {
        self.element = element
        self.creation = creation
        self.seq = seq
    }
}

/// An element that was deleted.
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
