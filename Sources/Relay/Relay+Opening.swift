import Rooms
import Transport

/// A room that is being read, on its home shard, and who waits for it.
final class LoadingRoom {
    struct Waiting {
        /// Who wants to come in; nil for a command or somebody who does not.
        let connection: ConnectionID?
        let job: @Sendable (Relay, Result<HomeRoom, RoomError>) -> Void
    }

    let info: [UInt8]
    var waiting: [Waiting] = []

    init(info: [UInt8]) {
        self.info = info
    }
}

/// Clients about whom the directory has been asked and has not answered.
struct Lookups {
    struct Item {
        let connection: ConnectionID
        let done: (Relay, RelayClient, Result<[UInt8], RoomError>) -> Void
    }

    private var items: [UInt64: Item] = [:]
    private var nextNumber: UInt64 = 0

    var count: Int { items.count }

    mutating func begin(_ item: Item) -> UInt64 {
        nextNumber += 1
        items[nextNumber] = item
        return nextNumber
    }

    /// Nil for an answer that comes twice.
    mutating func end(_ number: UInt64) -> Item? { items.removeValue(forKey: number) }
}

/// Before somebody is in a room: whether that person may be, and what the room was left with.
extension Relay {
    /// Runs a job on the shard that orders a room, if a client may be in it; with an error if not, on whichever shard.
    ///
    /// Who may is looked up first. Somebody put out of the room while that answer is on its way is not let in by it: then
    /// it is looked up again.
    func atPermittedHome(
        _ client: RelayClient, _ roomID: RoomID,
        _ job: @escaping @Sendable (Relay, Result<HomeRoom, RoomError>) -> Void
    ) {
        let mark = hub.permissions[roomID]
        permit(client, roomID) { relay, client, permission in
            let connection = client.id
            let info: [UInt8]
            switch permission {
            case .failure(let error): return job(relay, .failure(error))
            case .success(let found): info = found
            }
            let isPosted = relay.atOpenHome(roomID, info, for: connection) { relay, home in
                guard case .success = home, relay.hub.permissions[roomID] != mark else {
                    return job(relay, home)
                }
                relay.atClient(connection) { $0.atPermittedHome($1, roomID, job) }
            }
            if !isPosted { job(relay, .failure(Self.overwhelmed)) }
        }
    }

    /// Asks the directory about a client and a room, on the client's shard. When the client has gone before the answer
    /// comes, nothing is done.
    private func permit(
        _ client: RelayClient, _ roomID: RoomID,
        _ done: @escaping (Relay, RelayClient, Result<[UInt8], RoomError>) -> Void
    ) {
        let number = lookups.begin(Lookups.Item(connection: client.id, done: done))
        let mailbox = shard.mailboxes[shard.index]
        let answer = hub.directory.find(roomID.text, for: client.person) { answer in
            mailbox.insist { $0.local(Relay.self)?.permitted(number, answer) }
        }
        if let answer { permitted(number, answer) }
    }

    private func permitted(_ number: UInt64, _ answer: Result<[UInt8], RoomError>) {
        guard let lookup = lookups.end(number), let client = clients[lookup.connection.number] else { return }
        lookup.done(self, client, answer)
    }

    /// Runs a job for a connection on the shard that orders a room. One that is not in use is read before; then the job
    /// has to wait for that, with all others for this room.
    ///
    /// Answers false when that shard takes nothing more.
    ///
    /// - Parameter info: what the directory says of the room.
    private func atOpenHome(
        _ roomID: RoomID, _ info: [UInt8], for connection: ConnectionID,
        _ job: @escaping @Sendable (Relay, Result<HomeRoom, RoomError>) -> Void
    ) -> Bool {
        let waiting = LoadingRoom.Waiting(connection: connection, job: job)
        return atHome(roomID) { relay, _ in relay.withHome(roomID, info, waiting) }
    }

    /// The same on that shard, where also those come who have no connection. Whoever is answered while nobody is in the
    /// room has it closed again: `closeIfEmpty`.
    func withHome(_ roomID: RoomID, _ info: [UInt8], _ waiting: LoadingRoom.Waiting) {
        if let home = homes[roomID] {
            guard waiting.connection != nil, home.isTelling else { return waiting.job(self, .success(home)) }
            home.enterLater(waiting)
            return changed(home)
        }
        if let room = loading[roomID] { return room.waiting.append(waiting) }
        let room = LoadingRoom(info: info)
        room.waiting = [waiting]
        loading[roomID] = room
        if settling[roomID] == nil { read(roomID, room) }
    }

    func read(_ roomID: RoomID, _ room: LoadingRoom) {
        let mailbox = shard.mailboxes[shard.index]
        let contents = hub.keeper.load(roomID.text) { contents in
            mailbox.insist { $0.local(Relay.self)?.loaded(roomID, contents) }
        }
        if let contents { loaded(roomID, contents) }
    }

    private func loaded(_ roomID: RoomID, _ contents: Result<RoomContents?, RoomError>) {
        guard let room = loading.removeValue(forKey: roomID) else { return }
        switch contents {
        case .failure(let error): for waiting in room.waiting { waiting.job(self, .failure(error)) }
        case .success(let contents):
            let home = HomeRoom(
                id: roomID, info: room.info, limits: configuration.room, shardCount: shard.mailboxes.count,
                contents: contents, isStored: hub.store != nil, counters: counters)
            home.timer.fire = { [unowned self, unowned home] in self.tickIsDue(home) }
            homes[roomID] = home
            home.countHolding()
            // One of them may close the room: those behind it are for the next of its name.
            for waiting in room.waiting { withHome(roomID, room.info, waiting) }
            // There may be people to be told of who were there when the server ended.
            if home.room.isDirty { changed(home) }
            closeIfEmpty(home)
        }
    }

    /// A connection that waits for a room to be read has gone.
    func forgetJoin(of connection: ConnectionID, _ roomID: RoomID) {
        loading[roomID]?.waiting.removeAll { $0.connection == connection }
    }

    func closeIfEmpty(_ home: HomeRoom) {
        // With the next tick something of it is to be stored.
        if home.journal != nil, home.isQueued { return }
        if home.isEmpty, home.isStored, homes[home.id] === home { close(home) }
    }
}
