import Rooms
import Wire

/// All that has happened in one room, as its homes have told it, and the state that follows from it: what clients' views
/// are held against. It folds the events itself and asks nothing of the room.
final class RoomTruth {
    struct State: Equatable {
        /// Slots by user.
        var participants: [Int: Int] = [:]
        /// Versions and JSON texts by id.
        var elements: [String: Element] = [:]

        struct Element: Equatable {
            var version: Int
            var json: [UInt8]
        }
    }

    enum Effect {
        case joined(Int, slot: Int)
        case left(Int)
        case ended(Int)
        case stored(String, State.Element)
        case deleted(String, version: Int)
        case told
        case closed
    }

    struct Entry {
        /// What clients get, without the Engine.IO type. Of `touch:ended` the last position is first.
        let texts: [[UInt8]]
        /// What clients that take edits get, if that is something else.
        let edit: [UInt8]
        let effect: Effect
        /// The user who does not get it.
        let except: Int?
        /// The state with it.
        let state: State
        /// The incarnation that has logged it.
        let origin: UInt64
        /// Whether a home before the present one has told it: read back from the store, it is a single text.
        var isOfBefore = false
        /// Whether it may be the end of a touch that its home has given up, because it could not hear of the device, and that
        /// goes on.
        var isGivenUp = false

        func isTold(as text: [UInt8]) -> Bool { texts.last == text || (!edit.isEmpty && edit == text) }
    }

    /// What one home has told. In a cluster there may be several homes at a time, until the store has refused all but one.
    private struct History {
        var incarnation: UInt64 = 0
        /// The entry `seq` stands at `seq - 1`.
        var entries: [Entry] = []
        /// Positions of current touches.
        var touches: [Int: ModelClient.Position] = [:]
        var personOfSlot: [Int: Int] = [:]
        /// How many pipes to homes had been lost at its newest delta.
        var lossCount = 0
        /// Whether its home has not told anything of its own yet: it may continue after fewer entries.
        var isMet = false

        var state: State { entries.last?.state ?? State() }
    }

    /// A new one begins where entries were lost, and in a cluster with each home: a client may still be reading another.
    private var histories = [History()]
    /// The history that counts.
    private(set) var generation = 0

    var entries: [Entry] { histories[generation].entries }
    var touches: [Int: ModelClient.Position] { histories[generation].touches }
    var incarnation: UInt64 { histories[generation].incarnation }
    var lastSeq: UInt64 { UInt64(entries.count) }
    var state: State { histories[generation].state }
    func entries(of generation: Int) -> [Entry] { histories[generation].entries }

    func generation(of incarnation: UInt64) -> Int? { histories.lastIndex { $0.incarnation == incarnation } }

    /// Whether a home has told something of its own.
    func hasTold(_ incarnation: UInt64) -> Bool {
        generation(of: incarnation).map { !histories[$0].isMet } ?? false
    }

    /// Whether two histories are the same up to an entry.
    func agree(_ one: Int, _ other: Int, upTo seq: UInt64) -> Bool {
        guard one != other, seq > 0 else { return true }
        let (one, other, index) = (histories[one].entries, histories[other].entries, Int(seq) - 1)
        return index < one.count && index < other.count && one[index].origin == other[index].origin
    }

    func has(_ state: State, at seq: Int, of generation: Int) -> Bool {
        let entries = entries(of: generation)
        return seq <= entries.count && (seq == 0 ? State() : entries[seq - 1].state) == state
    }

    /// The newest log in which this was the state after an entry.
    func generation(with state: State, at seq: Int) -> Int? {
        histories.indices.reversed().first { has(state, at: seq, of: $0) }
    }

    /// The entry that a view gets: one of its own log or, for a client without offsets that may have got the same state
    /// of two logs, of another. Returns how many entries are before it.
    ///
    /// An entry that its own user does not get may still be sent to that user when it was read back from the store.
    func place(
        of text: [UInt8], _ offset: LogOffset?, for person: Int, _ view: ModelClient.View
    ) -> (generation: Int, seq: UInt64)? {
        // The end of a room is the same in each log, and is also sent to a client that is removed.
        let others =
            SimulatedEvent.begins(text, "2[\"room:closed\"")
            ? [] : histories.indices.reversed().filter { $0 != view.generation }
        for (generation, start) in starts(of: view, others, for: person) {
            let entries = entries(of: generation)
            var seq = start
            while seq < entries.count, entries[seq].except == person,
                !entries[seq].isTold(as: text) || seq + 1 < offset.map({ Int($0.seq) }) ?? 0
            {
                seq += 1
            }
            if seq < entries.count, entries[seq].isTold(as: text) { return (generation, UInt64(seq)) }
        }
        return nil
    }

