import Rooms
import Store
import Transport

/// What rooms have logged, on its way into the store.
extension Relay {
    /// The store can store again: what it has refused is given to it once more. Called from any thread.
    public static func storeIsGood(_ mailboxes: [ShardMailbox]) {
        for mailbox in mailboxes {
            mailbox.post { $0.local(Relay.self)?.storeAll() }
        }
    }

    private func storeAll() {}
}
