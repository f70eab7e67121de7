import Rooms
import Wire

/// A device of somebody: reads frames as a client does and holds them against the truth. It outlives its connections.
final class ModelClient {
    enum Phase {
        case outside
        /// Has asked to be let in and knows nothing yet.
        case joining
        /// Has asked to go on where it was.
        case resuming
        case inside
    }

    /// What the device shows of a room.
    struct View {
        var phase = Phase.outside
        /// The first request to join since it was outside; answers to earlier ones are of no interest.
        var firstRequest = Int.max
        var seq: UInt64 = 0
        /// The entry with which its person came into the room.
        var participation: UInt64 = 0
        var state = RoomTruth.State()
        /// Positions of those who are touching.
        var touches: [Int: Int] = [:]
        /// The newest position that was ever seen of each, and where a touch ended.
        var newest: [Int: Int] = [:]
        var ended: [Int: Int] = [:]
        var lastMoved: [UInt8] = []
    }

    let number: Int
    let person: Int
    let isBatch: Bool
    /// Whether it comes back with the last offset that it has seen, and not with a number for each room.
    let hasOffsets: Bool
    private(set) var offset: LogOffset?
    /// What its last connection has left of itself on the server.
    var memberships: [Int: UInt64] = [:]
    var trail = Trail()
    var connection: SimulatedConnection?
    var views: [Int: View] = [:]
    private var inbox: [UInt8] = []
    private var checked = 0

    init(number: Int, person: Int, isBatch: Bool, hasOffsets: Bool) {
        self.hasOffsets = hasOffsets
        self.number = number
        self.person = person
        self.isBatch = isBatch
    }

    /// What a new connection begins with; bytes of the old one that came in part are of no use.
    func forgetInbox() { inbox = [] }

    // MARK: Reading

    /// Takes in bytes. The answer is which promise was broken.
    func receive(_ bytes: [UInt8], in world: Simulation) -> String? {
        inbox += bytes
        var position = 0
        while inbox.count - position >= 2 {
            guard inbox[position] == 0x81 else { return "something that is no text frame" }
            var length = Int(inbox[position + 1])
            var start = position + 2
            if length == 126 {
                guard inbox.count >= position + 4 else { break }
                length = Int(inbox[position + 2]) << 8 | Int(inbox[position + 3])
                start += 2
            } else if length == 127 {
                guard inbox.count >= position + 10 else { break }
                length = inbox[position + 6..<position + 10].reduce(0) { $0 << 8 | Int($1) }
                start += 8
            }
            guard inbox.count >= start + length else { break }
            guard inbox[start] == UInt8(ascii: "4") else { return "a frame that is no message" }
            if let problem = read(Array(inbox[start + 1..<start + length]), in: world) { return problem }
            position = start + length
        }
        inbox.removeFirst(position)
        return nil
    }

    private func read(_ text: [UInt8], in world: Simulation) -> String? {
        checked += 1
        if checked % 8 == 0 {
            let json = Array(text[1...])
            if (try? JSON.validate(json.span)) == nil { return "an event that is not JSON" }
        }
        guard let room = SimulatedEvent.room(text), let truth = world.truths[room] else { return "an event of no room" }
        var view = views[room] ?? View()
        defer { views[room] = view }
        var text = text
        let offset = SimulatedEvent.takeOffset(&text)
        if let offset { self.offset = offset }
        let isMarked =
            !SimulatedEvent.begins(text, "2[\"touch:moved\"") && !SimulatedEvent.begins(text, "2[\"touch:batch\"")
        let isRefusedOrResumed =
            SimulatedEvent.begins(text, "2[\"room:refused") || SimulatedEvent.begins(text, "2[\"room:resumed")
        let isOffsetDue = hasOffsets && isMarked && !isRefusedOrResumed
        guard (offset != nil) == isOffsetDue else { return "an offset too few or too many: \(Self.shown(text))" }
        if SimulatedEvent.begins(text, "2[\"touch:moved\"") { return readMoved(text, &view) }
        if SimulatedEvent.begins(text, "2[\"touch:batch\"") { return readBatch(text, &view, truth) }
        if SimulatedEvent.request(text) != nil { return readAnswer(text, &view, world) }
        return readEntry(text, &view, truth, offset)
    }

