import Rooms

/// The rooms' logs and what is on them: what the realtime side writes and reads.
package protocol RoomStore: SeatStore {
    /// Everything that a room's home needs to go on where it ended; nil when nothing is known of the room. Sees what was
    /// appended before the call.
    func load(_ room: String, then answer: @escaping Answer<StoredRoom?>)

    /// Appends entries to a room's log and folds them into its elements, all or nothing. The answer comes when they are
    /// on disk, and is the number of the newest stored entry.
    ///
    /// The first has to follow the newest that is stored: after a failure nothing of the room is taken until what failed
    /// has been appended again. Entries that are stored already, to the byte, are taken as done. A room that is not known
    /// comes to be with its first entry. Members who are not there are notified of new elements.
    func append(_ entries: [JournalEntry], to room: String, then answer: @escaping Answer<UInt64>)

    /// What was logged after a number, the oldest first; nil when the journal does not reach back so far, or the number
    /// has not been reached.
    func entries(of room: String, after seq: UInt64, then answer: @escaping Answer<[JournalEntry]?>)

    /// What has changed among a room's elements after a number of its log, in the order of the last changes.
    func changes(
        of room: String, since position: ChangesPosition, limit: Int, then answer: @escaping Answer<ElementChanges>)
}

/// A room as its home takes it up again.
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
    /// What clients called elements that were deleted, the earliest deleted first.
    package let rememberedCreations: [String]
    /// The newest entries of the log that are kept, without a gap up to `seq`, the oldest first.
    package let entries: [JournalEntry]
    /// The ids of people who have come and not left, in no order: those who were there when the server ended.
    package let present: [String]

    package init(
        id: String, name: String? = nil, createdBy: String? = nil, createdAt: Int64 = 0, isActive: Bool = true,
        seq: UInt64, elements: [StoredElement], rememberedCreations: [String], entries: [JournalEntry],
        present: [String]
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
    }

    /// The elements as a room takes them.
    package var contents: RoomContents {
        RoomContents(
            elements: elements.map { ($0.element, $0.creation) }, rememberedCreations: rememberedCreations, seq: seq,
            recent: entries.map {
                KeptEntry(seq: $0.seq, name: $0.kind, argument: $0.json, incarnation: $0.incarnation)
            }, present: present)
    }
}

/// How far a client has been told of the changes of a room's elements.
package struct ChangesPosition: Sendable, Equatable {
    /// All changes up to this number.
    package let seq: UInt64
    /// Where the listing began of which this is a page: what was deleted until then is not among the elements of the pages
    /// before, so that it need not be remembered any more.
    package let begin: UInt64

    /// Where `begin` is not given, a listing of what came after `seq` begins.
    package init(_ seq: UInt64, begin: UInt64? = nil) {
        self.seq = seq
        self.begin = begin ?? seq
    }
}

/// What a client that was away has missed of a room's elements.
package struct ElementChanges: Sendable, Equatable {
    /// The number up to which these are all changes: what to ask for next.
    package let through: UInt64
    /// Whether there are more.
    package let hasMore: Bool
    /// Whether the client has to forget what it has: deletions since its number are no longer remembered. The changes
    /// then begin with the first element.
    package let isReset: Bool
    /// The newest entry of the room's log.
    package let seq: UInt64
    /// Where the listing began, for its next page.
    package let begin: UInt64
    package let elements: [StoredElement]
    package let tombstones: [Tombstone]
}
