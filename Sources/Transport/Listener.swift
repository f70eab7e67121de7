import CLibWebSockets
import Glibc

/// A listening socket on a shard's loop.
final class Listener {
    static let acceptsPerTurnMax = 64
    static let backlog: Int32 = 4_096

    private unowned let shard: Shard
    private let fd: Int32
    private let poll: UnsafeMutablePointer<uv_poll_t>
    /// A spare descriptor. It is closed for a moment when descriptors run out, so that a peer can be accepted and told.
    private var spare: Int32
    private let resume = LoopTimer()
    private var refused = RefusedPeers()
    private let refusedDue = LoopTimer()
    /// The index of its address among those of the server.
    private let number: Int
    /// A Unix socket has one listener for all shards, which deals out connections in turn.
    private let dealsOut: Bool
    private var nextShard = 0

    init(shard: Shard, loop: UnsafeMutablePointer<uv_loop_t>, _ socket: ListeningSocket) {
        self.shard = shard
        fd = socket.fd
        number = socket.listener
        dealsOut = socket.dealsOut
        spare = Self.openSpare()
        poll = .allocate(capacity: 1)
        poll.initialize(to: uv_poll_t())
        uv_poll_init(loop, poll, fd)
        poll.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        resume.fire = { [unowned self] in self.start() }
        refusedDue.fire = { [unowned self] in self.closeRefused() }
        start()
    }

    private static func openSpare() -> Int32 {
        open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    private func start() {
        if spare < 0 { spare = Self.openSpare() }
        uv_poll_start(poll, Int32(UV_READABLE.rawValue)) { handle, _, _ in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue().acceptSome()
        }
    }

    private func pause(milliseconds: Int) {
        uv_poll_stop(poll)
        shard.arm(resume, in: milliseconds)
    }

    func close() {
        shard.cancel(resume)
        shard.cancel(refusedDue)
        refused.closeAll()
        uv_poll_stop(poll)
        // The handle must outlive this object until the loop has released it.
        poll.pointee.data = nil
        poll.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { handle in
            uv_close(handle) { closed in UnsafeMutableRawPointer(closed)?.deallocate() }
        }
        Glibc.close(fd)
        if spare >= 0 { Glibc.close(spare) }
        spare = -1
    }

    // MARK: Accepting

    private func acceptSome() {
        shard.preconditionOnLoop()
        shard.enteredFromSocket()
        for _ in 0..<Self.acceptsPerTurnMax {
            if shard.tlsContext != nil, !hasHandshakeToken() { return }
            var storage = sockaddr_storage()
            var length = socklen_t()
            let accepted = rooms_accept(fd, &storage, &length)
            guard accepted >= 0 else {
                if !acceptFailed(errno) { return }
                continue
            }
            if length == 0 || storage.ss_family == sa_family_t(AF_UNIX) { storage.ss_family = sa_family_t(AF_UNIX) }
            if shard.tlsContext != nil { shard.handshakeTokens -= 1 }
            take(accepted, PeerAddress(storage))
        }
    }

    /// Returns whether the listener can go on.
    private func acceptFailed(_ error: Int32) -> Bool {
        switch error {
        case EAGAIN, EWOULDBLOCK: return false
        case EINTR, ECONNABORTED, EPROTO: return true
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            shard.server.notice(
                .descriptorsExhausted, "accept: \(String(cString: strerror(error))); raise the limit of open files",
                now: shard.now)
            if spare >= 0 {
                Glibc.close(spare)
                let extra = Glibc.accept(fd, nil, nil)
                if extra >= 0 {
                    shard.server.counters.connectionsRefused.add()
                    RefusedPeers.refuseAtOnce(extra, inPlain: shard.tlsContext == nil)
                }
                spare = Self.openSpare()
            }
            pause(milliseconds: 50)
            return false
        default:
            shard.server.notice(.acceptFailed, "accept: \(String(cString: strerror(error)))", now: shard.now)
            pause(milliseconds: 50)
            return false
        }
    }

    private func take(_ accepted: Int32, _ peer: PeerAddress) {
        let server = shard.server
        let open = server.counters.connectionsOpen.add()
        guard open <= server.limits.connectionsMax, server.admit(peer) else {
            let full = open > server.limits.connectionsMax
            server.counters.connectionsOpen.subtract()
            server.notice(
                full ? .connectionsExhausted : .addressExhausted,
                full ? "\(server.limits.connectionsMax) connections are open" : "from \(peer.text)", now: shard.now)
            return refuse(accepted)
        }
        server.counters.connectionsAccepted.add()
        var on: Int32 = 1
        if peer.host != .unix {
            setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            // Bytes that a stalled reader has not taken stay in the server, where newer positions can replace them.
            var lowat: Int32 = 16 << 10
            setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &lowat, socklen_t(MemoryLayout<Int32>.size))
        }
        if dealsOut, shard.mailboxes.count > 1 {
            nextShard = (nextShard + 1) % shard.mailboxes.count
            if nextShard != shard.index {
                if shard.mailboxes[nextShard].post(AcceptedSocket(fd: accepted, peer: peer, listener: number)) {
                    return
                }
            }
        }
        Connection.accept(fd: accepted, peer: peer, by: number, on: shard)
    }

    private func refuse(_ fd: Int32) {
        shard.server.counters.connectionsRefused.add()
        refused.refuse(fd, inPlain: shard.tlsContext == nil, now: shard.now)
        if !refusedDue.isArmed { shard.arm(refusedDue, in: RefusedPeers.heldMilliseconds) }
    }

    private func closeRefused() {
        refused.closeDue(now: shard.now)
        if !refused.isEmpty { shard.arm(refusedDue, in: RefusedPeers.heldMilliseconds) }
    }

    /// A token per TLS handshake; without one, accepting waits until the next is due.
    private func hasHandshakeToken() -> Bool {
        let perSecond = shard.server.limits.tlsHandshakesPerSecondMax
        guard perSecond > 0 else { return true }
        let rate = max(Double(perSecond) / Double(shard.mailboxes.count), 0.1)
        let elapsed = Double(shard.now - shard.handshakeTokensAt) / 1_000
        shard.handshakeTokens = min(shard.handshakeTokens + elapsed * rate, max(rate, 1))
        shard.handshakeTokensAt = shard.now
        if shard.handshakeTokens >= 1 { return true }
        shard.server.notice(.handshakesThrottled, "\(perSecond) TLS handshakes a second", now: shard.now)
        pause(milliseconds: max(Int((1 - shard.handshakeTokens) / rate * 1_000), 8))
        return false
    }
}

/// A connection that was accepted on another shard.
private struct AcceptedSocket: ShardItem {
    let fd: Int32
    let peer: PeerAddress
    let listener: Int

    func arrive(on shard: Shard) {
        Connection.accept(fd: fd, peer: peer, by: listener, on: shard)
    }
}
