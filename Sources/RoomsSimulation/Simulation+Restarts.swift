import Relay
import Rooms
import Sessions

/// What clients cannot know after the end of a server.
extension Simulation {
    /// What a client was not told before its server was killed, it is not told any more: that it was put out of a room.
    func forgetUntold(_ client: ModelClient) {
        guard client.isConnected, let sid = client.sid else { return }
        let audits = running.flatMap(\.server.relays).map(\.audit)
        let members = audits.flatMap(\.memberships).filter { $0.sid.description == sid }
        for (room, view) in client.views where view.phase == .inside {
            let isMember = members.contains { member in
                member.room == "r\(room)" && (!isCluster || isAtHome(member, audits))
            }
            if !isMember { client.views[room]?.phase = .unknown }
        }
    }

    /// Whether the room's home knows a member, too.
    private func isAtHome(_ member: RelayAudit.Membership, _ audits: [RelayAudit]) -> Bool {
        audits.contains { audit in
            audit.homes.contains { $0.room == member.room && $0.connections.contains(member.connection) }
        }
    }

    /// A seat that was not stored is lost with the server. Then the client need not be in the room when it comes back.
    private func forgetSeats(_ clients: [ModelClient]) {
        guard let database else { return }
        for client in clients {
            for (room, view) in client.views
            where view.phase == .inside && !database.hasSeat(client.pid, in: "r\(room)") {
                client.views[room]?.phase = .unknown
            }
        }
    }

    /// A client comes back while the node that knows it is frozen or has ended. The store knows neither the seats that this node
    /// has not stored, nor that the client was put out and has not read it.
    func remember(_ pid: String) {
        if isCluster { forgetSeats(clients.filter { $0.pid == pid }) }
    }

    /// The server is killed, and another starts. What the store had been told and has not done is lost in part.
    func restart() {
        note("the server is killed")
        reach(.restarted)
        hasRestarted = true
        for client in clients {
            if random.percent(50) { read(client) }
            forgetUntold(client)
            client.lostConnection()
        }
        nodes[0].kill()
        directory.forgetQuestions()
        forgetSeats(clients)
        if database == nil {
            acked = [:]
            conditions = [:]
            creations = [:]
            words = [:]
        }
        for person in 0..<clients.count { for room in truths.keys { departures.insert("\(person)/\(room)") } }
        nodes[0].start()
    }

    /// A node of a cluster is killed.
    func kill(_ node: SimulatedNode) {
        note("node \(node.number) is killed")
        reach(.restarted)
        disturb()
        let lost = clients.filter { $0.connection?.loop.node === node }
        for client in lost {
            if random.percent(50) { read(client) }
            forgetUntold(client)
            losses[client.person, default: []].append(now.monotonic)
            forgive(client)
            client.lostConnection()
        }
        node.kill()
        forgetSeats(lost)
        hasRestarted = true
    }

    /// From now on homes may lose connections that are there.
    func disturb() { isDisturbed = true }

    func pipeLost() {
        reach(.pipeLost)
        disturb()
    }

    func forgetHeldBack(of node: Int) {
        for place in heldBack.keys where place.node == node { heldBack[place] = nil }
    }
}
