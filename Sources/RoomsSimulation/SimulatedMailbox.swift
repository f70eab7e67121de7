import Relay

/// A mailbox of a simulated shard. The simulation has one thread, so there is no lock.
final class SimulatedMailbox: RelayMailbox, @unchecked Sendable {
    private let index: Int
    private unowned let world: Simulation
    private(set) var items: [RelayMessage] = []
    var isOpen = true

    init(_ index: Int, _ world: Simulation) {
        self.index = index
        self.world = world
    }

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
        items += world.fault == nil ? [message] : world.spoilt(message, to: index)
    }

    func takeFirst() -> RelayMessage? { items.isEmpty ? nil : items.removeFirst() }
}
