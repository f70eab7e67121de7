import Glibc

extension Connection {
    /// Takes the connection, with all that belongs to it, to another shard at the end of this turn, when nothing up the
    /// stack works with it any more. The handler is told there that it has moved, or here that it could not.
    func moveAtTurnEnd(to index: Int) {
        precondition(shard.mailboxes.indices.contains(index), "there is no shard \(index)")
        guard state == .open else { return }
        destination = index
        wantFlush()
    }

    func move(to index: Int) {
        guard !isBroken else { return }
        let from = shard
        let slot = slot
        from.cancel(timer)
        unwatch()
        if isRewatching { from.rewatchNoMore(self) }
        isRewatching = false
        if from.mailboxes[index].post(MovingConnection(connection: self)) {
            // It belongs to the other thread now: only what stays behind may be touched.
            from.remove(slot: slot)
            from.server.counters.connectionsMoved.add()
            return
        }
        watch()
        from.server.notice(.moveFailed, "shard \(index) takes nothing more", now: from.now)
        handler?.moveRefused()
    }

    fileprivate func arrive(on shard: Shard) {
        owner = shard
        flushQueued = false
        readingPaused = false
        tls?.arrive(on: shard)
        attach()
        guard state == .open else { return }
        if !tail.isEmpty { wantWritable() }
        handler?.moved()
    }
}

/// Carries a connection from one thread to another, which is its owner from the moment of the hand-over.
private struct MovingConnection: ShardItem, @unchecked Sendable {
    let connection: Connection

    func arrive(on shard: Shard) {
        connection.arrive(on: shard)
    }
}
