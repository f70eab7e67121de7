import Wire

/// A user, as the identity module knows it.
package struct Person: Sendable, Equatable {
    /// The id that distinguishes users: the subject of the token, or the name in `open` mode.
    package let id: String
    private let looks: Looks

    /// What the profile is made of.
    private enum Looks: Sendable {
        case profile([UInt8])
        /// Only a name is known. Many users stay long and their profiles are seldom needed, so these are made when they are.
        case name(String)
    }

    /// - Parameter profile: the user as others see it: a JSON object.
    package init(id: String, profile: [UInt8]) {
        self.id = id
        looks = .profile(profile)
    }

    /// A user of whom only the name is known.
    package init(id: String, name: String) {
        self.id = id
        looks = .name(name)
    }

    /// The user as others see it: a JSON object.
    package var profile: [UInt8] {
        if case .profile(let profile) = looks { return profile }
        var profile: [UInt8] = []
        appendProfile(to: &profile)
        return profile
    }

    package func appendProfile(to bytes: inout [UInt8]) {
        switch looks {
        case .profile(let profile): bytes.append(contentsOf: profile)
        case .name(let name): append(name, to: &bytes)
        }
    }

    /// Applications decode a user with these members, so all of them are present.
    private func append(_ name: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"id":"#.utf8)
        bytes.appendJSONString(id.utf8.span)
        bytes.append(contentsOf: #","auth0Id":"#.utf8)
        bytes.appendJSONString(id.utf8.span)
        bytes.append(contentsOf: #","email":"","username":"#.utf8)
        bytes.appendJSONString(name.utf8.span)
        bytes.append(contentsOf: #","firstName":"#.utf8)
        bytes.appendJSONString(name.utf8.span)
        bytes.append(contentsOf: #","dateOfBirth":"1970-01-01T00:00:00Z","createdAt":"1970-01-01T00:00:00Z"}"#.utf8)
    }

    package static func == (one: Person, other: Person) -> Bool {
        one.id == other.id && one.profile == other.profile
    }
}

/// Names a connection over all nodes and shards. No number is used twice while a node runs.
package struct ConnectionID: Hashable, Sendable {
    private static let numberBits: UInt64 = 48
    private static let shardBits: UInt64 = 10

    /// The node and the shard's index in the high bits, the number in the low ones. One word, because every member of
    /// every room has it.
    package let bits: UInt64

    /// - Parameter node: the number of the node, up to 63; 0 on a server that is not part of a cluster.
    package init(node: Int = 0, shard: Int, number: UInt64) {
        precondition(number >> Self.numberBits == 0, "a shard has had more connections than can be told apart")
        bits = (UInt64(node) << Self.shardBits | UInt64(shard)) << Self.numberBits | number
    }

    /// From `bits`, as another node has sent them.
    package init(bits: UInt64) {
        self.bits = bits
    }

    package var node: Int { Int(bits >> (Self.numberBits + Self.shardBits)) }
    package var shard: Int { Int(bits >> Self.numberBits & (1 << Self.shardBits - 1)) }
    package var number: UInt64 { bits & (1 << Self.numberBits - 1) }
}

/// One user in a room, with one connection or several.
struct Participant: Recordable {
    let person: Person
    /// The user's id as a JSON string.
    let idJSON: [UInt8]
    /// The participant's number in this room, small and unique while the participant is in the room.
    let slot: Int
    private let joinedAt: Int64
    /// The oldest first.
    var connections: [ConnectionID]
    /// The end of the grace, while all connections are lost.
    var graceEnds: Int64?
    /// Whether members may see a touch of which only the room's home before knew.
    var mayHaveLostTouch = false

    init(_ person: Person, slot: Int, joinedAt: Int64, connection: ConnectionID? = nil) {
        self.person = person
        self.slot = slot
        self.joinedAt = joinedAt
        var idJSON: [UInt8] = []
        idJSON.appendJSONString(person.id.utf8.span)
        self.idJSON = idJSON
        connections = connection.map { [$0] } ?? []
    }

    init(from record: inout RecordReader) throws(RecordFault) {
        self.init(try record.value(), slot: try record.int(), joinedAt: Int64(try record.int()))
        connections = try record.values()
        graceEnds = try record.optional { record throws(RecordFault) in Int64(try record.int()) }
        mayHaveLostTouch = try record.bool()
    }

    func write(to record: inout RecordWriter) {
        record.put(person)
        record.put(slot)
        record.put(Int(joinedAt))
        record.put(connections)
        record.put(graceEnds) { $1.put(Int($0)) }
        record.put(mayHaveLostTouch)
    }

    var presence: Presence { Presence(person.id, slot: slot, joinedAt: joinedAt, profile: person.profile) }

    /// Appends the participant's JSON: for `user:joined`, or for the list that a new member gets. It is not kept,
    /// because many participants stay long and their JSON is seldom needed.
    func append(isListed: Bool, roomJSON: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"roomId":"#.utf8)
        bytes.append(contentsOf: roomJSON)
        bytes.append(contentsOf: #","userId":"#.utf8)
        bytes.append(contentsOf: idJSON)
        bytes.append(contentsOf: #","user":"#.utf8)
        person.appendProfile(to: &bytes)
        bytes.append(contentsOf: #","color":""#.utf8)
        bytes.append(contentsOf: ParticipantColor.of(slot).utf8)
        bytes.append(contentsOf: #"","joinedAt":""#.utf8)
        Moment.append(joinedAt, to: &bytes)
        bytes.append(contentsOf: #"","slot":"#.utf8)
        DecimalInteger.append(slot, to: &bytes)
        if isListed { bytes.append(contentsOf: #","isActive":true"#.utf8) }
        bytes.append(UInt8(ascii: "}"))
    }

    /// The length of the participant in the list that a new member gets, with the comma after it.
    func listedByteCount(roomJSON: [UInt8]) -> Int {
        roomJSON.count + idJSON.count + person.profile.count + Self.restByteCount + String(slot).utf8.count
    }

    /// The length of names of members, color, time and comma.
    private static let restByteCount =
        ##"{"roomId":,"userId":,"user":,"color":"#000000","joinedAt":"2000-01-01T00:00:00Z","slot":,"isActive":true},"##
        .utf8.count
}
