import Rooms
import Store

/// The receiver of the answer when an entry is stored.
enum StoreWaiter: Sendable {
    case change(ElementAsker, Result<ElementOutcome, RoomError>)
    case question(UInt64)

    var node: Int {
        switch self {
        case .change(let asker, _): asker.node
        case .question(let number): Questions.node(of: number)
        }
    }
}

/// The entries that a room's home has logged and the store has not stored yet, with the requests that wait for them.
struct RoomJournal {
    static let notStored = RoomError(
        .server, "The change could not be stored yet. The room has it, and the server stores it once it can."
    )
    static let takesNothing = RoomError(.server, "Changes cannot be stored at the moment.")

    /// Entries since the newest tick. With those of the backlog members know fewer versions that are not stored than
    /// `Element.versionsLeftOut`.
    static let recordsMax = 4_096

    var backlog: JournalBacklog<StoreWaiter>
    /// Whether the newest append failed. The room accepts no change until an append succeeds.
    var isFailing = false
    /// Whether the store has to prove that it still has what it has confirmed.
    var proof = Proof.notNeeded

    enum Proof {
        case notNeeded
        /// The next append asks for it.
        case wanted
        /// The append that is under way asks for it.
        case asked
    }

    init(storedSeq: UInt64) {
        backlog = JournalBacklog(storedSeq: storedSeq)
    }

    var isFull: Bool { backlog.isFull }
    var isEmpty: Bool { backlog.isEmpty }
    var storedSeq: UInt64 { backlog.storedSeq }

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
