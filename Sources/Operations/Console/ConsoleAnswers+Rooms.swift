import Relay
import Store
import Transport

/// Rooms, and who is in them.
extension ConsoleAnswers {
    private static let roomsMax = 200
    private static let foundMax = 100

    private func most(_ question: ConsoleQuestion) -> Int { min(max(question.number("limit") ?? 50, 1), Self.roomsMax) }

    // MARK: In use

    func giveRooms(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp {
        let most = most(question)
        let order: RoomQuery.Order =
            switch question.text("sort") {
            case "members": .connections
            case "id": .id
            default: .load
            }
        let query = RoomQuery(
            order, most: most, text: question.text("text") ?? "", after: question.text("after") ?? "")
        return ask(RoomsQuestion(query: query), give) { answers in
            let rooms = answers.compactMap(\.self).joined().sorted { one, other in
                switch order {
                case .load: one.load > other.load
                case .connections: one.connections > other.connections
                case .id: RoomQuery.precedes(one.id, other.id)
                }
            }
            return Reply(body: ConsoleJSON.rooms(rooms.prefix(most), silent: Self.silent(answers)))
        }
    }

    /// A room in use; otherwise the room as it is kept.
    func giveRoom(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp? {
        guard let id = question.text("id") else {
            give(.failure(400, "id is missing."))
            return nil
        }
        let asked = RoomQuestion(id: id, participantsMax: Self.participantsMax, elementsMax: Self.elementsMax)
        let looksAtKept = question.text("kept") != "no"
        let gathering = Gathering(mailboxes, asked) { all in
            let (answers, silent) = (all.compactMap(\.self), Self.silent(all))
            guard let summary = answers.lazy.compactMap(\.summary).first else {
                guard looksAtKept else { return give(Reply(body: ConsoleJSON.noRoom(silent: silent))) }
                // A room that is in use there must not look like an empty one.
                guard let loop = silent.first else { return giveKeptRoom(id, give) }
                return give(.failure(503, "Loop \(loop) does not answer, and may have the room."))
            }
            let picture = answers.lazy.compactMap(\.picture).first
            give(Reply(body: ConsoleJSON.room(summary, picture, answers.flatMap(\.members), silent: silent)))
        }
        return { gathering.giveUp() }
    }

    // MARK: Kept

    /// An empty room. Nobody is told of it, and it is not opened.
    private func giveKeptRoom(_ id: String, _ give: @escaping Give) {
        guard let store = facts.store else {
            guard let contents = facts.keeper?.look(at: id) else { return give(.failure(404, "This room is empty.")) }
            return give(
                Reply(
                    body: ConsoleJSON.room(
                        RoomSummary(kept: id, elements: contents.elementCount), seq: contents.seq,
                        contents.picture(of: id, elementsMax: Self.elementsMax))))
        }
        store.load(id) { result in
            switch result {
            case .failure: give(.storeFails)
            case .success(nil): give(.failure(404, "There is no such room."))
            case .success(let room?):
                // Elements become JSON on a thread of their own.
                Task.detached {
                    give(
                        Reply(
                            body: ConsoleJSON.room(
                                RoomSummary(room), seq: room.seq,
                                room.contents.picture(of: id, elementsMax: Self.elementsMax))))
                }
            }
        }
    }

    /// All rooms that are kept, those in use among them, page by page.
    func giveKeptRooms(_ question: ConsoleQuestion, _ give: @escaping Give) {
        let (most, text, after) = (most(question), question.text("text") ?? "", question.text("after"))
        guard let store = facts.store else {
            let found = facts.keeper?.find(text, after: after ?? "", most: most + 1) ?? []
            let rooms = found.prefix(most).map { RoomSummary(kept: $0.id, elements: $0.elements) }
            return give(Reply(body: ConsoleJSON.keptRooms(rooms, next: found.count > most ? rooms.last?.id : nil)))
        }
        store.findRooms(containing: text, PageRequest(limit: most, cursor: after)) { result in
            switch result {
            case .success(let page): give(Reply(body: ConsoleJSON.keptRooms(page.items, next: page.next)))
            case .failure(.badCursor): give(.failure(400, "after is not a place in this list."))
            case .failure: give(.storeFails)
            }
        }
    }

    // MARK: Connections

    func findPeople(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp {
        let question = FindQuestion(text: question.text("text") ?? "", most: Self.foundMax)
        return ask(question, give) { answers in
            let found = answers.compactMap(\.self).joined().sorted { RoomQuery.precedes($0.person, $1.person) }
            return Reply(
                body: ConsoleJSON.found(
                    found.prefix(Self.foundMax), hasMore: found.count >= Self.foundMax, silent: Self.silent(answers)))
        }
    }

    /// The loops that have not answered: what is theirs is missing.
    private static func silent<Answer>(_ answers: [Answer?]) -> [Int] {
        answers.indices.filter { answers[$0] == nil }
    }
}

extension RoomSummary {
    /// A room that is kept in memory.
    fileprivate init(kept id: String, elements: Int) {
        self.init(
            id: id, name: nil, createdBy: nil, createdAt: 0, updatedAt: 0, isActive: true, elementCount: elements)
    }

    fileprivate init(_ room: StoredRoom) {
        self.init(
            id: room.id, name: room.name, createdBy: room.createdBy, createdAt: room.createdAt, updatedAt: 0,
            isActive: room.isActive, elementCount: room.elements.count)
    }
}

/// Which rooms of the shard come first?
private struct RoomsQuestion: ShardQuestion {
    let query: RoomQuery

    func answer(on shard: Shard) -> [RoomFigures] { shard.local(Relay.self)?.rooms(query) ?? [] }
}

/// Which connections of the shard are a user's, or an address'?
private struct FindQuestion: ShardQuestion {
    let text: String
    let most: Int

    func answer(on shard: Shard) -> [FoundConnection] { shard.local(Relay.self)?.find(text, most: most) ?? [] }
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
