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
        guard let wsi, !isBroken else { return }
        // The descriptor that libwebsockets owns is closed by it; the socket lives on in its copy.
        let original = fd
        let copy = fcntl(fd, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            shard.server.notice(.moveFailed, String(cString: strerror(errno)), now: shard.now)
            handler?.moveRefused()
            return
        }
        let from = shard
        let slot = slot
        from.cancel(timer)
        self.wsi = nil
        fd = copy
        if from.mailboxes[index].post(MovingConnection(connection: self)) {
            // It belongs to the other thread now: only what stays behind may be touched.
            from.release(wsi)
            from.remove(slot: slot)
            from.server.counters.connectionsMoved.add()
            return
        }
        Glibc.close(copy)
        fd = original
        self.wsi = wsi
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
