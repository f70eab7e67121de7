import Rooms

/// The logs and elements of rooms, for the relay.
package protocol RoomStore: SeatStore {
    /// Everything that a room's home needs to continue the room; nil for an unknown room. It includes all appends
    /// before the call.
    func load(_ room: String, then answer: @escaping Answer<StoredRoom?>)

    /// Appends entries to a room's log and applies them to its elements, all or nothing. The answer comes when they are
    /// on disk; it is the number of the newest stored entry.
    ///
    /// The first entry has to follow the newest stored one: after a failure the room takes no append until the failed
    /// one is repeated. Entries that are stored already with the same bytes count as done. The first append makes an
    /// unknown room. Members who are not in the room are notified of new elements.
    func append(_ entries: [JournalEntry], to room: String, then answer: @escaping Answer<UInt64>)

    /// Members may have been told changes of a room that are not stored and never will be: the room's next home begins an era.
    func countLoss(of room: String, then answer: @escaping Answer<Void>)

    /// The entries after a number, the oldest first; nil when the journal does not reach back so far, or the number was
    /// not reached.
    func entries(of room: String, after seq: UInt64, then answer: @escaping Answer<[JournalEntry]?>)

    /// The changes of a room's elements after a number of its log, in the order of the last changes.
    func changes(
        of room: String, since position: ChangesPosition, limit: Int, then answer: @escaping Answer<ElementChanges>)
}

/// A room for its home.
package struct StoredRoom: Sendable, Equatable {
    package let id: String
    package let name: String?
    package let createdBy: String?
    package let createdAt: Int64
    package let isActive: Bool
    /// The newest entry of the log.
    package let seq: UInt64
    /// In the order of their creation.
    package let elements: [StoredElement]
    /// Creation keys of deleted elements, the earliest deletion first.
    package let rememberedCreations: [String]
    /// The newest kept entries of the log, without a gap up to `seq`, the oldest first.
    package let entries: [JournalEntry]
    /// The participants at the end of the server, in any order.
    package let present: [Presence]
    /// Grows with each loss of what the room's members may have been told.
    package let era: Int

    package init(
        id: String, name: String? = nil, createdBy: String? = nil, createdAt: Int64 = 0, isActive: Bool = true,
        seq: UInt64, elements: [StoredElement], rememberedCreations: [String], entries: [JournalEntry],
        present: [Presence], era: Int = 0
    ) {
        self.id = id
        self.name = name
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.isActive = isActive
        self.seq = seq
        self.elements = elements
        self.rememberedCreations = rememberedCreations
        self.entries = entries
        self.present = present
        self.era = era
    }

    /// The same contents in the form of a room.
    package var contents: RoomContents {
        RoomContents(
            elements: elements.map { ($0.element, $0.creation) }, rememberedCreations: rememberedCreations, seq: seq,
            recent: entries.map {
                KeptEntry(
                    seq: $0.seq, name: $0.kind, argument: $0.json, incarnation: $0.incarnation, except: $0.except)
            }, present: present, era: era)
    }
}

/// The place of a client in the changes of a room's elements.
package struct ChangesPosition: Sendable, Equatable {
    /// All changes up to this number.
    package let seq: UInt64
    /// The place at which the listing of this page began. Elements that were deleted before it are on no page of the
    /// listing, so their deletion need not be remembered.
    package let begin: UInt64

    /// Without `begin`, a listing of the changes after `seq` begins.
    package init(_ seq: UInt64, begin: UInt64? = nil) {
        self.seq = seq
        self.begin = begin ?? seq
    }
}

/// What a client that was away has missed of a room's elements.
package struct ElementChanges: Sendable, Equatable {
    /// The number up to which these are all changes: the `seq` of the next request.
    package let through: UInt64
    /// Whether there are more.
    package let hasMore: Bool
    /// Whether the list replaces everything that the client has, because deletions since its number are not remembered
    /// any more. The changes then begin with the first element.
    package let isReset: Bool
    /// The newest entry of the room's log.
    package let seq: UInt64
    /// The place at which the listing began, for its next page.
    package let begin: UInt64
    package let elements: [StoredElement]
    package let tombstones: [Tombstone]
}
