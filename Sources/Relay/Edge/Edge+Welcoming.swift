import Rooms
import Sessions
import Transport
import Wire

/// Writes the states of rooms to clients that have joined.
///
/// A state has up to 4 MB, and many clients join at once when connections come back. So each turn of the loop writes a
/// bounded number of bytes, and the rooms take turns. Sockets and ticks are handled between two turns. Meanwhile a
/// client's cursor stands at its state's place in the log: later entries follow the state, and none is missed.
extension Edge {
    /// One state is always written, whatever its length.
    static let welcomeBytesMax = 1 << 20

    /// Writes the states of the next clients, at the end of a turn.
    func welcomeSome() {
        guard !isWelcomingLater, !welcomes.isEmpty else { return }
        var byteCount = 0
        while byteCount < Self.welcomeBytesMax, let next = welcomes.next() {
            context.asOne { byteCount += welcome(next) }
        }
        guard byteCount >= Self.welcomeBytesMax else { return }
        isWelcomingLater = true
        mailbox.insist(RelayMessage.edge(.welcomeMore))
    }

    /// Writes the state of a room and the later entries to a client. Returns the length of the state.
    private func welcome(_ next: Welcome) -> Int {
        let (client, room) = (next.client, next.room)
        guard client.socket.isConnected else { return 0 }
        client.joinAnswered(room.id)
        defer { if client.socket.isConnected { handleHeld(client) } }
        if outdated.remove(next.membership) != nil {
            giveUpPlace(of: client, in: room.id)
            askForState(next)
            return 0
        }
        guard client.membership(next.membership) != nil else {
            let eviction = client.lastEviction.flatMap { $0.membership == next.membership ? $0.error : nil }
            if let call = next.call { refuse(client, ClientEvent.roomJoin.rawValue, eviction ?? Self.putOut, call) }
            return 0
        }
        guard room.release(client) else {
            enterAgain(next)
            return 0
        }
        let json = next.json
        var arguments = [UInt8(ascii: "{")] + json + [UInt8(ascii: "}")]
        if client.form.contains(.offsets) {
            client.trail.joined(next.membership, incarnation: room.incarnation, at: next.seq)
            let offset = LogOffset(seq: next.seq, incarnation: room.incarnation, membership: next.membership)
            arguments += Array(",\"\(offset.text)\"".utf8)
        }
        client.socket.emit("room:joined", arguments)
        if let call = next.call { accept(client, call, [UInt8(ascii: ",")] + json) }
        // A large answer can end the connection.
        guard client.socket.isConnected else { return next.byteCount }
        room.deliver(to: client)
        if room.isOver { bidFarewell(client) }
        return next.byteCount
    }

    private static let putOut = RoomError(.forbidden, "You were removed from the room.")

    /// So many entries were logged meanwhile that the log does not reach back to the state. The client needs a newer
    /// one.
    private func enterAgain(_ next: Welcome) {
        let (client, room) = (next.client, next.room)
        client.farewells.removeAll { $0.number == next.membership }
        client.removeMembership(of: room)
        drop(client, from: room)
        giveUpPlace(of: client, in: room.id)
        askForState(next)
    }

    /// The client enters again, and gets the state of then.
    private func askForState(_ next: Welcome) {
        let (client, room) = (next.client, next.room)
        if let call = next.call {
            enter(client, room.id, .join(call), isPaid: true)
        } else {
            goOn(client, .afresh(room.id), isPaid: true)
        }
    }
}

/// A client that has joined a room and has not got its state yet.
struct Welcome {
    let client: RelayClient
    let room: LocalRoom
    let membership: UInt64
    /// The newest entry of the log that the state includes.
    let seq: UInt64
    let state: RoomState
    /// The client's own entry in the list of participants.
    let listed: [UInt8]
    /// The join to answer; nil for a client that comes back.
    let call: SocketCall?

    /// The members of `room:joined`, without the braces.
    var json: [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(state.byteCount + listed.count)
        state.append(to: &json, self: listed)
        return json
    }

    var byteCount: Int { (call?.ackID == nil ? 1 : 2) * state.byteCount }
}
