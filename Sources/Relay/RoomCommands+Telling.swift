extension RoomCommands {
    /// Tells the connections of a user an event, on all nodes of a cluster. A shard or a node that takes no more messages
    /// leaves it out.
    package func tell(_ event: PersonalEvent) {
        tellHere(event)
        guard let link = cluster?.link else { return }
        for node in link.others { link.tell(event, to: node) }
    }

    /// The same on this node alone.
    package func tellHere(_ event: PersonalEvent) {
        for mailbox in mailboxes { _ = mailbox.post(.edge(.personal(event))) }
    }
}
