import Recordings
import RoomsClient
import Wire

/// What the participants of a recording do, one step after another.
struct ReplayScript {
    enum Act: Equatable {
        case come
        case move(Touch)
        case lift
        case go
    }

    struct Step: Equatable {
        /// Milliseconds since the recording began.
        let time: Int64
        /// The participant's number, in the order in which they appear.
        let person: Int
        let act: Act
    }

    private let reader: RecordingReader
    private var steps: [Step] = []
    private var position = 0
    private var numbers: [String: Int] = [:]
    private var userOfSlot: [Int: String] = [:]
    private var present: Set<String> = []
    /// The user that has recorded, who only watched.
    private var watcher: String?

    private static let joinedKeys = JSONKeys("self", "participants")

    init(_ reader: RecordingReader) {
        self.reader = reader
    }

    /// How many participants have appeared.
    var personCount: Int { numbers.count }

    /// The next step; nil after the last.
    mutating func next() throws(RecordingFault) -> Step? {
        while position == steps.count {
            steps.removeAll(keepingCapacity: true)
            position = 0
            guard let line = try reader.next() else { return nil }
            read(line)
        }
        defer { position += 1 }
        return steps[position]
    }

    private mutating func read(_ line: RecordingLine) {
        let (text, range, time) = (line.argument.span, 0..<line.argument.count, line.time)
        switch line.name {
        case "room:joined": joined(text, range, time)
        case "user:joined":
            if let participant = Participant(text, range) { come(participant, time) }
        case "user:left":
            if let user = EventArguments.user(text, range) { add(.go, user.userID, time) }
        case "touch:ended":
            if let user = EventArguments.user(text, range) { add(.lift, user.userID, time) }
        case "touch:moved":
            if let moved = MovedTouch(text, range) { add(.move(moved.touch), moved.userID, time) }
        case "touch:batch":
            for (slot, touch) in TouchBatch(text, range)?.touches ?? [] {
                if let user = userOfSlot[slot] { add(.move(touch), user, time) }
            }
        default: break
        }
    }

    /// A recording has the whole state at its beginning, and wherever it could not go on.
    private mutating func joined(_ text: Span<UInt8>, _ range: Range<Int>, _ time: Int64) {
        guard let fields = try? JSON.fields(Self.joinedKeys, of: text, range: range), fields[1].kind == .array else {
            return
        }
        watcher = fields[0].kind == .object ? Participant(text, fields[0].range)?.id : nil
        var participants: [Participant] = []
        var items = JSONItems(range: fields[1].range)
        while let item = try? items.next(in: text) {
            if let participant = Participant(text, item.range) { participants.append(participant) }
        }
        let ids = Set(participants.map(\.id))
        for gone in present.subtracting(ids).sorted() { add(.go, gone, time) }
        userOfSlot = [:]
        for participant in participants { come(participant, time) }
    }

    private mutating func come(_ participant: Participant, _ time: Int64) {
        userOfSlot[participant.slot] = participant.id
        if !present.contains(participant.id) { add(.come, participant.id, time) }
    }

    private mutating func add(_ act: Act, _ user: String, _ time: Int64) {
        guard user != watcher else { return }
        switch act {
        case .come: present.insert(user)
        case .go: present.remove(user)
        case .move, .lift: break
        }
        let number = numbers[user] ?? numbers.count
        numbers[user] = number
        steps.append(Step(time: time, person: number, act: act))
    }
}
