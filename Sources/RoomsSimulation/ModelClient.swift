import Identity
import Relay
import Rooms
import Wire

/// A device of a user: it sends requests, reads frames like a client, and checks them against the truth. It outlives
/// its connections.
final class ModelClient {
    enum Phase {
        case outside
        /// Has asked to be let in and has not been told the state.
        case joining
        case inside
        /// Has asked to leave and has no answer.
        case leaving
        /// Its connection was lost before a join or a leave was answered: only a state says more.
        case unknown
    }

    /// What the device shows of a room.
    struct View {
        var phase = Phase.outside
        /// Whether the server has answered that the client has left: nothing brings it back.
        var hasLeft = false
        /// Whether the state came before the answer to a leave: it may be of before the leave, or of a later join.
        var mayHaveLeft = false
        /// How often the client has come into the room or was put out of it.
        var turn = 0
        /// The turn in which the server said that the client is not in the room. It must hear of its end, too.
        var forbiddenIn: Int?
        /// The generation of the truth that it belongs to.
        var generation = 0
        /// The newest entry of the room's log that it has.
        var seq: UInt64 = 0
        var state = RoomTruth.State()
        /// Positions of current touches.
        var touches: [Int: Position] = [:]
        /// The newest position of each device that a home has told since the state of it came, and the position at which a touch ended.
        var newest: [Int: Int] = [:]
        var ended: [Int: Int] = [:]
        var lastMoved: [UInt8] = []
        /// What binary ticks have told.
        var ticks = TickDecoder()
        /// Positions of others that were accepted while the client was in the room: it must see them or newer ones.
        var owed: [Int: Int] = [:]
        /// A position of this person was sent that only the end of its touch explains: the client's own, or one that is outside of
        /// what it sees.
        var awaitsEndOf: Int?
        /// What the client is told of, by the answer to its last `view:set`; nil for everything.
        var area: ModelArea?
        /// All touches within it have not come yet.
        var awaitsAll = false
        /// The client may have been out of the room, and in it again, before it heard of that. Then it has no view any more.
        var mayHaveBeenOut = false
        /// The texts that the client writes in, by the ids of their elements.
        var writers: [String: TextWriter] = [:]
        /// The edits, by their elements, that were sent since the state came, and need not be sent again.
        var edited: [String: String] = [:]
    }

    /// Names this device among those of all users.
    var key: Int { person * 1_000 + number }

    /// The position of a touch. Positions of one device have increasing numbers, which are their x; y says where they are and
    /// of which device.
    struct Position: Equatable {
        let x: Int
        let y: Int

        /// How far the places are from each other in which touches can be.
        static let placeSize = 100_000
        var number: Int { x }
        var device: Int { y % Self.placeSize }
    }

    let number: Int
    let person: Int
    /// The form in which it gets positions.
    let touches: DeliveryForm
    /// Whether it takes and sends edits of texts.
    let isWriter: Bool
    /// Whether it gets offsets, and shows the last that it has seen when it comes back.
    let hasOffsets: Bool
    let polls: Bool
    /// Whether it sets views.
    let looksAround: Bool
    private let token: VerifiedToken
    var connection: SimulatedConnection?
    /// When its connections were begun, in the numbers of positions.
    private var connectedAt: [Int] = []
    /// Whether its CONNECT has been answered.
    private(set) var isConnected = false
    /// What the server calls it, from the answer to its last CONNECT.
    var sid: String?
    var pid: String?
    var offset: LogOffset?
    var views: [Int: View] = [:]
    var questions: [UInt64: Question] = [:]
    /// The turn of the room's view when a question was asked by a client that was inside.
    var turns: [UInt64: Int] = [:]
    /// The newest position that a room has accepted, until the touch ends.
    var accepted: [Int: Int] = [:]
    /// For a planted bug: the newest offset that was written to its last connection.
    var lastWrittenOffset: LogOffset?
    private var lastQuestion: UInt64 = 0
    private var inbox: [UInt8] = []
    /// Where it touches.
    var place = 0
    /// The room of a binary tick whose attachment comes next.
    var tickedRoom: Int?
    private var checked = 0

