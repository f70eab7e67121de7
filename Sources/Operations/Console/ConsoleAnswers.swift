import Relay
import Transport
import Wire

/// Answers the questions of a console, those of this node's page and those that other nodes pass on.
package struct ConsoleAnswers: Sendable {
    typealias Reply = OperatorDesk.Reply
    typealias Give = @Sendable (Reply) -> Void
    /// Answers with what is known by now.
    typealias GiveUp = @Sendable () -> Void

    static let participantsMax = 200
    static let elementsMax = 300

    let facts: OperatorFacts
    let mailboxes: [ShardMailbox]
    let server: ServerState

    package init(_ facts: OperatorFacts, _ mailboxes: [ShardMailbox], _ server: ServerState) {
        self.facts = facts
        self.mailboxes = mailboxes
        self.server = server
    }

    /// - Parameter give: called once, on any thread.
    /// - Returns: to be called when the answer takes too long; nil for an answer that nothing can hasten.
    func answer(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp? {
        guard question.isDeed else { return read(question, give) }
        return perform(question) { [audit = facts.audit] reply in
            let outcome = reply.status < 300 ? "done" : "failed: \(reply.text)"
            audit.record(question.name, question.subject, outcome: outcome, asker: question.asker)
            give(reply)
        }
    }

    private func read(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp? {
        switch question.name {
        case "overview": return readNumbers(give) { [facts] in Reply(body: ConsoleJSON.overview($0, facts)) }
        case "problems": return readNumbers(give) { [facts] in Reply(body: ConsoleJSON.problems($0, facts)) }
        case "history": giveHistory(question, give)
        case "rooms": return giveRooms(question, give)
        case "room": return giveRoom(question, give)
        case "nodes": giveNodes(give)
        case "kept-rooms": giveKeptRooms(question, give)
        case "find": return findPeople(question, give)
        case "bans": giveBans(give)
        case "audit": giveAudit(question, give)
        default: give(.failure(404, "There is nothing at this path."))
        }
        return nil
    }

    private func perform(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp? {
        switch question.name {
        case "close-room": closeRoom(question, give)
        case "disconnect": return disconnect(question, give)
        case "ban": return ban(question, give)
        case "lift-ban": lift(question, give)
        case "message": return broadcast(question, give)
        case "drain": drain(give)
        default: give(.failure(404, "There is nothing at this path."))
        }
        return nil
    }

    // MARK: Questions to shards

    private func readNumbers(_ give: @escaping Give, _ make: @escaping @Sendable (ServerReading) -> Reply) -> GiveUp {
        let gathering = ServerReading.gather(facts, mailboxes, server) { give(make($0)) }
        return { gathering.giveUp() }
    }

    /// Gives the result of `make`, which gets the answers of the server's shards outside the loops.
    func ask<Question: ShardQuestion>(
        _ question: Question, _ give: @escaping Give, _ make: @escaping @Sendable ([Question.Answer?]) -> Reply
    ) -> GiveUp {
        let gathering = Gathering(mailboxes, question) { answers in
            Task.detached { give(make(answers)) }
        }
        return { gathering.giveUp() }
    }

    // MARK: What was, and the nodes

    private func giveHistory(_ question: ConsoleQuestion, _ give: Give) {
        let moment = Int64(question.number("since") ?? .min)
        give(Reply(body: facts.history.json(since: moment, starts: facts.audit.starts)))
    }

    private func giveAudit(_ question: ConsoleQuestion, _ give: @escaping Give) {
        let limit = min(max(question.number("limit") ?? 50, 1), 200)
        facts.audit.page(question.text("after"), limit: limit) { give(Reply(body: ConsoleJSON.audit($0))) }
    }

    private func giveNodes(_ give: @escaping Give) {
        guard let cluster = facts.cluster else { return give(.failure(404, "This server is not part of a cluster.")) }
        cluster.nodes { nodes in
            guard let nodes else { return give(.failure(503, "The database does not answer.")) }
            give(Reply(body: ConsoleJSON.nodes(nodes, cluster.reading)))
        }
    }

    // MARK: Deeds

    /// A text that a deed needs; nil when it is missing. Then the deed is refused.
    func needed(_ field: String, of question: ConsoleQuestion, _ give: Give) -> String? {
        let text = question.text(field)
        if text == nil { give(.failure(400, "\(field) must be a string that is not empty.")) }
        return text
    }

    private func closeRoom(_ question: ConsoleQuestion, _ give: @escaping Give) {
        guard let id = needed("id", of: question, give) else { return }
        RoomCommands(mailboxes, facts.relay).close(id, reason: "closed by an operator") { outcome in
            switch outcome {
            case .done: give(Reply(body: ConsoleJSON.count(1)))
            case .notInUse: give(.failure(404, "This room is empty."))
            case .refused(let error): give(.failure(409, error.message))
            case .unavailable: give(.failure(503, "The room's loop does not answer."))
            }
        }
    }

    private func disconnect(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp? {
        guard let person = needed("person", of: question, give) else { return nil }
        return order(.disconnect(ConnectionsOf(person)), give)
    }

    private func drain(_ give: Give) {
        give(Reply(status: 202, body: ConsoleJSON.count(1)))
        facts.drain()
    }
}

extension OperatorDesk.Reply {
    /// The reason of a failure.
    fileprivate var text: String { (try? JSONReader(body))?["error"]?.string ?? "\(status)" }

    static func failure(_ status: Int, _ reason: String) -> Self {
        OperatorDesk.Reply(status: status, body: ConsoleJSON.error(reason))
    }
}
