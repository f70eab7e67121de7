import Sessions
import Transport

/// Gives what comes from other nodes to the shards of this one that it is for. It may be called from any thread, with all
/// that is about one node in its order.
package struct LinkArrivals: Sendable {
    private let mailboxes: [any RelayMailbox]
    private let hub: RelayHub

    package init(_ mailboxes: [any RelayMailbox], _ hub: RelayHub) {
        self.mailboxes = mailboxes
        self.hub = hub
    }

    package func established(_ node: Int, life: UInt64) { tellAll(.established(node, life: life)) }

    package func lost(_ node: Int) { tellAll(.lost(node)) }

    private func tellAll(_ message: PeerMessage) {
        for mailbox in mailboxes { mailbox.insist(.peer(message)) }
    }

    /// Answers false when the message cannot be taken now. It is offered again.
    package func take(_ message: RelayMessage, from node: Int) -> Bool {
        switch message {
        case .home(let room, _), .outpost(let room, _, _): return mailbox(of: room).post(message)
        case .touches(let parcels):
            let byShard = Dictionary(grouping: parcels) { $0.roomID.homeShard(of: mailboxes.count) }
            // Positions that come twice change nothing.
            return byShard.allSatisfy { mailboxes[$0.key].post(.touches($0.value)) }
        case .answer(let question, _):
            guard let shard = hub.shard(ofQuestion: question) else { return true }
            return mailboxes[shard].post(message)
        case .returns(let returning): return mailboxes[returning.pid.shard % mailboxes.count].post(message)
        case .far(let shard, _): return mailboxes.indices.contains(shard) ? mailboxes[shard].post(message) : true
        case .order(let order, let question):
            RoomCommands(mailboxes, hub).obey(order, askedBy: question)
            return true
        case .consult(let bytes, let question):
            RoomCommands(mailboxes, hub).answer(bytes, askedBy: question)
            return true
        case .condemned(let keys, let question):
            RoomCommands(mailboxes, hub).condemn(Set(keys), of: node, askedBy: question)
            return true
        case .personal(let event):
            RoomCommands(mailboxes, hub).tellHere(event)
            return true
        case .homes, .client, .edge, .peer, .own: return true
        }
    }

    private func mailbox(of room: RoomID) -> any RelayMailbox { mailboxes[room.homeShard(of: mailboxes.count)] }
}
