import Wire

/// Answers to what the client has sent.
extension ModelClient {
    func readAnswer(_ text: [UInt8], _ world: Simulation) -> String? {
        guard let bracket = text.firstIndex(of: UInt8(ascii: "[")),
            let id = UInt64(String(decoding: text[1..<bracket], as: UTF8.self)),
            let answer = (try? JSONReader(Array(text[bracket...])))?.items?.first
        else { return "an answer that cannot be read" }
        guard let question = questions.removeValue(forKey: id) else { return "an answer to no question" }
        let error = answer["error"]?["code"]?.string
        guard (error == nil) == (answer["ok"]?.bool == true) else { return "an answer that says neither" }
        if let problem = world.judge(error, of: question, self) { return problem }
        let turn = turns.removeValue(forKey: id)
        if error == "FORBIDDEN", !question.isJoin { views[question.room]?.endSight() }
        if let turn, error == "FORBIDDEN", !question.isJoin { views[question.room]?.forbiddenIn = turn }
        switch question {
        case .join(let room): joinAnswered(room, error)
        case .leave(let room):
            guard views[room]?.phase == .leaving else { break }
            views[room]?.endSight()
            // What could not be stored may be forgotten.
            views[room]?.phase = error == nil ? .outside : .unknown
            views[room]?.hasLeft = error == nil
        case .move(let room, let number, let watchers):
            guard error == nil else { break }
            accepted[room] = number
            // A position of an earlier stay in the room went with that.
            if let turn, turn == views[room]?.turn { world.owe(self, room, number, watchers) }
        case .end(let room): if error == nil { accepted[room] = nil }
        case .look(let room):
            // The view of an earlier stay in the room goes with that.
            let isLeaving = questions.values.contains { if case .leave(room) = $0 { true } else { false } }
            if error == nil, views[room]?.phase != .joining || !isLeaving { return looked(answer, room) }
        case .create(let room, let clientID):
            guard error == nil else { break }
            return world.created(answer["element"], room, clientID, by: self)
        case .merge(let room, let word):
            if error == nil { return world.merged(answer["element"], room, word) }
        case .edit(let room, let id, let sent): return editAnswered(sent, id, room, answer, error, world)
        case .caret: break
        case .update(let room, let version, let known):
            guard error == nil else { break }
            return world.updated(answer["element"], room, version, known)
        case .delete(let room, let id): if error == nil { world.deleted(id, answer["version"]?.int ?? 0, room) }
        }
        return nil
    }

    private func joinAnswered(_ room: Int, _ error: String?) {
        if error != nil, views[room]?.phase == .inside, views[room]?.mayHaveLeft == true {
            views[room]?.phase = .unknown
            views[room]?.endSight()
        }
        guard views[room]?.phase == .joining else { return }
        // A server that was asked too much may have brought the client back there before.
        let isUncertain = error == "SERVER_ERROR" || error == "RATE_LIMITED"
        views[room]?.phase = isUncertain ? .unknown : .outside
    }
}
