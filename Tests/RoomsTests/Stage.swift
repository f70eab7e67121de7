import Wire

@testable import Rooms

/// A room, one replica of it, and members whose frames are read as texts.
struct Stage {
    var room: Room
    var replica: RoomReplica
    var now = Moment(monotonic: 1_000, unixSeconds: 1_760_090_400)
    /// Whether the newest delta was encoded in the plain form alone.
    private(set) var encodesOneForm = true
    private var connections: UInt64 = 0

    init(_ change: (inout RoomLimits) -> Void = { _ in }, contents: RoomContents? = nil) {
        var limits = RoomLimits()
        change(&limits)
        room = Room(id: "lounge", info: Array(#"{"id":"lounge"}"#.utf8), limits: limits, contents: contents)
        replica = RoomReplica(room.snapshot(), seq: room.lastSeq, logBytesMax: limits.logBytesMax, incarnation: 46_655)
    }

    static func person(_ id: String) -> Person {
        var profile = Array(#"{"id":"#.utf8)
        profile.appendJSONString(id.utf8.span)
        profile.append(UInt8(ascii: "}"))
        return Person(id: id, profile: profile)
    }

    mutating func newConnection() -> ConnectionID {
        connections += 1
        return ConnectionID(shard: 0, number: connections)
    }

    /// Makes a connection of a user a member, as of the next tick.
    @discardableResult
    mutating func join(
        _ person: String, form: DeliveryForm = []
    ) throws(RoomError) -> ConnectionID {
        let connection = newConnection()
        let joined = try room.join(connection, Self.person(person), at: now)
        tick()
        replica.add(connection, slot: joined.slot, form: form)
        return connection
    }

    mutating func tick() {
        if let delta = room.takeDelta() {
            replica.apply(delta)
            encodesOneForm = replica.forms.bytes == delta.frames
        }
        room.checkInvariants()
    }

    mutating func move(_ connection: ConnectionID, _ x: Int, y: String = "0.5", element: String = "") throws(RoomError)
    {
        let xJSON = Array(String(x).utf8)
        let yJSON = Array(y.utf8)
        let elementJSON = Array(element.utf8)
        try room.moveTouch(of: connection, x: xJSON.span, y: yJSON.span, elementID: elementJSON.span)
    }

    mutating func create(
        _ connection: ConnectionID, clientID: String? = nil, id: String, content: String = ""
    ) throws(RoomError) -> Element {
        var values = Element.noValues
        for field in 0..<4 { values[field] = Array("\(field)".utf8) }
        values[Element.Field.content.rawValue] = Array(content.utf8)
        return try room.create(
            Room.Creation(kind: .note, values: values, clientID: clientID), by: connection, newID: id, at: now)
    }

    enum Delivery: Equatable {
        case texts([String])
        case lost
    }

    /// Brings a member up to date by the way that `due` tells and answers what it got.
    mutating func deliver(_ connection: ConnectionID) -> Delivery {
        frames(connection).map { .texts(Self.texts($0)) } ?? .lost
    }

    /// The same as frames; nil for a member that is lost.
    mutating func frames(_ connection: ConnectionID) -> [UInt8]? {
        guard let index = replica.index(of: connection) else { return [] }
        var bytes: [UInt8] = []
        switch replica.due(index) {
        case .nothing: return []
        case .lost: return nil
        case .more: _ = replica.feed(index, into: &bytes, bytesMax: .max)
        case .newest(let share):
            let pieces = replica.forms.pieces(of: share)
            for piece in 0..<pieces.count { bytes += replica.forms.bytes[pieces[piece]] }
            replica.advance(index)
        }
        return bytes
    }

    mutating func texts(_ connection: ConnectionID) -> [String] {
        guard case .texts(let texts) = deliver(connection) else { return ["lost"] }
        return texts
    }

    /// Only the names, and for positions also x: `touch:moved 7`.
    mutating func summary(_ connection: ConnectionID) -> [String] { texts(connection).map(Self.summary) }

    static func texts(_ bytes: [UInt8]) -> [String] {
        FrameTexts(bytes).map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    static func summary(_ text: String) -> String {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return text }
        guard let x = text.range(of: "\"x\":") else { return String(parts[1]) }
        return parts[1] + " " + text[x.upperBound...].prefix { $0 != "," }
    }
}

extension String {
    func range(of part: String) -> Range<String.Index>? {
        indices.first { self[$0...].hasPrefix(part) }.map { $0..<index($0, offsetBy: part.count) }
    }
}

/// The single argument of an event's text, checked to be valid JSON.
func argument(_ text: String, of name: String) throws -> JSONReader? {
    let items = try JSONReader(Array(text.dropFirst().utf8)).items ?? []
    guard text.hasPrefix("2["), items.count == 2, items.first?.string == name else { return nil }
    return items.last
}

func keys(_ object: JSONReader?) -> [String] { object?.members?.map(\.key) ?? [] }
