import RoomsClient
import Threads
import Wire

/// Checks everything that one bot receives against the protocol's promises.
///
/// If events have offsets, every number is checked. If not, versions and presence show what is missing or doubled.
final class Witness {
    private static let recentMax = 40

    private let bot: String
    private let roomID: String
    private let ledger: Ledger
    private(set) var isIn = false
    /// The number of the bot's connection.
    var epoch = 0
    private var place: Ledger.Place?
    private(set) var versions: [String: Int] = [:]
    private(set) var participants: Set<String> = []
    private var userOfSlot: [Int: String] = [:]
    private(set) var lastTouches: [String: TouchMark] = [:]
    /// Who is touching within the bot's view, as far as it was told.
    private(set) var touching: Set<String> = []
    /// Of elements with their versions and participants, each by itself: the order in which they came does not matter.
    private(set) var digest: UInt64 = 0
    private(set) var recent: [String] = []
    private(set) var eventCount = 0

    init(bot: String, roomID: String, ledger: Ledger) {
        self.bot = bot
        self.roomID = roomID
        self.ledger = ledger
    }

    /// The bot has left, or comes as another.
    func forget() {
        isIn = false
        place = nil
        lastTouches = [:]
        touching = []
    }

    func take(_ event: IncomingEvent, _ text: Span<UInt8>) throws(Fault) {
        eventCount += 1
        note(text)
        switch event.kind {
        case .touchMoved, .touchBatch, .touchLeft: return try takeTouch(event, text)
        case .viewAll:
            touching = []
            return
        case .roomJoined: return try takeState(event, text)
        case .roomClosed: throw Fault(.stay, "the room was closed")
        case .other, .error, .draining, .tokenExpiring: return
        default: break
        }
        guard isIn else { throw Fault(.order, "an event of a room that the bot is not in") }
        let moved = try advance(event, text)
        try apply(event, text)
        if let moved { try ledger.hasState(digest, after: moved) }
    }

