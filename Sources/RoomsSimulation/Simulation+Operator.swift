import Relay
import Rooms

/// What the server and its operator do to rooms.
extension Simulation {
    func command() {
        guard let server = random.pick(running)?.server else { return }
        let room = random.below(truths.count)
        let person = random.below(clients.count)
        let id = "r\(room)"
        switch random.below(9) {
        case 0: close(room, server)
        case 1:
            lastNumber += 1
            ask { server.commands.rename(id, to: "name \(lastNumber)", $0) }
        case 2, 3: expel(person, room, server)
        case 4: directory.pardon("p\(person)", in: id)
        case 5: ask { server.commands.tellAdded(Array("{\"id\":\"p9\"}".utf8), to: id, info: RoomInfo.ofID(id), $0) }
        case 6:
            openQuestions += 1
            server.commands.connectedPeople(in: id) { [unowned self] _ in self.openQuestions -= 1 }
        case 7:
            openQuestions += 1
            server.commands.whenStored(id) { [unowned self] _ in self.openQuestions -= 1 }
        default: create(room, person, server)
        }
    }

    private func ask(_ command: (@escaping RoomCommands.Done) -> Void) {
        openQuestions += 1
        command { [unowned self] _ in self.openQuestions -= 1 }
    }

    private func close(_ room: Int, _ server: SimulatedServer) {
        note("r\(room) is to be closed")
        for person in 0..<clients.count { departures.insert("\(person)/\(room)") }
        ask { server.commands.close("r\(room)", reason: "deleted", $0) }
    }

    /// A user may not be in a room any more. The removal is repeated until it succeeds.
    private func expel(_ person: Int, _ room: Int, _ server: SimulatedServer) {
        note("p\(person) is to be put out of r\(room)")
        // While the nodes cannot tell each other of it, one of them may still use a permission that it has asked for.
        let isTold = !isCluster || !isDisturbed && nodes.allSatisfy { $0.link?.isBusy == false }
        directory.ban("p\(person)", from: "r\(room)", isTold: isTold)
        departures.insert("\(person)/\(room)")
        openQuestions += 1
        server.commands.expel("p\(person)", from: "r\(room)", reason: "removed") { [unowned self] outcome in
            self.openQuestions -= 1
            self.reach(.expelled, if: outcome == .done)
            if self.isCluster, self.isDisturbed { self.directory.forgetTold("p\(person)", in: "r\(room)") }
            // REST repeats what could not be done.
            switch outcome {
            case .unavailable: self.directory.pardon("p\(person)", in: "r\(room)")
            case .refused(let error) where error.code == .server: self.directory.pardon("p\(person)", in: "r\(room)")
            case .done, .notInUse, .refused: break
            }
        }
    }

    private func create(_ room: Int, _ person: Int, _ server: SimulatedServer) {
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