    init(
        number: Int, person: Int, touches: DeliveryForm, isWriter: Bool, hasOffsets: Bool, polls: Bool,
        looksAround: Bool
    ) {
        self.number = number
        self.person = person
        self.touches = touches
        self.isWriter = isWriter
        self.hasOffsets = hasOffsets
        self.polls = polls
        self.looksAround = looksAround
        token = VerifiedToken(
            subject: "p\(person)", name: nil, email: nil, expiresAt: nil, claims: Array("{}".utf8),
            shown: Array("{\"id\":\"p\(person)\"}".utf8))
    }

    /// A new one for each connection.
    var admission: Admission {
        Admission(
            token,
            ConnectWishes(
                touches: touches, wantsEdits: isWriter, asksForOffsets: hasOffsets, isPage: false,
                tokenIsOfRequest: false))
    }
    /// A server without recovery sends no offsets.
    var getsOffsets: Bool { hasOffsets && pid != nil }

    func ask(_ question: Question, in room: Int) -> UInt64 {
        lastQuestion += 1
        questions[lastQuestion] = question
        if let view = views[room], view.phase == .inside { turns[lastQuestion] = view.turn }
        return lastQuestion
    }

    // MARK: Connections

    func begin(_ connection: SimulatedConnection, at number: Int) {
        self.connection = connection
        connectedAt.append(number)
    }

    /// Whether a connection was begun after one position and before another: they are not of the same.
    func hasConnected(after older: Int, upTo newer: Int) -> Bool { connectedAt.contains { $0 > older && $0 <= newer } }

    /// Its connection is gone: nothing that it has asked there is answered any more.
    func lostConnection() {
        connection = nil
        isConnected = false
        inbox = []
        tickedRoom = nil
        for case .join(let room) in questions.values { views[room]?.phase = .unknown }
        for case .leave(let room) in questions.values { views[room]?.phase = .unknown }
        for room in views.keys {
            views[room]?.awaitsEndOf = nil
            views[room]?.endSight()
            views[room]?.edited = [:]
            views[room]?.owed = [:]
        }
        questions = [:]
        turns = [:]
        accepted = [:]
    }

    private func connected(_ json: JSONReader, _ world: Simulation) -> String? {
        guard let newSid = json["sid"]?.string else { return "a CONNECT without an id" }
        let newPid = json["pid"]?.string
        defer { (sid, pid) = (newSid, newPid) }
        isConnected = true
        guard let newPid, newPid == pid else {
            for room in views.keys { views[room]?.phase = .outside }
            offset = nil
            return nil
        }
        world.reach(.recovered)
        // What the store remembers of a client has no such id.
        if newSid != sid, world.database == nil { return "another sid for the same pid" }
        return nil
    }

    // MARK: Reading

    /// Takes in bytes. The answer is which promise was broken.
    func receive(_ bytes: [UInt8], in world: Simulation) -> String? {
        inbox += bytes
        var position = 0
        while inbox.count - position >= 2 {
            let isBinary = inbox[position] == 0x82
            guard inbox[position] == 0x81 || isBinary else { return "something that is no frame of a message" }
            var length = Int(inbox[position + 1])
            var start = position + 2
            if length == 126 {
                guard inbox.count >= position + 4 else { break }
                length = Int(inbox[position + 2]) << 8 | Int(inbox[position + 3])
                start += 2
            } else if length == 127 {
                guard inbox.count >= position + 10 else { break }
                length = inbox[position + 2..<position + 10].reduce(0) { $0 << 8 | Int($1) }
                start += 8
            }
            guard inbox.count >= start + length else { break }
            if isBinary {
                if let problem = readTick(Array(inbox[start..<start + length]), world) { return problem }
            } else {
                guard length > 1, inbox[start] == UInt8(ascii: "4") else { return "a frame that is no message" }
                if let problem = read(Array(inbox[start + 1..<start + length]), world) { return problem }
            }
            position = start + length
        }
        inbox.removeFirst(position)
        return nil
    }

