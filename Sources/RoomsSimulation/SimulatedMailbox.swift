import Relay

/// A mailbox of a simulated shard. The simulation has one thread, so there is no lock.
final class SimulatedMailbox: RelayMailbox, @unchecked Sendable {
    private let index: Int
    private unowned let node: SimulatedNode
    private(set) var items: [RelayMessage] = []
    var isOpen = true

    struct Place: Hashable {
        let node: Int
        let shard: Int
    }

    init(_ index: Int, _ node: SimulatedNode) {
        self.index = index
        self.node = node
    }

    private var world: Simulation { node.world }

    var isEmpty: Bool { items.isEmpty }

    func post(_ message: RelayMessage) -> Bool {
        guard isOpen else { return false }
        guard items.count < world.mailboxItemsMax else {
            world.reach(.mailboxFull)
            return false
        }
        add(message)
        return true
    }

    @discardableResult
    func insist(_ message: RelayMessage) -> Bool {
        guard isOpen else { return false }
        add(message)
        return true
    }

    /// Puts a message among those that wait, as it is.
    func put(_ message: RelayMessage) { items.append(message) }

    private func add(_ message: RelayMessage) {
        items +=
            world.fault == nil
            ? [message] : world.spoilt(message, to: SimulatedMailbox.Place(node: node.number, shard: index))
    }

    func takeFirst() -> RelayMessage? { items.isEmpty ? nil : items.removeFirst() }
}

extension RelayMessage {
    /// Whether a home loses the way to members with it that enter again over the same connections.
    var losesMembers: Bool {
        switch self {
        case .peer(.lost), .home(_, .leave(_, .entersAgain)): true
        case .own(let message): message.losesMembers
        default: false
        }
    }
}
