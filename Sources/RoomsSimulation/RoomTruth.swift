import Rooms
import Wire

/// All that has happened in one room, as its home has told it, and the state that follows from it: what clients' views
/// are held against. It folds the events itself and asks nothing of the room.
final class RoomTruth {
    struct State: Equatable {
        /// Slots by person.
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
        case deleted(String)
        case renamed
        case closed
    }

    struct Entry {
        /// What clients get, without the Engine.IO type. Of `touch:ended` the last position is first.
        let texts: [[UInt8]]
        let effect: Effect
        /// The participation, by the entry with which it began, of who does not get it.
        let except: UInt64?
    }

    /// The entry `seq` stands at `seq - 1`.
    private(set) var entries: [Entry] = []
    private(set) var state = State()
    /// Who has each slot, by the entry with which the participation began.
    private(set) var participationOfSlot: [Int: UInt64] = [:]
    private var personOfSlot: [Int: Int] = [:]

    var lastSeq: UInt64 { UInt64(entries.count) }

    /// Takes in a delta. The answer is what is wrong with it.
    func record(_ delta: RoomDelta) -> String? {
        var logBytes: [UInt8] = []
        for entry in delta.entries {
            logBytes += entry.frames
            guard entry.seq == lastSeq + 1 else { return "entry \(entry.seq) follows \(lastSeq)" }
            if let problem = record(entry) { return "entry \(entry.seq): \(problem)" }
        }
        if Array(delta.logFrames) != logBytes { return "the log's frames are not those of the entries" }
        for touch in delta.touches where personOfSlot[touch.slot] == nil { return "a touch of nobody" }
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
        let except = entry.except >= 0 ? participationOfSlot[entry.except] : nil
        entries.append(Entry(texts: texts, effect: effect, except: except))
        if case .joined(let person, let slot) = effect {
            guard slot == entry.opens, personOfSlot[slot] == nil else { return "slot \(slot) is taken" }
            personOfSlot[slot] = person
            participationOfSlot[slot] = entry.seq
        }
        if case .closed = effect { personOfSlot = [:] }
        if case .left(let person) = effect, let slot = state.participants[person] { personOfSlot[slot] = nil }
        Self.apply(effect, to: &state)
        return nil
    }

    /// Nil when the event does not fit to what was before.
    private func effect(_ name: String, _ argument: JSONReader) -> Effect? {
        let person = argument["userId"]?.string.flatMap { Int($0.dropFirst()) } ?? -1
        let isThere = state.participants[person] != nil
        switch name {
        case "user:joined":
            guard !isThere, let slot = argument["slot"]?.int else { return nil }
            return .joined(person, slot: slot)
        case "user:left": return isThere ? .left(person) : nil
        case "room:renamed": return argument["name"]?.string == nil ? nil : .renamed
        case "room:closed": return .closed
        case "touch:ended": return isThere ? .ended(person) : nil
        case "element:created", "element:updated":
            guard let id = argument["id"]?.string, let version = argument["version"]?.int else { return nil }
            guard version == (state.elements[id]?.version ?? 0) + 1, (version == 1) == (name == "element:created")
            else {
                return nil
            }
            return .stored(id, State.Element(version: version, json: argument.json))
        case "element:deleted":
            guard let id = argument["elementId"]?.string, let version = argument["version"]?.int,
                let element = state.elements[id], element.version + 1 == version
            else { return nil }
            return .deleted(id)
        default: return nil
        }
    }

    static func apply(_ effect: Effect, to state: inout State) {
        switch effect {
        case .joined(let person, let slot): state.participants[person] = slot
        case .left(let person): state.participants[person] = nil
        case .ended, .renamed: break
        case .closed: state.participants = [:]
        case .stored(let id, let element): state.elements[id] = element
        case .deleted(let id): state.elements[id] = nil
        }
    }

    /// The state in what a joiner is answered.
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
