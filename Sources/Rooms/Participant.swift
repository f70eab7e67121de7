import Wire

/// A person, as the identity module knows them.
package struct Person: Sendable, Equatable {
    /// What distinguishes people: a token's subject, or the name in open mode.
    package let id: String
    /// The person as others are shown them: a JSON object.
    package let profile: [UInt8]

    package init(id: String, profile: [UInt8]) {
        self.id = id
        self.profile = profile
    }
}

/// Names a connection over all shards; never used twice.
package struct ConnectionID: Hashable, Sendable {
    private static let numberBits: UInt64 = 48

    /// The shard's index above the number: every member of every room is known by it.
    private let bits: UInt64

    package init(shard: Int, number: UInt64) {
        precondition(number >> Self.numberBits == 0, "a shard has had more connections than can be told apart")
        bits = UInt64(shard) << Self.numberBits | number
    }

    package var shard: Int { Int(bits >> Self.numberBits) }
    package var number: UInt64 { bits & (1 << Self.numberBits - 1) }
}

/// One person in a room, with one connection or several.
struct Participant {
    let person: Person
    /// The person's id as a JSON string.
    let idJSON: [UInt8]
    /// The small number that the person has in this room while in it.
    let slot: Int
    private let joinedAt: Int64
    /// The oldest first.
    var connections: [ConnectionID]
    /// Set while all connections are lost: when the person is given up.
    var graceEnds: Int64?

    init(_ person: Person, slot: Int, joinedAt: Int64, connection: ConnectionID) {
        self.person = person
        self.slot = slot
        self.joinedAt = joinedAt
        var idJSON: [UInt8] = []
        idJSON.appendJSONString(person.id.utf8.span)
        self.idJSON = idJSON
        connections = [connection]
    }

    /// Appends what others are told of the person: in `user:joined`, and in the list that a new member gets. It is written
    /// each time, since many people are in a room for long and are told of seldom.
    func append(isListed: Bool, roomJSON: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"roomId":"#.utf8)
        bytes.append(contentsOf: roomJSON)
        bytes.append(contentsOf: #","userId":"#.utf8)
        bytes.append(contentsOf: idJSON)
        bytes.append(contentsOf: #","user":"#.utf8)
        bytes.append(contentsOf: person.profile)
        bytes.append(contentsOf: #","color":""#.utf8)
        bytes.append(contentsOf: ParticipantColor.of(slot).utf8)
        bytes.append(contentsOf: #"","joinedAt":""#.utf8)
        Moment.append(joinedAt, to: &bytes)
        bytes.append(contentsOf: #"","slot":"#.utf8)
        DecimalInteger.append(slot, to: &bytes)
        if isListed { bytes.append(contentsOf: #","isActive":true"#.utf8) }
        bytes.append(UInt8(ascii: "}"))
    }

    /// How long the person is in the list that a new member gets, with the comma behind.
    func listedByteCount(roomJSON: [UInt8]) -> Int {
        roomJSON.count + idJSON.count + person.profile.count + Self.restByteCount + String(slot).utf8.count
    }

    /// Names of members, color, time and the comma behind.
    private static let restByteCount =
        ##"{"roomId":,"userId":,"user":,"color":"#000000","joinedAt":"2000-01-01T00:00:00Z","slot":,"isActive":true},"##
        .utf8.count
}
