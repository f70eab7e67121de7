import Rooms
import Store
import Threads
import Wire

/// Connections: all of a user, or those that a session of the user's account has let in.
package struct ConnectionsOf: Sendable, Equatable {
    package let person: String
    package let session: String?

    package init(_ person: String, session: String? = nil) {
        self.person = person
        self.session = session
    }

    func contains(_ admission: Admission) -> Bool { contains(admission.person.id, session: admission.session) }

    package func contains(_ person: String, session: String?) -> Bool {
        guard self.person.isExactly(person) else { return false }
        guard let wanted = self.session else { return true }
        return session?.isExactly(wanted) == true
    }
}

/// Orders of operators to all nodes.
extension RoomCommands {
    /// How many connections it was about, and the nodes that have not answered, or not for all of their shards.
    package typealias Obeyed = @Sendable (_ count: Int, _ silent: [Int]) -> Void

    /// On all nodes of a cluster.
    ///
    /// - Returns: the questions that may stay open.
    @discardableResult
    package func order(_ order: NodeOrder, _ done: @escaping Obeyed) -> OpenQuestions {
        let link = cluster?.link
        let others = link?.others ?? []
        let elsewhere: [Sending] = others.map { node in
            { link?.send(.order(order, question: $0), to: node) ?? false }
        }
        let nodes = mailboxes.map { _ in cluster?.node.id ?? 0 } + others
        return askAll(edges(order) + elsewhere) { answers in
            let silent = zip(nodes, answers).filter { $0.1.count == nil }.map(\.0)
            done(answers.reduce(0) { $0 + ($1.count ?? 0) }, Set(silent).sorted())
        }
    }

    /// Ends the connections of a user for good: their clients do not reconnect by themselves.
    @discardableResult
    package func disconnect(_ whose: ConnectionsOf, _ done: @escaping Obeyed) -> OpenQuestions {
        order(.disconnect(whose), done)
    }

    /// Waits until the connections have ended, but for a node that does not answer not long.
    package func disconnect(_ whose: ConnectionsOf) async {
        await withCheckedContinuation { continuation in
            let open = disconnect(whose) { _, _ in continuation.resume() }
            Task.detached {
                try? await Task.sleep(for: .seconds(2))
                open.giveUp()
            }
        }
    }

    /// The same on this node, because another one has asked.
    package func obey(_ order: NodeOrder, askedBy question: UInt64) {
        askAll(edges(order)) { [cluster] answers in
            let counts = answers.compactMap(\.count)
            let answer: Questions.Answer =
                counts.count == answers.count ? .count(counts.reduce(0, +)) : .unavailable
            _ = cluster?.link.send(.answer(question, answer), to: Questions.node(of: question))
        }
    }

    /// How often a ban was made or lifted here.
    package var banChangeCount: Int { bans.changeCount }

    /// Takes the bans that the store has. Those that this node did not know end the connections that they are about.
    ///
    /// - Parameter changeCount: `banChangeCount` before the store was asked.
    package func takeBans(_ stored: [Ban], changeCount: Int) {
        for ban in bans.replace(by: stored, changeCount: changeCount) { askAll(sendings(.ban(ban))) { _ in } }
    }

    private func edges(_ order: NodeOrder) -> [Sending] {
        switch order {
        // Known before the connections end: who comes back at once is refused.
        case .ban(let ban): bans.put(ban)
        case .lift(let subject): bans.lift(subject)
        case .disconnect, .tell: break
        }
        return sendings(order)
    }

    private func sendings(_ order: NodeOrder) -> [Sending] {
        mailboxes.map { mailbox in { mailbox.insist(.edge(.order(order, question: $0))) } }
    }
}

/// What operators ask of another node. The relay passes it on and does not read it.
extension RoomCommands {
    /// - Parameter done: gets nil when the node does not answer.
    package func consult(
        _ node: Int, _ bytes: [UInt8], _ done: @escaping @Sendable ([UInt8]?) -> Void
    ) -> OpenQuestions {
        let link = cluster?.link
        return askAll([{ link?.send(.consult(bytes, question: $0), to: node) ?? false }]) { answers in
            if case .told(let told)? = answers.first { done(told) } else { done(nil) }
        }
    }

    /// Answers another node.
    func answer(_ bytes: [UInt8], askedBy question: UInt64) {
        let link = cluster?.link
        let node = Questions.node(of: question)
        guard let consultant = consultant.withLock({ $0 }) else {
            _ = link?.send(.answer(question, .unavailable), to: node)
            return
        }
        consultant(bytes) { _ = link?.send(.answer(question, .told($0)), to: node) }
    }
}

extension RoomCommands {
    /// Sends a question with its number; false when it is not sent.
    typealias Sending = (UInt64) -> Bool

    /// Sends several questions. Calls back when all are answered, with `unavailable` from whoever could not be asked.
    @discardableResult
    func askAll(_ parts: [Sending], _ done: @escaping @Sendable ([Questions.Answer]) -> Void) -> OpenQuestions {
        let gathered = Locked<(answers: [Questions.Answer], missing: Int)>(
            (Array(repeating: .unavailable, count: parts.count), parts.count))
        let numbers = parts.indices.map { index in
            questions.begin(to: index % mailboxes.count) { answer in
                let all = gathered.withLock { state -> [Questions.Answer]? in
                    state.answers[index] = answer
                    state.missing -= 1
                    return state.missing == 0 ? state.answers : nil
                }
                if let all { done(all) }
            }
        }
        for (number, send) in zip(numbers, parts) where !send(number) { questions.answer(number, .unavailable) }
        return OpenQuestions(questions: questions, numbers: numbers)
    }
}

/// Questions whose answers are needed together.
package struct OpenQuestions: Sendable {
    let questions: Questions
    let numbers: [UInt64]

    /// What is not answered by now is unavailable.
    package func giveUp() {
        for number in numbers { questions.answer(number, .unavailable) }
    }
}

extension Questions.Answer {
    fileprivate var count: Int? { if case .count(let count) = self { count } else { nil } }
}
