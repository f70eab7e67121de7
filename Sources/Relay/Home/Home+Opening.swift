import Rooms
import Transport

/// Work that needs a room, and waits while the room is read.
enum RoomErrand {
    case enter(Entry)
    case change(ElementRequest, ElementAsker)
    case command(RoomCommand, question: UInt64)
}

/// A room that is being read, with the errands that wait for it.
final class LoadingRoom {
    let info: [UInt8]
    var waiting: [RoomErrand] = []

    init(info: [UInt8]) {
        self.info = info
    }
}

/// How rooms come into use.
extension Home {
    /// Does an errand in its room. A room that is not in use is read first, and all errands for it wait.
    ///
    /// - Parameter info: the room's description from the directory.
    func withRoom(_ id: RoomID, _ info: [UInt8], _ errand: RoomErrand) {
        if let home = rooms[id] { return perform(errand, home) }
        if let room = loading[id] { return room.waiting.append(errand) }
        let room = LoadingRoom(info: info)
        room.waiting = [errand]
        loading[id] = room
        if settling[id] == nil { read(id) }
    }

    /// A room that is empty afterwards goes out of use again: `retireIfEmpty`.
    private func perform(_ errand: RoomErrand, _ home: HomeRoom) {
        switch errand {
        case .enter(let entry): enter(entry, home)
        case .change(let request, let asker):
            change(home, request, asker)
            retireIfEmpty(home)
        case .command(let command, let question): perform(command, home, home.id, question)
        }
    }

    /// An errand's room cannot be read.
    private func fail(_ errand: RoomErrand, _ error: RoomError) {
        switch errand {
        case .enter(let entry): refuse(entry, error)
        case .change(_, let asker): answer(asker, .failure(error))
        case .command(let command, let question): refuse(command, error, question)
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
        case .failure(let error): for errand in room.waiting { fail(errand, error) }
        case .success(let contents):
            let home = HomeRoom(
                id: id, info: room.info, limits: configuration.room, contents: contents, isStored: hub.store != nil,
                counters: counters, home: self)
            rooms[id] = home
            home.countHolding()
            // Members may have to be told of participants from before the restart.
            if home.room.isDirty { changed(home) }
            home.isOpening = true
            // One of them may close the room. Then the later errands are for the next room with this id.
            for errand in room.waiting {
                if case .command(let command, let question) = errand {
                    receive(.command(command, question: question), id)
                } else {
                    withRoom(id, room.info, errand)
                }
            }
            home.isOpening = false
            retireIfEmpty(home)
        }
    }

    /// Work that waits for a room whose storing fails need not wait for the end of that.
    func failWaiting(for id: RoomID) {
        guard settling[id] != nil, let room = loading.removeValue(forKey: id) else { return }
        for errand in room.waiting { fail(errand, RoomJournal.takesNothing) }
    }

    /// A connection that waited for a room to be read has gone.
    func forgetEntry(of connection: ConnectionID, _ id: RoomID) {
        loading[id]?.waiting.removeAll { errand in
            if case .enter(let entry) = errand { entry.connection == connection } else { false }
        }
    }
}
