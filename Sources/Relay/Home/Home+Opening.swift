import Rooms
import Transport

/// A room that is being read, and the messages that wait for it.
final class LoadingRoom {
    let info: [UInt8]
    var waiting: [HomeMessage] = []

    init(info: [UInt8]) {
        self.info = info
    }
}

/// Rooms that come into use.
extension Home {
    /// Has a message act on its room. A room that is not in use is read before, and all messages to it wait for that.
    ///
    /// - Parameter info: what the directory says of the room.
    func withRoom(_ id: RoomID, _ info: [UInt8], _ message: HomeMessage) {
        if let home = rooms[id] { return act(message, home) }
        if let room = loading[id] { return room.waiting.append(message) }
        let room = LoadingRoom(info: info)
        room.waiting = [message]
        loading[id] = room
        if settling[id] == nil { read(id) }
    }

    /// A room that nobody is in after that goes out of use again: `retireIfEmpty`.
    private func act(_ message: HomeMessage, _ home: HomeRoom) {
        switch message {
        case .enter(let entry): enter(entry, home)
        case .change(let request, let asker):
            change(home, request, asker)
            retireIfEmpty(home)
        case .command(let command, let question): perform(command, home, home.id, question)
        default: preconditionFailure("a message that waits for no room")
        }
    }

    /// A message's room cannot be read.
    private func fail(_ message: HomeMessage, _ error: RoomError) {
        switch message {
        case .enter(let entry): refuse(entry, error)
        case .change(_, let asker): answer(asker, .failure(error))
        case .command(let command, let question): refuse(command, error, question)
        default: preconditionFailure("a message that waits for no room")
        }
    }

    func read(_ id: RoomID) {
        let mailbox = mailbox
        let contents = hub.keeper.load(id.text) { mailbox.insist(RelayMessage.home(id, .loaded($0))) }
        if let contents { loaded(id, contents) }
    }

    func loaded(_ id: RoomID, _ contents: Result<RoomContents?, RoomError>) {
        guard let room = loading.removeValue(forKey: id) else { return }
        switch contents {
        case .failure(let error): for message in room.waiting { fail(message, error) }
        case .success(let contents):
            let home = HomeRoom(
                id: id, info: room.info, limits: configuration.room, contents: contents, isStored: hub.store != nil,
                counters: counters, home: self)
            rooms[id] = home
            home.countHolding()
            // One of them may close the room: the messages behind it are for the next room of its name.
            for message in room.waiting {
                if case .command = message { receive(message, id) } else { withRoom(id, room.info, message) }
            }
            // There may be people to be told of who were there when the server ended.
            if home.room.isDirty { changed(home) }
            retireIfEmpty(home)
        }
    }

    /// What waits for a room that cannot be stored to its end need not wait for that.
    func failWaiting(for id: RoomID) {
        guard settling[id] != nil, let room = loading.removeValue(forKey: id) else { return }
        for message in room.waiting { fail(message, RoomJournal.takesNothing) }
    }

    /// A connection that waits for a room to be read has gone.
    func forgetEntry(of connection: ConnectionID, _ id: RoomID) {
        loading[id]?.waiting.removeAll { message in
            if case .enter(let entry) = message { entry.connection == connection } else { false }
        }
    }
}