    private func read(_ text: [UInt8], _ world: Simulation) -> String? {
        world.note("client \(number) reads \(Self.shown(text))")
        if tickedRoom != nil { return "a text in place of an attachment" }
        switch text[0] {
        case UInt8(ascii: "0"):
            guard let json = try? JSONReader(Array(text[1...])) else { return "a CONNECT that is not JSON" }
            return connected(json, world)
        case UInt8(ascii: "1"):
            // Disconnected for good.
            pid = nil
            return nil
        case UInt8(ascii: "2"): return readEvent(text, world)
        case UInt8(ascii: "3"): return readAnswer(text, world)
        case UInt8(ascii: "5"):
            tickedRoom = touches.contains(.ticks) ? SimulatedEvent.tickedRoom(text) : nil
            return tickedRoom == nil ? "a binary event of no room, or not asked for" : nil
        default: return "a packet of another kind: \(Self.shown(text))"
        }
    }

    private func readEvent(_ text: [UInt8], _ world: Simulation) -> String? {
        checked += 1
        if checked % 8 == 0 {
            let json = Array(text[1...])
            if (try? JSON.validate(json.span)) == nil { return "an event that is not JSON" }
        }
        if SimulatedEvent.begins(text, "2[\"error\"") { return nil }
        guard let room = SimulatedEvent.room(text), let truth = world.truths[room] else { return "an event of no room" }
        var text = text
        let offset = SimulatedEvent.takeOffset(&text)
        if let offset { self.offset = offset }
        if offset != nil, !getsOffsets { return "an offset that was not asked for: \(Self.shown(text))" }
        var view = views[room] ?? View()
        defer { views[room] = view }
        if let other = view.awaitsEndOf, !SimulatedEvent.isEnd(text, of: other) {
            guard other != person, view.awaitsAll, view.mayHaveBeenOut else { return Self.unwanted }
            view.awaitsEndOf = nil
            view.takePosition()
        }
        if SimulatedEvent.begins(text, "2[\"touch:moved\"") { return readMoved(text, &view, world) }
        if SimulatedEvent.begins(text, "2[\"touch:left\"") { return readLeft(text, &view, world) }
        if SimulatedEvent.begins(text, "2[\"view:all\"") { return readAll(&view, world) }
        if SimulatedEvent.begins(text, "2[\"touch:batch\"") { return readBatch(text, &view, world) }
        if SimulatedEvent.begins(text, "2[\"element:caret\"") {
            return isWriter ? nil : "a caret that was not asked for"
        }
        if SimulatedEvent.begins(text, "2[\"room:joined\"") {
            return readJoined(text, offset, room, &view, truth, world)
        }
        return readEntry(text, room, &view, truth, offset, world)
    }

    private func readJoined(
        _ text: [UInt8], _ offset: LogOffset?, _ room: Int, _ view: inout View, _ truth: RoomTruth, _ world: Simulation
    ) -> String? {
        guard (offset != nil) == getsOffsets else { return "a state without an offset" }
        if view.phase == .leaving { return nil }
        // A client that was put out is brought back where a restart has forgotten that.
        if view.phase == .outside, view.hasLeft { return "the state of a room that it has left" }
        guard let argument = SimulatedEvent.argument(text)?.argument, let state = RoomTruth.state(argument),
            let seq = argument["seq"]?.int, seq >= 0
        else { return "a state that cannot be read" }
        world.reach(view.phase == .inside ? .toldAgain : .joined)
        // The room may have been closed and come into use again meanwhile.
        accepted[room] = nil
        let told = world.isCluster ? offset.flatMap { truth.generation(of: $0.incarnation) } : nil
        guard let generation = told ?? truth.generation(with: state, at: seq), truth.has(state, at: seq, of: generation)
        else { return "another state than that of entry \(seq)" }
        guard state.participants[person] != nil else { return "a state without the client's own person" }
        view.phase = .inside
        view.mayHaveLeft = questions.values.contains { if case .leave(room) = $0 { true } else { false } }
        view.turn += 1
        // A home that is lost and does not know it may have told more than the next one knows yet.
        if world.isCluster, generation != view.generation || offset == nil { view.newest = [:] }
        view.generation = generation
        view.seq = UInt64(seq)
        view.state = state
        view.touches = [:]
        view.awaitsAll = view.area != nil
        view.mayHaveBeenOut = world.mayHaveBeenOut(self, room)
        view.owed = [:]
        // The next home tells the end again that an earlier one has told and not stored.
        if world.isCluster { view.ended = [:] }
        resetWriters(&view)
        return nil
    }

