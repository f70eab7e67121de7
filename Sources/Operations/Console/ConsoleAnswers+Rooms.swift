import Relay
import Transport

/// Rooms, and who is in them.
extension ConsoleAnswers {
    private static let roomsMax = 200

    func giveRooms(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp {
        let most = min(max(question.number("limit") ?? 50, 1), Self.roomsMax)
        let byConnections = question.text("sort") == "members"
        return ask(BusiestRoomsQuestion(most: most, byConnections: byConnections), give) { answers in
            let rooms = answers.compactMap(\.self).joined().sorted {
                byConnections ? $0.connections > $1.connections : $0.load > $1.load
            }
            return Reply(body: ConsoleJSON.rooms(rooms.prefix(most)))
        }
    }

    func giveRoom(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp? {
        guard let id = question.text("id") else {
            give(.failure(400, "id is missing."))
            return nil
        }
        let asked = RoomQuestion(id: id, participantsMax: Self.participantsMax, elementsMax: Self.elementsMax)
        return ask(asked, give) { answers in
            let answers = answers.compactMap(\.self)
            guard let summary = answers.lazy.compactMap(\.summary).first else {
                return .failure(404, "This room is empty.")
            }
            let picture = answers.lazy.compactMap(\.picture).first
            return Reply(body: ConsoleJSON.room(summary, picture, answers.flatMap(\.members)))
        }
    }
}

/// Which rooms of the shard have the most to do, or the most connections?
private struct BusiestRoomsQuestion: ShardQuestion {
    let most: Int
    let byConnections: Bool

    func answer(on shard: Shard) -> [RoomFigures] {
        shard.local(Relay.self)?.rooms(most, byConnections: byConnections) ?? []
    }
}

/// What does the shard know of a room, as its home and by its own members?
private struct RoomQuestion: ShardQuestion {
    struct Answer: Sendable {
        let summary: RoomFigures?
        let picture: [UInt8]?
        let members: [RoomMember]
    }

    let id: String
    let participantsMax: Int
    let elementsMax: Int

    func answer(on shard: Shard) -> Answer {
        let relay = shard.local(Relay.self)
        return Answer(
            summary: relay?.summary(of: id),
            picture: relay?.picture(of: id, participantsMax: participantsMax, elementsMax: elementsMax),
            members: relay?.members(of: id, participantsMax) ?? [])
    }
}