    /// `room:joined`, `room:resumed` or `room:refused`, which the simulation marks with the request's number.
    private func readAnswer(_ text: [UInt8], _ view: inout View, _ world: Simulation) -> String? {
        guard let (name, argument) = SimulatedEvent.argument(text), let request = argument["request"]?.int,
            let promise = world.promises[request]
        else { return "an answer that is not one" }
        guard request >= view.firstRequest else { return nil }
        switch name {
        case "room:joined":
            guard let state = RoomTruth.state(argument), state == promise.state else {
                return "an answer with a wrong state"
            }
            view.state = state
            view.seq = promise.seq
            view.touches = [:]
            guard argument["self"]?["userId"]?.string == "p\(person)" else { return "an answer to another" }
        case "room:resumed":
            guard view.phase == .resuming else { return "an answer to what was not asked" }
        default:
            view.phase = view.phase == .inside ? .inside : .outside
            return nil
        }
        view.participation = promise.participation
        view.phase = .inside
        return nil
    }

    private func readEntry(
        _ text: [UInt8], _ view: inout View, _ truth: RoomTruth, _ offset: LogOffset?
    ) -> String? {
        guard view.phase == .inside else { return nil }
        while view.seq < truth.lastSeq, truth.entries[Int(view.seq)].except == view.participation { view.seq += 1 }
        guard view.seq < truth.lastSeq else { return "an entry after the log's last: \(Self.shown(text))" }
        let entry = truth.entries[Int(view.seq)]
        guard entry.texts.last == text else {
            return "instead of entry \(view.seq + 1), \(Self.shown(entry.texts.last ?? [])): \(Self.shown(text))"
        }
        if case .ended(let person) = entry.effect {
            guard view.lastMoved == entry.texts.first else { return "an end without the last position right before it" }
            view.touches[person] = nil
            view.ended[person] = view.newest[person]
        }
        if case .closed = entry.effect {
            if !view.touches.isEmpty { return "the end of a room before those of its touches" }
            view.phase = .outside
        }
        RoomTruth.apply(entry.effect, to: &view.state)
        view.seq += 1
        if let offset, offset.seq != view.seq { return "the offset \(offset.text) with entry \(view.seq)" }
        return nil
    }

    private func readMoved(_ text: [UInt8], _ view: inout View) -> String? {
        view.lastMoved = text
        guard view.phase == .inside else { return nil }
        guard let mover = SimulatedEvent.person(text), let x = SimulatedEvent.x(text) else { return "a move of nobody" }
        // The end of a touch that the person made before it was given up and came back is an entry like others.
        if mover == person, view.seq >= view.participation { return "its own touch" }
        return moved(mover, x, &view)
    }

    private func readBatch(_ text: [UInt8], _ view: inout View, _ truth: RoomTruth) -> String? {
        guard view.phase == .inside else { return nil }
        guard isBatch, let items = SimulatedEvent.argument(text)?.argument["touches"]?.items, !items.isEmpty else {
            return "a batch of nothing, or not asked for"
        }
        for item in items {
            let tuple = item.items ?? []
            guard tuple.count >= 3, let slot = tuple[0].int, let x = tuple[1].int,
                let mover = view.state.participants.first(where: { $0.value == slot })?.key
            else { return "a batch with a touch of nobody" }
            if mover != person, let problem = moved(mover, x, &view) { return problem }
        }
        return nil
    }

    private func moved(_ mover: Int, _ x: Int, _ view: inout View) -> String? {
        guard view.state.participants[mover] != nil else { return "a touch of p\(mover), who is not there" }
        guard x >= view.newest[mover] ?? 0 else { return "p\(mover) at \(x) after \(view.newest[mover] ?? 0)" }
        if let ended = view.ended[mover], x <= ended { return "p\(mover) at \(x) after the end at \(ended)" }
        view.newest[mover] = x
        view.touches[mover] = x
        return nil
    }

    static func shown(_ text: [UInt8]) -> String { String(decoding: text.prefix(120), as: UTF8.self) }
}
