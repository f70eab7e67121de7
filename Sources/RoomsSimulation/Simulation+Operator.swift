import Relay
import Rooms

/// What the server and its operator do to rooms.
extension Simulation {
    func command() {
        let room = random.below(truths.count)
        let person = random.below(clients.count)
        let id = "r\(room)"
        switch random.below(9) {
        case 0: close(room)
        case 1:
            lastNumber += 1
            ask { server.commands.rename(id, to: "name \(lastNumber)", $0) }
        case 2, 3: expel(person, room)
        case 4: directory.pardon("p\(person)", in: id)
        case 5: ask { server.commands.tellAdded(Array("{\"id\":\"p9\"}".utf8), to: id, info: RoomInfo.ofID(id), $0) }
        case 6:
            openQuestions += 1
            server.commands.connectedPeople(in: id) { [unowned self] _ in self.openQuestions -= 1 }
        case 7:
            openQuestions += 1
            server.commands.whenStored(id) { [unowned self] _ in self.openQuestions -= 1 }
        default: create(room, person)
        }
    }

    private func ask(_ command: (@escaping RoomCommands.Done) -> Void) {
        openQuestions += 1
        command { [unowned self] _ in self.openQuestions -= 1 }
    }

    private func close(_ room: Int) {
        note("r\(room) is to be closed")
        for person in 0..<clients.count { departures.insert("\(person)/\(room)") }
        ask { server.commands.close("r\(room)", reason: "deleted", $0) }
    }

    /// A user may not be in a room any more. The removal is repeated until it succeeds.
    private func expel(_ person: Int, _ room: Int) {
        note("p\(person) is to be put out of r\(room)")
        directory.ban("p\(person)", from: "r\(room)")
        departures.insert("\(person)/\(room)")
        openQuestions += 1
        server.commands.expel("p\(person)", from: "r\(room)", reason: "removed") { [unowned self] outcome in
            self.openQuestions -= 1
            self.reach(.expelled, if: outcome == .done)
            // REST gets the answer that the server is overloaded, and asks again.
            if outcome == .unavailable { self.directory.pardon("p\(person)", in: "r\(room)") }
        }
    }

    private func create(_ room: Int, _ person: Int) {
        let json = #"{"type":"note","positionX":1,"positionY":2,"width":3,"height":4,"content":"from outside"}"#
        let place = RoomCommands.ElementPlace(
            roomID: "r\(room)", info: RoomInfo.ofID("r\(room)"), personID: "p\(person)")
        openQuestions += 1
        server.commands.createElement(Array(json.utf8), clientID: nil, at: place) { [unowned self] result in
            self.openQuestions -= 1
            self.reach(.createdFromOutside, if: (try? result.get()) != nil)
        }
    }
}