    private func readEntry(
        _ text: [UInt8], _ room: Int, _ view: inout View, _ truth: RoomTruth, _ offset: LogOffset?, _ world: Simulation
    ) -> String? {
        view.awaitsEndOf = nil
        let isClosing = SimulatedEvent.begins(text, "2[\"room:closed\"")
        guard view.phase == .inside else {
            return view.phase == .outside && view.hasLeft ? "an event of a room that it has left" : nil
        }
        // Events without an offset tell a client with offsets what is not in the log.
        let isLogged = !isClosing || (offset != nil) == getsOffsets
        if isLogged, let (generation, seq) = place(of: text, offset, room, view, truth, world) {
            (view.generation, view.seq) = (generation, seq)
            let entry = truth.entries(of: generation)[Int(seq)]
            // Without an offset the entry may be that of the next home, which has read it.
            let isRead = entry.isOfBefore || world.isCluster && offset == nil
            return take(entry, room, &view, offset, isGivenUp: world.mayBeGivenUp(entry), isRead: isRead)
                ?? write(entry, text, isRead: isRead, &view)
        }
        if isClosing {
            // The client was put out, which is not in the log.
            world.reach(.putOut)
            view.phase = phaseOutside(of: room)
            view.touches = [:]
            view.endSight()
            return nil
        }
        let entries = truth.entries(of: view.generation)
        guard view.seq < entries.count else { return "an entry after the log's last: \(Self.shown(text))" }
        return
            "instead of entry \(view.seq + 1), \(Self.shown(entries[Int(view.seq)].texts.last ?? [])): \(Self.shown(text))"
    }

    private func place(
        of text: [UInt8], _ offset: LogOffset?, _ room: Int, _ view: View, _ truth: RoomTruth, _ world: Simulation
    ) -> (generation: Int, seq: UInt64)? {
        guard world.isCluster, let offset else { return truth.place(of: text, offset, for: person, view) }
        if truth.generation(of: offset.incarnation) == nil { world.meet(offset.incarnation, of: room, truth) }
        return truth.place(of: text, at: offset, for: person, view)
    }

    private func take(
        _ entry: RoomTruth.Entry, _ room: Int, _ view: inout View, _ offset: LogOffset?, isGivenUp: Bool, isRead: Bool
    ) -> String? {
        guard (offset != nil) == getsOffsets else { return "an entry without an offset" }
        switch entry.effect {
        case .ended(let mover):
            if mover == person { break }
            let isWhole = view.lastMoved == entry.texts.first
            guard isWhole || view.touches[mover] == nil || isRead || entry.texts.count == 1 else {
                return "an end without the last position right before it"
            }
            view.touches[mover] = nil
            let last = entry.texts.count > 1 ? entry.texts.first.flatMap(SimulatedEvent.position) : nil
            for (key, newest) in view.newest where key / 1_000 == mover {
                // The touch of another connection may be seen again where it was seen last.
                let ended = last.map { key % 1_000 == $0.device ? $0.number : newest - 1 } ?? newest
                view.ended[key] = isGivenUp ? nil : ended
            }
        case .left(let leaver):
            view.touches[leaver] = nil
            view.owed = view.owed.filter { $0.key / 1_000 != leaver }
        // A home that could not hear of a user may have given up a touch that goes on.
        case .joined(let joiner, _): view.ended = view.ended.filter { $0.key / 1_000 != joiner }
        case .closed:
            if !view.touches.isEmpty { return "the end of a room before those of its touches" }
            view.endSight()
            view.phase = phaseOutside(of: room)
        default: break
        }
        RoomTruth.apply(entry.effect, to: &view.state)
        view.seq += 1
        if let offset, offset.seq != view.seq { return "the offset \(offset.text) with entry \(view.seq)" }
        return nil
    }

    /// The client is out of a room, or will be in it again if it has asked for that.
    private func phaseOutside(of room: Int) -> Phase {
        let isAsking = questions.values.contains { if case .join(room) = $0 { true } else { false } }
        return isAsking ? .joining : .outside
    }

    static func shown(_ text: [UInt8]) -> String { String(decoding: text.prefix(120), as: UTF8.self) }
}
