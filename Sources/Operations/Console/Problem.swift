/// What is wrong with a server, in words, and what its operator can do.
struct Problem: Sendable, Equatable {
    /// Whether clients lose something now. The others only warn.
    let isGrave: Bool
    let text: String
    let advice: String
}

/// The numbers by which problems are found.
struct ProblemFacts: Sendable {
    var isDraining = false
    /// Nil on a server without a store.
    var isStoreGood: Bool?
    var areBansRead = true
    /// Loops that did not answer in time, by their index.
    var hangingLoops: [Int] = []
    /// Of the busiest loop, in the last minute.
    var load = 0.0
    var connections = 0
    var connectionsMax = 0
    var descriptors = 0
    var descriptorsMax = 0
    /// In the last minute: members a second that were further behind than the log reaches back.
    var lostMembers = 0.0
    /// In the last minute: sessions a second that ended because their client reads too slowly.
    var slowReaders = 0.0
    /// In the last minute: events a second that a limit of rates has refused.
    var refusedByRate = 0.0
    /// In the last minute: events a second that failed because of the server.
    var serverErrors = 0.0
    /// In the last minute: the longest time that 99 of 100 acks waited for the store.
    var appendSeconds = 0.0
    var backlogBytes = 0
    /// Nil on a server that is not part of a cluster.
    var isCarried: Bool?
    var nodesNotReached: [Int] = []
    /// Nodes that speak no version of the link that this one speaks.
    var strangers: [Int] = []
    /// In the last ten minutes.
    var refusedTokens = 0
    var leaseMilliseconds: Int64 = 0
    /// Whether the node reaches neither the database nor Redis.
    var isCutOff = false
}

extension ProblemFacts {
    private static let share = 0.9
    private static let loadMax = 0.9
    private static let appendSecondsMax = 1.0
    private static let backlogBytesMax = 8 << 20
    private static let refusedTokensMax = 3
    private static let leaseMillisecondsMax: Int64 = 2_000

    /// The grave ones first.
    var problems: [Problem] {
        let all = ofStore + ofLoops + ofBounds + ofClients + ofCluster + ofTokens + ofEnd
        return all.filter(\.isGrave) + all.filter { !$0.isGrave }
    }

    private var ofStore: [Problem] {
        var found: [Problem] = []
        if !areBansRead {
            found.append(
                Problem(
                    isGrave: true, text: "The bans cannot be read. Nobody is let in.",
                    advice: "Look for “the bans cannot be read” in the log. The server tries again each second, and "
                        + "takes clients as soon as it knows whom you have banned."))
        }
        if isStoreGood == false {
            found.append(
                Problem(
                    isGrave: true, text: "The store fails. Changes are refused; touches go on.",
                    advice: "Look for “the store fails” in the log. Often the disk is full, or the database cannot be "
                        + "reached. The server goes on by itself as soon as the store works again."))
        }
        if appendSeconds >= Self.appendSecondsMax {
            found.append(
                Problem(
                    isGrave: false, text: "Changes wait up to \(Self.shown(appendSeconds)) s for the store.",
                    advice: "Look at the load of the disk or of the database, and whether a backup runs."))
        }
        if backlogBytes >= Self.backlogBytesMax {
            found.append(
                Problem(
                    isGrave: true, text: "\(backlogBytes >> 20) MB of changes are not stored yet.",
                    advice:
                        "Members see these changes already. They are lost if the server is killed now. Find out why "
                        + "the store is slow before you stop the server."))
        }
        return found
    }

    private var ofLoops: [Problem] {
        var found: [Problem] = []
        if !hangingLoops.isEmpty {
            let loops = hangingLoops.map(String.init).joined(separator: ", ")
            let (name, verb) = hangingLoops.count > 1 ? ("Loops", "do") : ("Loop", "does")
            found.append(
                Problem(
                    isGrave: true, text: "\(name) \(loops) \(verb) not answer. Its clients get nothing.",
                    advice:
                        "Look whether the machine swaps or its processors are taken. If it lasts for a minute, keep "
                        + "a stack trace of the process (gdb -p), and start the server again."))
        }
        if load >= Self.loadMax {
            found.append(
                Problem(
                    isGrave: true, text: "A loop is busy \(Int(load * 100)) % of the time. Its rooms become slow.",
                    advice:
                        "Sort the rooms by load and look at the first ones. More loops (threads) help many rooms, not "
                        + "a single large one. A limit of rates (touches-per-second-max) helps against clients that "
                        + "send too much."))
        }
        return found
    }

    private var ofBounds: [Problem] {
        var found: [Problem] = []
        if connectionsMax > 0, Double(connections) >= Self.share * Double(connectionsMax) {
            found.append(
                Problem(
                    isGrave: connections >= connectionsMax,
                    text: "\(connections) of \(connectionsMax) connections are open. Then new clients are refused.",
                    advice: "Search for an address with very many connections. If they are users, raise "
                        + "connections-max, or add a node."))
        }
        if descriptorsMax > 0, Double(descriptors) >= Self.share * Double(descriptorsMax) {
            found.append(
                Problem(
                    isGrave: true,
                    text: "\(descriptors) of \(descriptorsMax) files are open. Then clients are refused.",
                    advice:
                        "Raise the limit of open files (LimitNOFILE of systemd, ulimit -n) and start the server again."
                ))
        }
        return found
    }

