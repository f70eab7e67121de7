import Rooms
import Transport

/// What others than members do to rooms that are in use. Called from any thread; nothing here waits.
public final class RoomCommands: Sendable {
    public enum Outcome: Sendable, Equatable {
        case done
        /// Nobody is in the room: there is nobody to be told.
        case notInUse
        case refused(RoomError)
        /// The server is overwhelmed, or stops.
        case unavailable
    }

    public typealias Done = @Sendable (Outcome) -> Void

    private let mailboxes: [ShardMailbox]

    public init(_ mailboxes: [ShardMailbox]) {
        self.mailboxes = mailboxes
    }

    /// Members get `room:renamed`.
    public func rename(_ roomID: String, to name: String, _ done: @escaping Done) {
        perform(roomID, done) { relay, home throws(RoomError) in
            try relay.checkTakesChanges(home)
            try home.room.rename(to: name)
            relay.changed(home)
        }
    }

    /// Describes a room anew, a JSON object, to those who join from now on.
    public func setInfo(_ roomID: String, _ info: [UInt8], _ done: @escaping Done) {
        perform(roomID, done) { _, home throws(RoomError) in home.room.setInfo(info) }
    }

    /// Members get `room:closed` and are in the room no more. Who may come in afterwards is up to the directory.
    public func close(_ roomID: String, reason: String, _ done: @escaping Done) {
        forget(permissionsFor: roomID)
        perform(roomID, done) { relay, home throws(RoomError) in relay.close(home, reason: reason) }
    }

    /// A person's devices get `room:closed`, the others `user:left`. It is `notFound` when the person is not there.
    public func expel(_ personID: String, from roomID: String, reason: String, _ done: @escaping Done) {
        forget(permissionsFor: roomID)
        perform(roomID, done) { relay, home throws(RoomError) in
            let count = home.room.participantCount
            let connections = home.room.expel(personID)
            guard home.room.participantCount < count else {
                throw RoomError(.notFound, "The person is not in the room.")
            }
            let error = RoomError(.forbidden, reason)
            for connection in connections { relay.evict(connection, home, reason: reason, error) }
            relay.armGrace(home)
            relay.changed(home)
        }
    }

    /// Whoever was permitted to join and is not in the room yet is looked up again.
    private func forget(permissionsFor roomID: String) {
        let roomID = RoomID(roomID)
        // Also where the home takes no command: a join with an old permission must not get in meanwhile.
        mailboxes[roomID.homeShard(of: mailboxes.count)].insist { shard in
            shard.local(Relay.self)?.hub.permissions.change(roomID)
        }
    }

    /// The ids of those who have a connection in a room; nil when nobody can say so now.
    public func connectedPeople(in roomID: String, _ answer: @escaping @Sendable ([String]?) -> Void) {
        let roomID = RoomID(roomID)
        let isPosted = mailboxes[roomID.homeShard(of: mailboxes.count)].post { shard in
            // Who is on the way into a room that is being read gets all that is in it, once the room is there.
            answer(shard.local(Relay.self).map { $0.homes[roomID]?.room.connectedPeople ?? [] })
        }
        if !isPosted { answer(nil) }
    }

    /// Runs a command on the shard that orders the room.
    func perform(
        _ roomID: String, _ done: @escaping Done,
        _ command: @escaping @Sendable (Relay, HomeRoom) throws(RoomError) -> Void
    ) {
        let roomID = RoomID(roomID)
        let reply = Reply(otherwise: Outcome.unavailable, done)
        post(to: roomID) { relay in
            relay.command(roomID) { relay, home in
                do throws(RoomError) {
                    guard let home = try home?.get() else { return reply.give(.notInUse) }
                    try command(relay, home)
                    reply.give(.done)
                } catch {
                    reply.give(.refused(error))
                }
            }
        }
    }

    /// Runs a job on a room's home shard. One that finds no place there is let go.
    func post(to roomID: RoomID, _ job: @escaping @Sendable (Relay) -> Void) {
        post(toShard: roomID.homeShard(of: mailboxes.count), job)
    }

    var shardCount: Int { mailboxes.count }

    func post(toShard index: Int, _ job: @escaping @Sendable (Relay) -> Void) {
        mailboxes[index].post { shard in
            if let relay = shard.local(Relay.self) { job(relay) }
        }
    }
}

extension Relay {
    /// Runs a command for a room of this shard, also for one that is still being read; nil is given when it is not in use.
    fileprivate func command(
        _ roomID: RoomID, _ run: @escaping @Sendable (Relay, Result<HomeRoom, RoomError>?) -> Void
    ) {
        if let room = loading[roomID] {
            room.waiting.append(LoadingRoom.Waiting(connection: nil) { run($0, $1) })
        } else {
            run(self, homes[roomID].map { .success($0) })
        }
    }
}