    private func note(_ text: Span<UInt8>) {
        if recent.count >= Self.recentMax { recent.removeFirst() }
        let shown = text.extracting(first: 300)
        recent.append(shown.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
    }

    // MARK: The log

    private func takeState(_ event: IncomingEvent, _ text: Span<UInt8>) throws(Fault) {
        guard let state = RoomState(text, event.arguments) else { throw unreadable(text) }
        versions = state.elements.mapValues(\.version)
        participants = Set(state.participants.keys)
        userOfSlot = [:]
        for participant in state.participants.values { userOfSlot[participant.slot] = participant.id }
        guard participants.contains(bot), state.own.id == bot else {
            throw Fault(.presence, "\(bot) has joined and is not among the participants")
        }
        isIn = true
        lastTouches = [:]
        touching = []
        digest = 0
        for (id, version) in versions { digest ^= Self.hash("\(id) \(version)") }
        for id in participants { digest ^= Self.hash(id) }
        place = Self.place(event, text)
        if let place { try ledger.hasState(digest, after: place) }
    }

    /// `<seq>.<incarnation>`, and something more behind a join.
    private static func place(_ event: IncomingEvent, _ text: Span<UInt8>) -> Ledger.Place? {
        guard let range = event.offset else { return nil }
        let offset = text.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let parts = offset.split(separator: ".")
        guard parts.count >= 2, let seq = UInt64(parts[0]) else { return nil }
        return Ledger.Place(incarnation: parts[1], seq: seq)
    }

    /// Holds an entry's place against the one before it.
    private func advance(_ event: IncomingEvent, _ text: Span<UInt8>) throws(Fault) -> Ledger.Place? {
        guard let next = Self.place(event, text), let last = place else { return nil }
        // Another node may have become the room's home. Its log goes on where the old one was stored.
        guard next.seq > last.seq else { throw Fault(.order, "entry \(next.seq) came after entry \(last.seq)") }
        for seq in last.seq + 1..<next.seq {
            try ledger.skipped(Ledger.Place(incarnation: next.incarnation, seq: seq), by: bot)
        }
        var ended: String?
        if event.kind == .touchEnded { ended = EventArguments.user(text, event.arguments)?.userID }
        let bytes = text.extracting(event.name.lowerBound..<event.arguments.upperBound)
        try ledger.saw(
            next, digest: Self.hash(bytes),
            text: bytes.extracting(first: 300).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) },
            endedTouch: ended)
        place = next
        return next
    }

    private func apply(_ event: IncomingEvent, _ text: Span<UInt8>) throws(Fault) {
        switch event.kind {
        case .elementCreated, .elementUpdated:
            guard let element = Element(text, event.arguments) else { throw unreadable(text) }
            try setVersion(of: element.id, element.version, isCreated: event.kind == .elementCreated)
        case .elementDeleted:
            guard let deleted = EventArguments.deleted(text, event.arguments) else { throw unreadable(text) }
            guard let version = versions.removeValue(forKey: deleted.elementID),
                Element.mayFollow(deleted.version, version)
            else {
                throw Fault(.versions, "\(deleted.elementID) was deleted with version \(deleted.version)")
            }
            digest ^= Self.hash("\(deleted.elementID) \(version)")
        case .userJoined:
            guard let participant = Participant(text, event.arguments) else { throw unreadable(text) }
            guard participants.insert(participant.id).inserted else {
                throw Fault(.presence, "\(participant.id) has joined, but was there")
            }
            userOfSlot[participant.slot] = participant.id
            digest ^= Self.hash(participant.id)
        case .userLeft:
            guard let user = EventArguments.user(text, event.arguments)?.userID else { throw unreadable(text) }
            guard participants.remove(user) != nil else {
                throw Fault(.presence, "\(user) has left, but was not there")
            }
            lastTouches[user] = nil
            touching.remove(user)
            digest ^= Self.hash(user)
        case .touchEnded:
            guard let user = EventArguments.user(text, event.arguments)?.userID else { throw unreadable(text) }
            touching.remove(user)
            if let last = lastTouches[user], !ledger.mayHaveEnded(user, at: last) {
                doubtfulEnds.append(
                    DoubtfulEnd(user: user, mark: last, seenAt: Clock.milliseconds(), recent: recent))
            }
        default: break
        }
    }

    private func setVersion(of id: String, _ version: Int, isCreated: Bool) throws(Fault) {
        let before = versions[id]
        guard Element.mayFollow(version, before ?? 0), isCreated == (before == nil) else {
            throw Fault(.versions, "\(id) went from version \(before.map { "\($0)" } ?? "none") to \(version)")
        }
        if let before { digest ^= Self.hash("\(id) \(before)") }
        versions[id] = version
        digest ^= Self.hash("\(id) \(version)")
    }

    private func unreadable(_ text: Span<UInt8>) -> Fault {
        Fault(
            .protocolOnly,
            "cannot be read: "
                + text.extracting(first: 300).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
    }

    // MARK: Touches

    private func takeTouch(_ event: IncomingEvent, _ text: Span<UInt8>) throws(Fault) {
        guard isIn else { throw Fault(.order, "a touch in a room that the bot is not in") }
        if event.kind != .touchBatch {
            guard let moved = MovedTouch(text, event.arguments) else { throw unreadable(text) }
            if moved.userID == bot { return try sawOwn(moved.touch) }
            return try saw(moved.touch, of: moved.userID, leaves: event.kind == .touchLeft)
        }
        guard let batch = TouchBatch(text, event.arguments) else { throw unreadable(text) }
        try takeTouches(batch)
    }

    /// A binary tick.
    func take(_ batch: TouchBatch) throws(Fault) {
        eventCount += 1
        guard isIn else { throw Fault(.order, "a touch in a room that the bot is not in") }
        try takeTouches(batch)
    }

    private func takeTouches(_ batch: TouchBatch) throws(Fault) {
        if batch.isWhole { touching = [] }
        for (slot, touch) in batch.left { try saw(touch, in: slot, leaves: true) }
        for (slot, touch) in batch.touches { try saw(touch, in: slot) }
    }

    private func saw(_ touch: Touch, in slot: Int, leaves: Bool = false) throws(Fault) {
        guard let user = userOfSlot[slot] else { throw Fault(.presence, "a touch of slot \(slot), where nobody is") }
        if user != bot { try saw(touch, of: user, leaves: leaves) }
    }

    /// A participant who came back after its grace is told how its earlier touch ended, like the others.
    private func sawOwn(_ touch: Touch) throws(Fault) {
        guard let mark = touch.elementID.flatMap(TouchMark.init), mark.epoch < epoch else {
            throw Fault(.touches, "the bot was sent its own touch")
        }
    }

    private func saw(_ touch: Touch, of user: String, leaves: Bool = false) throws(Fault) {
        guard participants.contains(user) else { throw Fault(.presence, "a touch of \(user), who is not there") }
        if leaves { touching.remove(user) } else { touching.insert(user) }
        guard let mark = touch.elementID.flatMap(TouchMark.init) else { return }
        if let last = lastTouches[user], last.epoch == mark.epoch, mark.number < last.number {
            throw Fault(.touches, "\(mark.text) of \(user) came after \(last.text)")
        }
        lastTouches[user] = mark
    }

    /// Ends of touches behind positions that their senders did not send as the last. The sender may have lost its
    /// connection and not know it yet.
    private struct DoubtfulEnd {
        let user: String
        let mark: TouchMark
        let seenAt: Int64
        /// What came before it.
        let recent: [String]
    }

    private var doubtfulEnds: [DoubtfulEnd] = []
    private static let doubtMilliseconds: Int64 = 5_000

    func checkDoubts(now: Int64) throws(Fault) {
        while let first = doubtfulEnds.first, now - first.seenAt > Self.doubtMilliseconds {
            doubtfulEnds.removeFirst()
            guard ledger.mayHaveEnded(first.user, at: first.mark) else {
                recent = first.recent
                throw Fault(
                    .finalTouch,
                    """
                    the touch of \(first.user) ended at \(first.mark.text), which was not its last position: \
                    \(ledger.story(of: first.user, at: first.mark)). The events are those before that end
                    """)
            }
        }
    }

    // MARK: Digests

    /// FNV-1a with a finish that spreads every bit.
    private static func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in bytes.indices { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3 }
        hash = (hash ^ hash >> 31) &* 0x9e37_79b9_7f4a_7c15
        return hash ^ hash >> 29
    }

    private static func hash(_ text: String) -> UInt64 { hash(Array(text.utf8).span) }
}
