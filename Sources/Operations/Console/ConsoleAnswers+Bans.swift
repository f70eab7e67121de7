import Relay
import Store
import Threads
import Transport

/// Bans, and messages to everybody.
extension ConsoleAnswers {
    private static let minutesMax = 366 * 24 * 60
    private static let idBytesMax = 512
    private static let reasonBytesMax = 500
    private static let messageBytesMax = 1_000

    private var commands: RoomCommands { RoomCommands(mailboxes, facts.relay) }

    // MARK: Bans

    func giveBans(_ give: Give) {
        // Each node has a copy, which a store that fails later does not concern.
        guard facts.relay.bans.isRead else { return give(.failure(503, "The bans have not been read yet.")) }
        give(Reply(body: ConsoleJSON.bans(facts.relay.bans.all(at: Clock.unixSeconds()))))
    }

    func ban(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp? {
        guard let subject = subject(of: question, give) else { return nil }
        let reason = question.text("reason") ?? ""
        guard let minutes = question.number("minutes"), (1...Self.minutesMax).contains(minutes) else {
            give(.failure(400, "minutes must be a whole number from 1 to \(Self.minutesMax)."))
            return nil
        }
        guard reason.utf8.count <= Self.reasonBytesMax else {
            give(.failure(400, "reason may have \(Self.reasonBytesMax) bytes."))
            return nil
        }
        let now = Clock.unixSeconds()
        let ban = Ban(subject, reason: reason, madeAt: now, endsAt: now + Int64(minutes) * 60)
        // The store comes first: what it has, every node gets to know.
        guard let store = facts.store else {
            guard facts.relay.bans.put(ban) else {
                give(.failure(409, "There are too many bans already; lift one first."))
                return nil
            }
            return order(.ban(ban), give)
        }
        store.keepBan(ban) { result in
            switch result {
            case .success: orderWithPatience(.ban(ban), give)
            case .failure(.conflict(let reason)): give(.failure(409, reason))
            case .failure: give(.storeFails)
            }
        }
        return nil
    }

    func lift(_ question: ConsoleQuestion, _ give: @escaping Give) {
        guard let subject = subject(of: question, give) else { return }
        guard let store = facts.store else {
            guard facts.relay.bans.lift(subject) else { return give(.failure(404, "There is no such ban.")) }
            return orderWithPatience(.lift(subject), give)
        }
        store.liftBan(subject) { result in
            guard let wasThere = try? result.get() else { return give(.storeFails) }
            guard wasThere else { return give(.failure(404, "There is no such ban.")) }
            orderWithPatience(.lift(subject), give)
        }
    }

    /// Whom a ban is about; nil for nobody, which is answered.
    private func subject(of question: ConsoleQuestion, _ give: Give) -> BanSubject? {
        switch (question.text("person"), question.text("address")) {
        case (let person?, nil) where person.utf8.count <= Self.idBytesMax: return BanSubject(.person, person)
        case (nil, let text?):
            guard let address = IPAddress(text) else {
                give(.failure(400, "address must be an IPv4 or IPv6 address."))
                return nil
            }
            guard !server.isTrustedProxy(PeerAddress(address)) else {
                give(.failure(400, "This is the address of a trusted proxy, through which all clients come."))
                return nil
            }
            return .address(address)
        default:
            give(.failure(400, "Either person or address must be a string that is not empty."))
            return nil
        }
    }

    // MARK: Messages

    func broadcast(_ question: ConsoleQuestion, _ give: @escaping Give) -> GiveUp? {
        guard let text = needed("text", of: question, give) else { return nil }
        guard text.utf8.count <= Self.messageBytesMax else {
            give(.failure(400, "text may have \(Self.messageBytesMax) bytes."))
            return nil
        }
        return order(.tell(ConsoleJSON.message(text, at: Clock.unixSeconds())), give)
    }

    // MARK: Orders

    func order(_ order: NodeOrder, _ give: @escaping Give) -> GiveUp {
        let asked = commands.order(order) { count, silent in
            give(Reply(body: ConsoleJSON.count(count, silent: silent)))
        }
        return { asked.giveUp() }
    }

    /// For an order that comes after an answer of the store, when nobody gives up in its place.
    private func orderWithPatience(_ order: NodeOrder, _ give: @escaping Give) {
        let giveUp = self.order(order, give)
        Task.detached {
            try? await Task.sleep(for: .milliseconds(1_200))
            giveUp()
        }
    }
}

extension OperatorDesk.Reply {
    static var storeFails: Self { .failure(503, "The store does not answer.") }
}