    /// Where a view may stand. Of two logs one may have entries that the client's own user does not get.
    private func starts(of view: ModelClient.View, _ others: [Int], for person: Int) -> [(generation: Int, seq: Int)] {
        let own = Int(view.seq)
        var starts = own < entries(of: view.generation).count ? [(view.generation, own)] : []
        for generation in others {
            let entries = entries(of: generation)
            let unseen = (entries + self.entries(of: view.generation)).count { $0.except == person }
            let near = max(own - unseen, 0)..<max(min(own + unseen + 1, entries.count), max(own - unseen, 0))
            for seq in near.sorted(by: { abs($0 - own) < abs($1 - own) }) {
                if (seq == 0 ? State() : entries[seq - 1].state) == view.state { starts.append((generation, seq)) }
            }
        }
        return starts
    }

    /// The same for a client with offsets in a cluster: the offset names the history.
    func place(
        of text: [UInt8], at offset: LogOffset, for person: Int, _ view: ModelClient.View
    ) -> (generation: Int, seq: UInt64)? {
        guard let generation = generation(of: offset.incarnation), agree(view.generation, generation, upTo: view.seq)
        else { return nil }
        let entries = entries(of: generation)
        let index = Int(offset.seq) - 1
        guard index >= Int(view.seq), index < entries.count, entries[index].isTold(as: text),
            entries[Int(view.seq)..<index].allSatisfy({ $0.except == person })
        else { return nil }
        return (generation, UInt64(index))
    }

    // MARK: Deltas

    /// A new home continues after the entry `seq`. Returns the entries that are lost.
    func begin(_ incarnation: UInt64, after seq: UInt64) -> ArraySlice<Entry> {
        let lost = entries[min(Int(seq), entries.count)...]
        var history = History(incarnation: incarnation, entries: Array(entries.dropLast(lost.count)))
        for index in history.entries.indices { history.entries[index].isOfBefore = true }
        if lost.isEmpty {
            histories[generation] = history
        } else {
            histories.append(history)
            generation = histories.count - 1
        }
        return lost
    }

    /// A home of a cluster continues after what is stored: entries, each by its number and the incarnation that logged
    /// it. Answers nil if nobody has told one of them.
    ///
    /// - Parameter isMet: it has not told anything of its own yet, so entries may have been stored since by another home. With
    ///   its first delta it begins again after those that it knows.
    func begin(
        _ incarnation: UInt64, afterStored stored: [(seq: UInt64, incarnation: UInt64)], isMet: Bool = false
    ) -> Int? {
        var history = History(incarnation: incarnation, isMet: isMet)
        for (seq, incarnation) in stored {
            guard let generation = generation(of: incarnation), seq <= histories[generation].entries.count else {
                return nil
            }
            var entry = histories[generation].entries[Int(seq) - 1]
            entry.isOfBefore = true
            history.entries.append(entry)
        }
        for (person, slot) in history.state.participants { history.personOfSlot[slot] = person }
        if let met = generation(of: incarnation) {
            histories[met] = history
            generation = met
        } else {
            histories.append(history)
            generation = histories.count - 1
        }
        return generation
    }

    /// The history of the home that there is counts.
    func settle(on generation: Int) { self.generation = generation }

    /// Records a delta. Returns what is wrong with it.
    ///
    /// - Parameter losses: how often a home has lost the way to a member.
    func record(_ delta: RoomDelta, in generation: Int, losses: Int) -> String? {
        let newest = self.generation
        self.generation = generation
        defer { self.generation = newest }
        let seq = entries.count
        defer { histories[generation].lossCount = losses }
        if let problem = record(delta) { return problem }
        if losses > histories[generation].lossCount {
            for index in seq..<entries.count { histories[generation].entries[index].isGivenUp = true }
        }
        return nil
    }

    private func record(_ delta: RoomDelta) -> String? {
        var logBytes: [UInt8] = []
        for entry in delta.entries {
            logBytes += entry.frames
            guard entry.seq == lastSeq + 1 else { return "entry \(entry.seq) follows \(lastSeq)" }
            if let problem = record(entry) { return "entry \(entry.seq): \(problem)" }
        }
        if Array(delta.logFrames) != logBytes { return "the log's frames are not those of the entries" }
        for touch in delta.touches {
            guard let person = histories[generation].personOfSlot[touch.slot],
                let position = SimulatedEvent.position(Array(delta.frames[touch.frame]))
            else {
                return "a touch of nobody"
            }
            histories[generation].touches[person] = position
        }
        return nil
    }

