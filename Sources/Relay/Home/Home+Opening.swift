import Rooms
import Store
import Transport

/// Work that needs a room, and waits while the room is read.
enum RoomErrand {
    case enter(Entry)
    case change(ElementRequest, ElementAsker)
    case command(RoomCommand, question: UInt64)

    /// The node that the errand is from.
    var node: Int {
        switch self {
        case .enter(let entry): entry.connection.node
        case .change(_, let asker): asker.node
        case .command(_, let question): Questions.node(of: question)
        }
    }
}

/// A room that is being read, with the errands that wait for it.
final class LoadingRoom {
    private(set) var info: [UInt8]
    private(set) var waiting: [RoomErrand] = []
    let timer = LoopTimer()
    /// Since when the room's home could not be reached.
    var waitingSince: Int64?

    init(info: [UInt8]) {
        self.info = info
    }

    /// - Parameter info: empty for an errand that has no description of the room.
    func add(_ errand: RoomErrand, _ info: [UInt8]) {
        waiting.append(errand)
        if self.info.isEmpty { self.info = info }
    }

    /// Removes the errands of another node, which has to look for the home itself.
    ///
    /// - Returns: the nodes of these errands.
    func takeErrands(where isMeant: (Int) -> Bool) -> Set<Int> {
        let nodes = Set(waiting.map(\.node).filter(isMeant))
        waiting.removeAll { isMeant($0.node) }
        return nodes
    }

    func takeErrands(of node: Int) -> Set<Int> { takeErrands { $0 == node } }
    func takeErrands(ofOtherNodesThan node: Int) -> Set<Int> { takeErrands { $0 != node } }

    /// A connection has gone.
    func forgetEntry(of connection: ConnectionID) {
        waiting.removeAll { errand in
            if case .enter(let entry) = errand { entry.connection == connection } else { false }
        }
    }
}

/// How rooms come into use.
extension Home {
    /// Does an errand in its room. A room that is not in use is read first, and all errands for it wait.
    ///
    /// - Parameter info: the room's description from the directory.
    func withRoom(_ id: RoomID, _ info: [UInt8], _ errand: RoomErrand) {
        if let home = rooms[id] { return perform(errand, home) }
        if let outpost = outposts[id] {
            return errand.node == hub.node ? forward(errand, to: outpost) : refuseHome(id, to: errand.node)
        }
        if let room = loading[id] { return room.add(errand, info) }
        let room = LoadingRoom(info: info)
        seek(id)
        room.add(errand, info)
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
        case .command(let command, let question):
            // A room that was read for the command alone has no members to tell.
            let isForNobody = hub.cluster != nil && home.isOpening && home.isEmpty
            perform(command, isForNobody ? nil : home, home.id, question)
        }
    }

    /// An errand's room cannot be read.
    func fail(_ errand: RoomErrand, _ error: RoomError, _ id: RoomID) {
        switch errand {
        case .enter(let entry): refuseForNow(entry, error)
        case .change(_, let asker): answer(asker, .failure(error), id)
        case .command(let command, let question): refuse(command, error, question)
        }
    }

    func read(_ id: RoomID) {
        guard !isHandingOver else { return refuse(id) }
        let mailbox = mailbox
        if let cluster = hub.cluster {
            return cluster.homes.claim(id.text, by: cluster.node) {
                mailbox.insist(RelayMessage.home(id, .loaded(FoundRoom.found($0))))
            }
        }
        let contents = hub.keeper.load(id.text) {
            mailbox.insist(RelayMessage.home(id, .loaded($0.map { .here($0, fence: nil) })))
        }
        if let contents { loaded(id, contents.map { .here($0, fence: nil) }) }
    }

    func loaded(_ id: RoomID, _ found: Result<FoundRoom, RoomError>) {
        guard let room = loading.removeValue(forKey: id) else { return }
        loop.cancel(room.timer)
        if case .success = found { foundHome(of: id) }
        switch found {
        case .failure(let error): fail(room, error, id)
        case .success(.elsewhere(let node)): isElsewhere(id, on: node, room)
        case .success(.here(let contents, let fence)):
            let home = HomeRoom(
                id: id, info: room.info, limits: configuration.room, contents: contents, isStored: hub.store != nil,
                counters: counters, home: self, fence: fence)
            rooms[id] = home
            home.countHolding()
            findInterruptedRecording(home)
            // Members may have to be told of participants from before the restart.
            if home.room.isDirty { changed(home) }
            armGrace(home)
            home.isOpening = true
            // One of them may close the room. Then the later errands are for the next room with this id.
            for errand in room.waiting {
                if case .command(let command, let question) = errand {
                    if let home = rooms[id] {
                        perform(.command(command, question: question), home)
                    } else {
                        receive(.command(command, question: question), id)
                    }
                } else {
                    withRoom(id, room.info, errand)
                }
            }
            home.isOpening = false
            retireIfEmpty(home)
            // The claim was under way when this node began to end.
            if isHandingOver { handOverNext() }
        }
    }

    /// Work that waits for a room whose storing fails need not wait for the end of that.
    func failWaiting(for id: RoomID) {
        guard settling[id] != nil, let room = loading.removeValue(forKey: id) else { return }
        fail(room, RoomJournal.takesNothing, id)
    }

    /// A room cannot be read now.
    func fail(_ room: LoadingRoom, _ error: RoomError, _ id: RoomID) {
        for errand in room.waiting { fail(errand, error, id) }
    }

    /// A connection that waited for a room to be read has gone.
    func forgetEntry(of connection: ConnectionID, _ id: RoomID, _ leaving: Leaving) {
        loading[id]?.forgetEntry(of: connection)
        forgetKept(of: connection, id, leaving)
    }
}

extension FoundRoom {
    /// What a claim has found.
    static func found(_ claim: Result<RoomClaim, StoreError>) -> Result<FoundRoom, RoomError> {
        switch claim {
        case .success(.here(let room, let fence)): .success(.here(room?.contents, fence: fence))
        case .success(.elsewhere(let node)): .success(.elsewhere(node))
        case .failure: .failure(RoomError(.server, "The room cannot be read at the moment."))
        }
    }
}
