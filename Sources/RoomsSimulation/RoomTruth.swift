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
        let effect: Effect
        /// The user who does not get it.
        let except: Int?
        /// The state with it.
        let state: State
        /// Whether a home before the present one has told it: read back from the store, it is a single text.
        var isOfBefore = false
    }

    /// The entry `seq` stands at `seq - 1`.
    private(set) var entries: [Entry] = []
    /// Positions of current touches.
    private(set) var touches: [Int: ModelClient.Position] = [:]
    private(set) var incarnation: UInt64 = 0
    /// How often entries were lost, and the logs of before: a client may still be reading one.
    private(set) var generation = 0
    private var past: [[Entry]] = []
    private var personOfSlot: [Int: Int] = [:]

    var lastSeq: UInt64 { UInt64(entries.count) }
    func entries(of generation: Int) -> [Entry] { past.indices.contains(generation) ? past[generation] : entries }
    var state: State { entries.last?.state ?? State() }

    /// The newest log in which this was the state after an entry.
    func generation(with state: State, at seq: Int) -> Int? {
        for generation in (0...generation).reversed() {
            let entries = entries(of: generation)
            guard seq <= entries.count else { continue }
            if (seq == 0 ? State() : entries[seq - 1].state) == state { return generation }
        }
        return nil
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
            SimulatedEvent.begins(text, "2[\"room:closed\"") ? [] : (0...generation).filter { $0 != view.generation }
        for generation in [view.generation] + others {
            let entries = entries(of: generation)
            var seq = Int(view.seq)
            guard seq < entries.count else { continue }
            let state = seq == 0 ? State() : entries[seq - 1].state
            guard generation == view.generation || state == view.state else { continue }
            while seq < entries.count, entries[seq].except == person,
                entries[seq].texts.last != text || seq + 1 < offset.map({ Int($0.seq) }) ?? 0
            {
                seq += 1
            }
            if seq < entries.count, entries[seq].texts.last == text { return (generation, UInt64(seq)) }
        }
        return nil
    }

    // MARK: Deltas

    /// A new home continues after the entry `seq`. Returns the entries that are lost.
    func begin(_ incarnation: UInt64, after seq: UInt64) -> ArraySlice<Entry> {
        self.incarnation = incarnation
        let lost = entries[min(Int(seq), entries.count)...]
        if !lost.isEmpty {
            past.append(entries)
            generation += 1
            entries.removeLast(lost.count)
        }
        for index in entries.indices { entries[index].isOfBefore = true }
        touches = [:]
        personOfSlot = [:]
        return lost
    }

    /// Records a delta. Returns what is wrong with it.
    func record(_ delta: RoomDelta) -> String? {
        var logBytes: [UInt8] = []
        for entry in delta.entries {
            logBytes += entry.frames
            guard entry.seq == lastSeq + 1 else { return "entry \(entry.seq) follows \(lastSeq)" }
            if let problem = record(entry) { return "entry \(entry.seq): \(problem)" }
        }
        if Array(delta.logFrames) != logBytes { return "the log's frames are not those of the entries" }
        for touch in delta.touches {
            guard let person = personOfSlot[touch.slot],
                let position = SimulatedEvent.position(Array(delta.frames[touch.frame]))
            else {
                return "a touch of nobody"
            }
            touches[person] = position
        }
        return nil
    }

    private func record(_ entry: LogEntry) -> String? {
        let texts = FrameTexts(entry.frames).map { Array(entry.frames[$0]) }
        guard let text = texts.last, let (name, argument) = SimulatedEvent.argument(text) else { return "no event" }
        guard let effect = effect(name, argument) else { return "\(name) makes no sense" }
        guard (name == "user:joined") == (entry.opens >= 0), (name == "touch:ended") == (entry.except >= 0),
            texts.count == (name == "touch:ended" ? 2 : 1)
        else { return "\(name) has the wrong form" }
        if case .ended(let person) = effect {
            guard personOfSlot[entry.except] == person, SimulatedEvent.person(texts[0]) == person else {
                return "an end is kept from another"
            }
        }
        let except = entry.except >= 0 ? personOfSlot[entry.except] : nil
        var state = state
        switch effect {
        case .joined(let person, let slot):
            guard slot == entry.opens, personOfSlot[slot] == nil else { return "slot \(slot) is taken" }
            personOfSlot[slot] = person
        case .left(let person):
            if let slot = state.participants[person], personOfSlot[slot] == person { personOfSlot[slot] = nil }
            touches[person] = nil
        case .ended(let person): touches[person] = nil
        case .closed:
            personOfSlot = [:]
            touches = [:]
        default: break
        }
        Self.apply(effect, to: &state)
        entries.append(Entry(texts: texts, effect: effect, except: except, state: state))
        return nil
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
                version == (state.elements[id]?.version ?? 0) + 1, (version == 1) == (name == "element:created")
            else { return nil }
            return .stored(id, State.Element(version: version, json: argument.json))
        case "element:deleted":
            guard let id = argument["elementId"]?.string, let version = argument["version"]?.int,
                let element = state.elements[id], element.version + 1 == version
            else { return nil }
            return .deleted(id, version: version)
        default: return nil
        }
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