    private func record(_ entry: LogEntry) -> String? {
        let texts = FrameTexts(entry.frames).map { Array(entry.frames[$0]) }
        guard let text = texts.last, let (name, argument) = SimulatedEvent.argument(text) else { return "no event" }
        guard let effect = effect(name, argument) else { return "\(name) makes no sense" }
        guard (name == "user:joined") == (entry.opens >= 0), (name == "touch:ended") == (entry.except >= 0),
            texts.count == (name == "touch:ended" ? 2 : 1) || texts.count == 1 && isEndOfLost(entry)
        else { return "\(name) has the wrong form" }
        var history = histories[generation]
        defer { histories[generation] = history }
        if case .ended(let person) = effect {
            guard history.personOfSlot[entry.except] == person, SimulatedEvent.person(texts[0]) == person else {
                return "an end is kept from another"
            }
        }
        let except = entry.except >= 0 ? history.personOfSlot[entry.except] : nil
        var state = state
        switch effect {
        case .joined(let person, let slot):
            guard slot == entry.opens, history.personOfSlot[slot] == nil else { return "slot \(slot) is taken" }
            history.personOfSlot[slot] = person
        case .left(let person):
            if let slot = state.participants[person], history.personOfSlot[slot] == person {
                history.personOfSlot[slot] = nil
            }
            history.touches[person] = nil
        case .ended(let person): history.touches[person] = nil
        case .closed:
            history.personOfSlot = [:]
            history.touches = [:]
        default: break
        }
        Self.apply(effect, to: &state)
        let edit = FrameTexts(entry.edit).map { Array(entry.edit[$0]) }.last ?? []
        history.entries.append(
            Entry(
                texts: texts, edit: edit, effect: effect, except: except, state: state, origin: history.incarnation))
        return nil
    }

    /// A home that may have lost the touch of a member tells its end without a position.
    private func isEndOfLost(_ entry: LogEntry) -> Bool {
        guard let person = histories[generation].personOfSlot[entry.except] else { return false }
        return histories.count > 1 && touches[person] == nil
    }

    /// Nil when the event does not fit to the state before it.
    private func effect(_ name: String, _ argument: JSONReader) -> Effect? {
        let person = argument["userId"]?.string.flatMap { Int($0.dropFirst()) } ?? -1
        let state = state
        let isThere = state.participants[person] != nil
        switch name {
        case "user:joined":
            guard !isThere, let slot = argument["slot"]?.int else { return nil }
            return .joined(person, slot: slot)
        case "user:left": return isThere ? .left(person) : nil
        case "room:renamed": return argument["name"]?.string == nil ? nil : .told
        case "participant:added", "participant:removed": return .told
        case "room:closed": return .closed
        case "touch:ended": return isThere ? .ended(person) : nil
        case "element:created", "element:updated":
            guard let id = argument["id"]?.string, let version = argument["version"]?.int,
                Self.follows(version, state.elements[id]?.version ?? 0), (version == 1) == (name == "element:created")
            else { return nil }
            return .stored(id, State.Element(version: version, json: Self.element(argument)))
        case "element:deleted":
            guard let id = argument["elementId"]?.string, let version = argument["version"]?.int,
                let element = state.elements[id], Self.follows(version, element.version)
            else { return nil }
            return .deleted(id, version: version)
        default: return nil
        }
    }

    /// Whether one version may come after another: the next one, or with another home one of a later era.
    static func follows(_ version: Int, _ before: Int) -> Bool {
        version > before && (version - before - 1).isMultiple(of: Rooms.Element.versionsLeftOut)
    }

    /// The element as a state has it: an update by an edit also names the edit.
    private static func element(_ argument: JSONReader) -> [UInt8] {
        guard let clientID = argument["clientId"]?.json else { return argument.json }
        return argument.json.dropLast(",\"clientId\":}".utf8.count + clientID.count) + Array("}".utf8)
    }

    static func apply(_ effect: Effect, to state: inout State) {
        switch effect {
        case .joined(let person, let slot): state.participants[person] = slot
        case .left(let person): state.participants[person] = nil
        case .ended, .told: break
        case .closed: state.participants = [:]
        case .stored(let id, let element): state.elements[id] = element
        case .deleted(let id, _): state.elements[id] = nil
        }
    }

    /// The state in the answer to a join.
    static func state(_ answer: JSONReader) -> State? {
        guard let participants = answer["participants"]?.items, let elements = answer["elements"]?.items else {
            return nil
        }
        var state = State()
        for participant in participants {
            guard let person = participant["userId"]?.string.flatMap({ Int($0.dropFirst()) }),
                let slot = participant["slot"]?.int
            else { return nil }
            state.participants[person] = slot
        }
        for element in elements {
            guard let id = element["id"]?.string, let version = element["version"]?.int else { return nil }
            state.elements[id] = State.Element(version: version, json: element.json)
        }
        return state
    }
}
