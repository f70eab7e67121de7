import Relay
import Transport
import Wire

/// The console: a page that every client may load and that shows nothing by itself, and the numbers and actions behind
/// it, which need the operators' token. The token is sent in a header, never in a cookie, so no other page can make a
/// browser send it.
extension OperatorDesk {
    private static let participantsMax = 200
    private static let elementsMax = 300
    private static let bodyBytesMax = 4_096

    func answerConsole(_ exchange: HTTPExchange) {
        let path = exchange.head.path
        if let file = ConsoleFiles.byPath[path] {
            file.answer(exchange)
        } else if !path.hasPrefix("/console/api/") {
            exchange.respond(404, text: "Not found\n")
        } else if isLetIn(exchange) {
            answerAPI(String(path.dropFirst("/console/api/".count)), exchange)
        }
    }

    private func answerAPI(_ name: String, _ exchange: HTTPExchange) {
        switch (exchange.head.method, name) {
        case (.get, "overview"): read(exchange) { Reply(body: ConsoleJSON.overview($0)) }
        case (.get, "rooms"): answerRooms(exchange)
        case (.get, "room"): answerRoom(exchange)
        case (.get, "nodes"): answerNodes(exchange)
        case (.post, "close-room"): receive("id", exchange) { $0.closeRoom($1, $2) }
        case (.post, "disconnect"): receive("person", exchange) { $0.disconnect($1, $2) }
        case (.post, "drain"): drain(exchange)
        default: refuse(exchange, 404, "There is nothing at this path.")
        }
    }

    private func refuse(_ exchange: HTTPExchange, _ status: Int, _ reason: String) {
        exchange.respond(status, [("Content-Type", "application/json")], body: ConsoleJSON.error(reason))
    }

    // MARK: Rooms

    private func answerRooms(_ exchange: HTTPExchange) {
        let most = min(max(exchange.head.queryValue("limit").flatMap { Int($0) } ?? 50, 1), 200)
        let byConnections = exchange.head.queryValue("sort") == "members"
        ask(exchange, BusiestRoomsQuestion(most: most, byConnections: byConnections)) { answers in
            let rooms = answers.compactMap(\.self).joined().sorted {
                byConnections ? $0.connections > $1.connections : $0.load > $1.load
            }
            return Reply(body: ConsoleJSON.rooms(rooms.prefix(most)))
        }
    }

    private func answerRoom(_ exchange: HTTPExchange) {
        guard let id = exchange.head.queryValue("id") else { return refuse(exchange, 400, "id is missing.") }
        let question = RoomQuestion(id: id, participantsMax: Self.participantsMax, elementsMax: Self.elementsMax)
        ask(exchange, question) { answers in
            let answers = answers.compactMap(\.self)
            guard let summary = answers.lazy.compactMap(\.summary).first else {
                return Reply(status: 404, body: ConsoleJSON.error("This room is empty."))
            }
            let picture = answers.lazy.compactMap(\.picture).first
            return Reply(body: ConsoleJSON.room(summary, picture, answers.flatMap(\.members)))
        }
    }

    // MARK: Nodes

    private func answerNodes(_ exchange: HTTPExchange) {
        guard let cluster = facts.cluster else { return refuse(exchange, 404, "This server is not part of a cluster.") }
        guard hasRoom(exchange) else { return }
        let (_, give) = promise(exchange)
        cluster.nodes { nodes in
            guard let nodes else {
                return give(Reply(status: 503, body: ConsoleJSON.error("The database does not answer.")))
            }
            give(Reply(body: ConsoleJSON.nodes(nodes, cluster.reading)))
        }
    }

    // MARK: Deeds

    /// Takes a body that is a JSON object, and one string out of it.
    private func receive(
        _ field: String, _ exchange: HTTPExchange, _ act: @escaping (OperatorDesk, String, HTTPExchange) -> Void
    ) {
        exchange.receiveBody(max: Self.bodyBytesMax) { [unowned self] exchange, body in
            guard let value = (try? JSONReader(body))?[field]?.string, !value.isEmpty else {
                return self.refuse(exchange, 400, "\(field) must be a string that is not empty.")
            }
            act(self, value, exchange)
        }
    }

    private func closeRoom(_ id: String, _ exchange: HTTPExchange) {
        let (_, give) = promise(exchange)
        RoomCommands(mailboxes, facts.relay).close(id, reason: "closed by an operator") { outcome in
            switch outcome {
            case .done: give(Reply(body: ConsoleJSON.count(1)))
            case .notInUse: give(Reply(status: 404, body: ConsoleJSON.error("This room is empty.")))
            case .refused(let error): give(Reply(status: 409, body: ConsoleJSON.error(error.message)))
            case .unavailable: give(Reply(status: 503, body: ConsoleJSON.error("The room's loop does not answer.")))
            }
        }
    }

    private func disconnect(_ person: String, _ exchange: HTTPExchange) {
        guard hasRoom(exchange) else { return }
        let (timer, give) = promise(exchange)
        let asked = RoomCommands(mailboxes, facts.relay).disconnect(ConnectionsOf(person)) { count, silent in
            give(Reply(body: ConsoleJSON.count(count, silent: silent)))
        }
        timer.fire = { asked.giveUp() }
    }

    private func drain(_ exchange: HTTPExchange) {
        exchange.respond(202, [("Content-Type", "application/json")], body: ConsoleJSON.count(1))
        facts.drain()
    }
}

// MARK: - What shards are asked

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
