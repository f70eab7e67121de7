import Rooms
import Sessions
import Wire

/// One connected client, as the relay of its shard knows it.
final class RelayClient {
    /// A room that the client is in.
    struct Membership {
        let room: LocalRoom
        let slot: Int
        /// No two have the same, not even on different connections.
        let number: UInt64
    }

    let id: ConnectionID
    let admission: Admission
    var person: Person { admission.person }
    /// Its `state` is this client until the connection ends: code that emits may go on with both after the end.
    let socket: any RelaySocket
    let session: any RelaySession
    /// In which form it is told what happens in its rooms.
    let form: DeliveryForm
    /// What it has been written of the logs, if it gets offsets.
    var trail = Trail()
    /// Rooms in which it is to go on and that have not answered yet; they are among `joining` too.
    var resuming: [RoomID: ReturningRoom] = [:]
    /// Whether another connection has taken its place.
    var isTakenOver = false
    /// Few: looked through in order.
    var memberships: [Membership] = []
    /// Closed rooms whose log the client has not been sent to its end.
    var farewells: [Membership] = []
    /// The last rooms that the client was put out of and has not joined again.
    private(set) var endings: [LostClient.Ending] = []
    /// Why it was put out of a room last. If it has not been told the room's state yet, this answers its join.
    var lastEviction: (membership: UInt64, error: RoomError)?
    /// Rooms that were asked for and have not answered yet.
    private(set) var joining: [RoomID] = []
    /// Events for those rooms, which came before the answer.
    var held = HeldEvents()
    var flow: ClientFlow
    /// Whether a token is being looked at that the client has sent in place of its first.
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
        if admission.wishes.wantsBatches { form.insert(.batches) }
        if admission.pid != nil, configuration.recoveryOffsets.areFor(admission.wishes) { form.insert(.offsets) }
        self.form = form
        self.flow = ClientFlow(flow, account: admission.person.id, peer: session.peer, on: loop)
    }

    /// The membership of the room whose id stands as a JSON string in `field`.
    func membership(_ field: JSONField, in bytes: Span<UInt8>) -> Membership? {
        guard field.kind == .string else { return nil }
        if field.hasEscapes {
            guard let id = field.string(in: bytes) else { return nil }
            return memberships.first { $0.room.id == RoomID(id) }
        }
        let idJSON = bytes.extracting(field.range)
        for membership in memberships where idJSON.equals(membership.room.idJSON) { return membership }
        return nil
    }

    /// A room that the client is in, or one that was closed and whose log it has not been sent to its end.
    func membership(_ number: UInt64) -> Membership? {
        memberships.first { $0.number == number } ?? farewells.first { $0.number == number }
    }

    /// Whether it is in a room or has asked to be.
    func isComing(to room: RoomID) -> Bool {
        joining.contains(room) || memberships.contains { $0.room.id == room }
    }

    /// The rooms that it is in or has asked for.
    var rooms: [RoomID] {
        let rooms = memberships.map(\.room.id)
        return rooms + joining.filter { !rooms.contains($0) }
    }

    func asksToJoin(_ room: RoomID) {
        if !joining.contains(room) { joining.append(room) }
    }

    func joinAnswered(_ room: RoomID) {
        joining.removeAll { $0 == room }
        // An empty array keeps its room.
        if joining.isEmpty { joining = [] }
    }

    /// Notes what is about to be written of a room's log.
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

    /// Notes that the client is put out of a room.
    func note(_ ending: LostClient.Ending) {
        endings.append(ending)
        if endings.count > LostClient.Ending.countMax { trail.left(endings.removeFirst().membership) }
    }

    /// The client is being told the state of a room: how it ended before is of no interest.
    func forgetEnding(of id: RoomID) {
        for ending in endings where ending.id == id { trail.left(ending.membership) }
        endings.removeAll { $0.id == id }
    }
}
