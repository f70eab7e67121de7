import Rooms
import Store

/// Who is answered when an entry is stored.
enum StoreWaiter: Sendable {
    case change(ElementAsker, ElementOutcome)
    case question(UInt64)
}

/// What a room's home has logged and the store has not stored yet, and who is to be answered when it has.
struct RoomJournal {
    static let notStored = RoomError(
        .server, "The change could not be stored for now. It was told to the room, and is stored once that is possible."
    )
    static let takesNothing = RoomError(.server, "Changes cannot be stored at the moment.")

    var backlog: JournalBacklog<StoreWaiter>
    /// Whether the newest append failed. Until one comes through, no change is taken.
    var isFailing = false

    init(storedSeq: UInt64) {
        backlog = JournalBacklog(storedSeq: storedSeq)
    }

    var isFull: Bool { backlog.isFull }
    var isEmpty: Bool { backlog.isEmpty }

    mutating func add(
        _ record: LogRecord, incarnation: UInt64, at unixSeconds: Int64, media: (Element.Values) -> [String]
    ) {
        backlog.add(
            JournalEntry(
                seq: record.seq, kind: "\(record.name)", json: record.argument, except: record.except, at: unixSeconds,
                effect: record.effect, media: record.effect.element.map { media($0.values) } ?? [],
                incarnation: incarnation))
    }
}
