import Rooms
import Sessions
import Store

/// What operators order, for the clients of a shard.
extension Edge {
    /// Answers how many connections it was about.
    func obey(_ order: NodeOrder) -> Int {
        switch order {
        case .disconnect(let whose): return disconnect(whose)
        case .ban(let ban): return end(ban.subject)
        case .lift: return 0
        case .tell(let argument):
            // The event ends a client that has too much to read already, so the clients are copied.
            let all = Array(clients.values)
            for client in all { client.socket.emit("server:message", argument) }
            return all.count
        }
    }

    private func disconnect(_ whose: ConnectionsOf) -> Int {
        if let session = whose.session { admissions.end(session) }
        let found = clients(of: whose.person).filter { whose.contains($0.admission) }
        for client in found { client.socket.disconnect(closingSession: true) }
        return found.count + (otherConnections?.end(whose) ?? 0)
    }

    private func end(_ subject: BanSubject) -> Int {
        switch subject.kind {
        case .person: return disconnect(ConnectionsOf(subject.id))
        case .address:
            let found = clients.values.filter { subject.isAbout($0.session.peer) }
            for client in found { client.socket.disconnect(closingSession: true) }
            return found.count + (otherConnections?.end(ofPeers: subject.isAbout) ?? 0)
        }
    }
}