    private var ofClients: [Problem] {
        var found: [Problem] = []
        if lostMembers + slowReaders > 0.05 {
            found.append(
                Problem(
                    isGrave: false, text: "Clients read too slowly, and are disconnected.",
                    advice:
                        "Open the busiest rooms: the members that are furthest behind come first. If all of them are "
                        + "slow, the network of the server is full."))
        }
        if refusedByRate >= 1 {
            found.append(
                Problem(
                    isGrave: false, text: "Limits of rates refuse \(Self.shown(refusedByRate)) events a second.",
                    advice:
                        "Search for the users in the busiest rooms. One user is a fault or an attack: disconnect or "
                        + "ban that user. If it is everybody, a limit is too low for your application."))
        }
        if serverErrors >= 0.1 {
            found.append(
                Problem(
                    isGrave: true, text: "\(Self.shown(serverErrors)) events a second fail with SERVER_ERROR.",
                    advice: "Read the log. Most often the store or the database is overloaded."))
        }
        return found
    }

    private var ofCluster: [Problem] {
        guard !isCutOff else {
            return [
                Problem(
                    isGrave: true,
                    text: "This node reaches neither PostgreSQL nor Redis. It has sent its clients to other nodes.",
                    advice:
                        "Repair the network of this machine. The node takes clients again as soon as it reaches one of "
                        + "both.")
            ]
        }
        var found: [Problem] = []
        if isCarried == false {
            found.append(
                Problem(
                    isGrave: true, text: "Redis cannot be reached. Members on different nodes do not see each other.",
                    advice: "Start Redis again, or repair the way to it. Nothing is lost meanwhile, and nobody is "
                        + "disconnected."))
        } else if !nodesNotReached.isEmpty {
            let nodes = nodesNotReached.map(String.init).joined(separator: ", ")
            found.append(
                Problem(
                    isGrave: true,
                    text: "This node does not reach \(nodesNotReached.count > 1 ? "nodes" : "node") \(nodes).",
                    advice: "Look there whether the node reaches Redis. `rooms cluster check` tries the whole way."))
        }
        if !strangers.isEmpty {
            let nodes = strangers.map(String.init).joined(separator: ", ")
            found.append(
                Problem(
                    isGrave: true,
                    text:
                        "The version of \(strangers.count > 1 ? "nodes" : "node") \(nodes) does not fit that of this one: "
                        + "they do not reach each other.",
                    advice: "Bring all nodes to the same version, one release at a time."))
        }
        if leaseMilliseconds >= Self.leaseMillisecondsMax {
            found.append(
                Problem(
                    isGrave: true,
                    text: "The lease of this node was renewed \(Self.shown(Double(leaseMilliseconds) / 1_000)) s ago.",
                    advice:
                        "PostgreSQL does not answer in time. When the lease ends, other nodes that reach it take the rooms "
                        + "of this node."))
        }
        return found
    }

    private var ofTokens: [Problem] {
        guard refusedTokens >= Self.refusedTokensMax else { return [] }
        return [
            Problem(
                isGrave: false, text: "\(refusedTokens) operators' tokens were refused in the last ten minutes.",
                advice: "The log of actions has the addresses. If they are not yours, let a proxy block /console from "
                    + "outside, or ban the address.")
        ]
    }

    private var ofEnd: [Problem] {
        guard isDraining, !isCutOff else { return [] }
        return [
            Problem(
                isGrave: false, text: "This server ends. It takes no new clients.",
                advice: "Clients come back to the other servers, or to this one when it has started again.")
        ]
    }

    private static func shown(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

extension ProblemFacts {
    init(_ server: ServerReading, _ history: ServerHistory, refusedTokens: Int) {
        self.refusedTokens = refusedTokens
        isDraining = server.isDraining
        isStoreGood = server.store?.isGood
        areBansRead = server.areBansRead
        hangingLoops = server.shards.indices.filter { server.shards[$0] == nil }
        load = history.mean("load")
        connections = server.transport.connectionsOpen.value
        connectionsMax = server.connectionsMax
        descriptors = server.process.openDescriptors
        descriptorsMax = server.process.descriptorsMax
        lostMembers = history.mean("lostMembers")
        slowReaders = history.mean("end slow reader")
        refusedByRate = history.mean("error RATE_LIMITED")
        serverErrors = history.mean("error SERVER_ERROR")
        appendSeconds = history.most("append")
        backlogBytes = server.sum { $0.relay?.totals.backlogBytes ?? 0 }
        guard let cluster = server.cluster else { return }
        isCarried = cluster.link.isCarried
        nodesNotReached = cluster.link.peers.filter { !$0.isConnected && $0.version != nil }.map(\.node)
        strangers = cluster.link.peers.filter { $0.version == nil }.map(\.node)
        leaseMilliseconds = cluster.leaseMilliseconds
        isCutOff = cluster.isCutOff
    }
}
