import Rooms
import Sessions
import Wire

/// One connected client, as the relay of its shard knows it.
final class RelayClient {
    /// A room that the client is in.
    struct Membership {
        let room: LocalRoom
        let slot: Int
    }

    let id: ConnectionID
    let admission: Admission
    var person: Person { admission.person }
    /// Its `state` is this client until the connection ends: code that emits may go on with both after the end.
    let socket: Socket
    let session: EngineSession
    /// Whether it gets the positions of a tick as one `touch:batch` instead of a `touch:moved` for each.
    let wantsBatches: Bool
    /// Few: looked through in order.
    var memberships: [Membership] = []
    /// Closed rooms whose log the client has not been sent to its end.
    var farewells: [LocalRoom] = []
    /// Rooms that were asked for and have not answered yet.
    var joining: Set<RoomID> = []
    /// Events for those rooms, which came before the answer.
    var held = HeldEvents()
    var flow: ClientFlow
    /// Whether a token is being looked at that the client has sent in place of its first.
    var isRefreshing = false

    init(_ id: ConnectionID, _ admission: Admission, _ socket: Socket, _ flow: FlowControl) {
        self.id = id
        self.admission = admission
        self.socket = socket
        session = socket.session
        wantsBatches = (try? JSONReader(socket.auth))?["rooms"]?["touch"]?.string == "batch"
        let session = socket.session
        self.flow = ClientFlow(
            flow, account: admission.person.id, peer: session.handshake.peer, on: session.shard)
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

    func joinAnswered(_ room: RoomID) {
        joining.remove(room)
        // An empty set keeps its room.
        if joining.isEmpty { joining = [] }
    }

    func removeMembership(of room: LocalRoom) {
        memberships.removeAll { $0.room === room }
    }
}
