import Rooms
import Sessions
import Wire

/// One connected client on its shard.
final class RelayClient {
    /// A room that the client is in.
    struct Membership {
        let room: LocalRoom
        let slot: Int
        /// Unique over all connections.
        let number: UInt64
    }

    let id: ConnectionID
    let admission: Admission
    var person: Person { admission.person }
    /// The socket's `state` is this client until the connection ends. Code that emits may use both after the end.
    let socket: any RelaySocket
    let session: any RelaySession
    /// The form in which the client gets what happens in its rooms.
    let form: DeliveryForm
    /// The order in which entries were written to it, if it gets offsets.
    var trail = Trail()
    /// Rooms to which the client comes back and that have not answered yet. They are in `joining` too.
    var resuming: [RoomID: ReturningRoom] = [:]
    /// Whether another connection has taken its place.
    var isTakenOver = false
    /// Whether this node was taken for dead since the client has last sent something: the client may have come back to another
    /// node, and know more than this one.
    var mayBeElsewhere = false
    /// There are few, so they are searched in order.
    var memberships: [Membership] = []
    /// What it sees of rooms, if it does not see everything.
    var views: [RoomID: ViewArea] = [:]
    /// Closed rooms with a rest of their log that is not written to the client yet.
    var farewells: [Membership] = []
    /// The last rooms that the client was removed from and has not joined again.
    private(set) var endings: [LostClient.Ending] = []
    /// The reason of the last removal. It answers the client's join if the client has not got the room's state yet.
    var lastEviction: (membership: UInt64, error: RoomError)?
    /// Rooms that the client asked for and that have not answered yet.
    private(set) var joining: [RoomID] = []
    /// Events for those rooms that came before the answer.
    var held = HeldEvents()
    var flow: ClientFlow
    /// Whether a new token of the client is being verified.
    var isRefreshing = false

    init(
        _ id: ConnectionID, _ admission: Admission, _ socket: any RelaySocket, _ configuration: RelayConfiguration,
        _ flow: FlowControl, on loop: any RelayLoop
    ) {
        self.id = id
        self.admission = admission
        self.socket = socket
        session = socket.relaySession
        var form: DeliveryForm = []
        form.formUnion(admission.wishes.touches)
        if form.contains(.ticks), !session.takesBinaryFrames { form.insert(.packets) }
        if admission.wishes.wantsEdits { form.insert(.edits) }
        if admission.pid != nil, configuration.recoveryOffsets.areFor(admission.wishes) { form.insert(.offsets) }
        self.form = form
        self.flow = ClientFlow(flow, account: admission.person.id, peer: session.peer, on: loop)
    }

    /// The membership of the room whose id is the JSON string in `field`.
    func membership(_ field: JSONField, in bytes: Span<UInt8>) -> Membership? {
        guard field.kind == .string else { return nil }
        if field.hasEscapes {
            guard let id = field.string(in: bytes) else { return nil }
            return memberships.first { $0.room.id == RoomID(id) }
        }
        let idJSON = bytes.extracting(field.range)
        // By index, because an iterator would retain the array.
        for index in memberships.indices where idJSON.equals(memberships[index].room.idJSON) {
            return memberships[index]
        }
        return nil
    }

    /// The membership of a room that the client is in, or of a closed room with a rest of its log.
    func membership(_ number: UInt64) -> Membership? {
        memberships.first { $0.number == number } ?? farewells.first { $0.number == number }
    }

    /// Whether the client is in a room or is joining it.
    func isComing(to room: RoomID) -> Bool {
        joining.contains(room) || memberships.contains { $0.room.id == room }
    }

    /// The rooms that the client is in or is joining.
    var rooms: [RoomID] {
        let rooms = memberships.map(\.room.id)
        return rooms + joining.filter { !rooms.contains($0) }
    }

    func asksToJoin(_ room: RoomID) {
        if !joining.contains(room) { joining.append(room) }
    }

    func joinAnswered(_ room: RoomID) {
        joining.removeAll { $0 == room }
        // Assigning a new array releases the old one's memory.
        if joining.isEmpty { joining = [] }
    }

    /// Notes in the trail that entries of a room's log are about to be written.
    func writes(_ room: LocalRoom, after seq: UInt64, upTo last: UInt64) {
        guard form.contains(.offsets),
            let membership = (memberships.first { $0.room === room } ?? farewells.first { $0.room === room })
        else { return }
        trail.wrote(membership.number, incarnation: room.incarnation, after: seq, upTo: last)
    }

    func removeMembership(of room: LocalRoom) {
        for membership in memberships where membership.room === room { trail.left(membership.number) }
        memberships.removeAll { $0.room === room }
    }

    /// Notes that the client is removed from a room.
    func note(_ ending: LostClient.Ending) {
        endings.append(ending)
        if endings.count > LostClient.Ending.countMax { trail.left(endings.removeFirst().membership) }
    }

    /// The client gets the state of a room, so an earlier ending there does not matter any more.
    func forgetEnding(of id: RoomID) {
        for ending in endings where ending.id == id { trail.left(ending.membership) }
        endings.removeAll { $0.id == id }
    }
}
