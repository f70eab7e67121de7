import Transport

/// The sessions without an accepted CONNECT. A client needs no token to have one, so nobody may keep others out with them:
/// an address and a network have shares, and when all are taken, a client of a network with few takes the place of the
/// oldest session of the network that has the most. Each step takes the same time, however many there are.
struct PendingSessions {
    enum Beginning: Equatable {
        /// The session has a place. The one that had it has to end; nil when the place was free.
        case taken(from: SessionID?)
        case refused(SessionCensus.Refusal)
    }

    /// A session, in the line of those of its network.
    private struct Member {
        /// Nil for a client that is not counted by its address. It stands in no line, and so nobody takes its place.
        let address: IPAddress?
        var before: SessionID?
        var after: SessionID?
    }

    /// The sessions of a network, in the order in which they began.
    private struct Line {
        var first: SessionID?
        var last: SessionID?
        var count = 0
        /// Where the network is in its rank.
        var place = 0
    }

    /// 0: no bound, and nothing is counted.
    private let most: Int
    private let ofAddressMax: Int
    private let ofNetworkMax: Int
    private var members: [SessionID: Member] = [:]
    private var ofAddress: [IPAddress: Int] = [:]
    private var lines: [AddressBlock: Line] = [:]
    /// The networks by how many sessions they have. The last rank is not empty.
    private var ranks: [[AddressBlock]] = []

    init(most: Int) {
        self.most = most
        ofAddressMax = (most + 3) / 4
        ofNetworkMax = (most + 1) / 2
    }

    var count: Int { members.count }

    /// - Parameter address: nil for a client that is not counted by its address.
    mutating func begin(_ id: SessionID, _ address: IPAddress?) -> Beginning {
        guard most > 0 else { return .taken(from: nil) }
        let network = address?.network()
        let ofNetwork = network.flatMap { lines[$0]?.count } ?? 0
        var displaced: SessionID?
        if members.count >= most {
            guard network != nil, let oldest = oldest(ofMoreThan: ofNetwork) else { return .refused(.pendingFull) }
            displaced = oldest
        }
        guard address.flatMap({ ofAddress[$0] }) ?? 0 < ofAddressMax, ofNetwork < ofNetworkMax else {
            return .refused(.addressFull)
        }
        if let displaced { end(displaced) }
        var member = Member(address: address)
        if let address, let network {
            ofAddress[address, default: 0] += 1
            member.before = lines[network]?.last
            append(id, to: network)
        }
        members[id] = member
        return .taken(from: displaced)
    }

    /// The session has come in, has ended, or has lost its place. It may be told more than once.
    mutating func end(_ id: SessionID) {
        guard let member = members.removeValue(forKey: id), let address = member.address else { return }
        let count = ofAddress[address] ?? 0
        ofAddress[address] = count > 1 ? count - 1 : nil
        let network = address.network()
        // Its neighbours in the line, or the line itself, go on without it.
        switch member.before {
        case let before?: members[before]?.after = member.after
        case nil: lines[network]?.first = member.after
        }
        switch member.after {
        case let after?: members[after]?.before = member.before
        case nil: lines[network]?.last = member.before
        }
        rank(network, change: -1)
    }

    private mutating func append(_ id: SessionID, to network: AddressBlock) {
        if let last = lines[network]?.last { members[last]?.after = id }
        lines[network, default: Line(first: id)].last = id
        rank(network, change: 1)
    }

    /// The oldest session of the network that has the most, if these are more than so many. One of several such networks
    /// is chosen at random, so that nobody can choose whose turn it is.
    private func oldest(ofMoreThan count: Int) -> SessionID? {
        guard ranks.count - 1 > count, let network = ranks.last?.randomElement() else { return nil }
        return lines[network]?.first
    }

    /// Moves a network to the rank of as many sessions as it has now.
    private mutating func rank(_ network: AddressBlock, change: Int) {
        guard var line = lines[network] else { return }
        if line.count > 0, let last = ranks[line.count].popLast(), last != network {
            ranks[line.count][line.place] = last
            lines[last]?.place = line.place
        }
        line.count += change
        while ranks.count <= line.count { ranks.append([]) }
        line.place = ranks[line.count].count
        if line.count > 0 { ranks[line.count].append(network) }
        lines[network] = line.count > 0 ? line : nil
        while ranks.last?.isEmpty == true { ranks.removeLast() }
    }
}
