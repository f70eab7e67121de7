import Relay
import Rooms

/// The permissions to join rooms. It answers at once or later, always with the permission at the time of the question.
final class SimulatedDirectory: RoomDirectory, @unchecked Sendable {
    private unowned let world: Simulation
    /// Users who were removed, as `user/room`.
    private(set) var banned: Set<String> = []
    /// Those that every node has surely been told of.
    private var told: Set<String> = []
    private var answers: [() -> Void] = []

    init(_ world: Simulation) { self.world = world }

    var isWaiting: Bool { !answers.isEmpty }

    func isBanned(_ person: String, from room: String) -> Bool { banned.contains("\(person)/\(room)") }
    func isToldOf(_ person: String, in room: String) -> Bool { told.contains("\(person)/\(room)") }

    func ban(_ person: String, from room: String, isTold: Bool) {
        banned.insert("\(person)/\(room)")
        if isTold { told.insert("\(person)/\(room)") } else { told.remove("\(person)/\(room)") }
    }

    /// Not all nodes may have been told of it.
    func forgetTold(_ person: String, in room: String) { told.remove("\(person)/\(room)") }

    func pardon(_ person: String, in room: String) { banned.remove("\(person)/\(room)") }

    func find(
        _ roomID: String, for person: Person, later: @escaping @Sendable (Result<[UInt8], RoomError>) -> Void
    ) -> Result<[UInt8], RoomError>? {
        let answer: Result<[UInt8], RoomError> =
            isBanned(person.id, from: roomID)
            ? .failure(RoomError(.forbidden, "You may not be in this room.")) : .success(RoomInfo.ofID(roomID))
        guard world.random.percent(40) else { return answer }
        answers.append { later(answer) }
        return nil
    }

    func answerNext() {
        guard !answers.isEmpty else { return }
        answers.remove(at: world.random.below(answers.count))()
    }

    func forgetQuestions() { answers = [] }
}
