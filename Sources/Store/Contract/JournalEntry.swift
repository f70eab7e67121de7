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
    /// The effect on the tables of elements and of users in the room. The journal itself does not keep it.
    package let effect: LogRecord.Effect
    /// The keys of the files of the element that the entry makes or changes.
    package let media: [String]
    /// The room's incarnation. A killed server may have sent entries with these numbers that were not stored, and the
    /// next server uses the numbers again.
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
