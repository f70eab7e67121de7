import CLibWebSockets
import Glibc
import Wire

/// What became of a write. Whatever it was, nothing has to be written again.
public enum SendResult: Sendable {
    /// The kernel has it all.
    case sent
    /// The kernel took a part; the rest is kept and goes out by itself. Write no more until told of `writable`.
    case blocked
    /// The connection has ended.
    case closed
}

/// The protocol on a connection: HTTP at first, WebSocket after an upgrade.
protocol ConnectionHandler: AnyObject {
    /// Bytes came, decrypted; they are in a buffer that all connections of the shard share.
    func received(_ bytes: UnsafeMutableRawBufferPointer)
    /// What was kept back has gone out.
    func writable()
    /// The end of the loop's turn in which `wantFlush()` was called, unless the connection is blocked.
    func flush()
    /// The connection's timer has run out.
    func timerFired()
    /// The peer has closed its sending side. Answers whether something is being written that it may still want.
    func inputEnded() -> Bool
    /// The connection has ended; nothing follows.
    func closed(_ reason: CloseReason)
    /// The connection is on another shard now.
    func moved()
    /// The other shard takes nothing more: the connection has stayed.
    func moveRefused()
}

/// A connected socket, plain or TLS.
///
/// At any time it belongs to one shard and is used on that shard's thread alone. It can move to another as a whole.
/// Its shard holds it until the end of the turn in which it ended, so callers up the stack may still use it.
public final class Connection {
    enum State {
        case open
        /// All was said; waiting for the tail to go out and the peer to close.
        case lingering
        case closed
    }

    public var shard: Shard { owner }
    var owner: Shard
    public internal(set) var peer: PeerAddress
    var handler: (any ConnectionHandler)?
    /// The index of the address that accepted it, among those of the server.
    let listener: Int
    let tls: TLSSession?
    let timer = LoopTimer()
    private(set) var state = State.open
    /// The address that was counted in when the connection was accepted.
    private var admitted: PeerAddress?

    private(set) var fd: Int32
    /// What the shard's set of sockets tells of this one.
    private var watched: SocketInterest = []
    var isRewatching = false
    /// Whether the handler, or the tail, waits for the socket to take more.
    var wantsWritable = false
    var slot = -1
    var flushQueued = false
    var readingPaused = false
    private var shutdownSent = false
    /// The peer will send nothing more.
    private(set) var inputEnded = false
    /// The socket takes no more bytes. What it still holds of the peer's is read, and then the connection ends.
    private(set) var isBroken = false
    /// Set while the header of the PROXY protocol is awaited, which precedes even TLS.
    private var proxyHeader: ProxyHeaderReader?
    /// The shard that it goes to at the end of this turn.
    var destination: Int?
    /// Ciphertext on a TLS connection.
    var tail = OutgoingTail()
    /// How much of the tail counts among the server's unread bytes.
    var unreadCounted = 0
    /// Whether what is written is answers over HTTP. What waits for the reader of a WebSocket has bounds of its own.
    var countsUnread = true {
        didSet { if !countsUnread { countRead(unreadCounted) } }
    }

    /// Takes in a socket that a listener has accepted and counted.
    ///
    /// - Parameter listener: the index of the listener's address among those of the server.
    static func accept(fd: Int32, peer: PeerAddress, by listener: Int, on shard: Shard) {
        let session: TLSSession?
        if let context = shard.tlsContext {
            session = TLSSession(context, shard)
            if session == nil {
                Glibc.close(fd)
                shard.server.counters.connectionsOpen.subtract()
                shard.server.release(peer)
                return
            }
        } else {
            session = nil
        }
        let connection = Connection(fd: fd, peer: peer, listener: listener, tls: session, shard: shard)
        connection.attach()
        guard connection.state == .open else { return }
        connection.handler = HTTPConnection(connection)
    }

    private init(fd: Int32, peer: PeerAddress, listener: Int, tls: TLSSession?, shard: Shard) {
        self.fd = fd
        self.listener = listener
        self.peer = peer
        self.tls = tls
        owner = shard
        admitted = peer
        let server = shard.server
        if server.proxyProtocol, server.isTrustedProxy(peer) { proxyHeader = ProxyHeaderReader() }
        timer.fire = { [unowned(unsafe) self] in self.timerFired() }
    }

    func attach() {
        slot = shard.insert(self)
        guard !shard.isStopping else {
            return end(.serverStopping)
        }
        watch()
    }

    public var isSecure: Bool { tls != nil }
    public var isOpen: Bool { state == .open }
    /// True while something written has not gone out. Write no more until `writable`.
    public var isBlocked: Bool { !tail.isEmpty }
    /// Bytes that were written and that the kernel has not taken.
    public var tailBytes: Int { tail.count }

    // MARK: Events from the loop

    func socketReady(_ readiness: SocketReadiness) {
        shard.preconditionOnLoop()
        guard state != .closed else { return }
        shard.enteredFromSocket()
        if readiness.hasFailed { return socketFailed() }
        if wantsWritable, readiness.isWritable { socketWritable() }
        if state != .closed, !readingPaused, readiness.isReadable { socketReadable() }
    }

    private func socketReadable() {
        let buffer = shard.readBuffer
        let count = recv(fd, buffer.baseAddress, buffer.count, 0)
        if count > 0 {
            shard.counted.bytesIn &+= count
            received(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        } else if count == 0 {
            peerEnded()
        } else if errno != EAGAIN && errno != EINTR {
            end(.socketError)
        }
    }

    /// The peer has closed its sending side. What is being written still goes out; for everything else the peer is
    /// taken to have gone, since a waiting one cannot be told from one that has closed both sides.
    func peerEnded() {
        guard !inputEnded else { return }
        inputEnded = true
        pauseReading(true)
        if state == .lingering {
            if tail.isEmpty { end(.finished) }
        } else if handler?.inputEnded() != true {
            if tail.isEmpty { end(.peerClosed) } else { finish() }
        }
    }

    private func received(_ bytes: UnsafeMutableRawBufferPointer) {
        if proxyHeader != nil { return receivedProxyHeader(bytes) }
        guard let tls else {
            if state == .open { handler?.received(bytes) }
            return
        }
        tls.receive(bytes, on: self)
    }

    private func receivedProxyHeader(_ bytes: UnsafeMutableRawBufferPointer) {
        switch proxyHeader?.read(UnsafeRawBufferPointer(bytes)) {
        case .needMore, nil: break
        case .invalid: end(.protocolError)
        case .header(let named, let used):
            proxyHeader = nil
            if let named, !replacePeer(named) { return refuse() }
            if used < bytes.count { received(UnsafeMutableRawBufferPointer(rebasing: bytes[used...])) }
        }
    }

    /// The connection is from here on of the client that the proxy named. Answers false when its address has its share.
    private func replacePeer(_ named: PeerAddress) -> Bool {
        if named.address == .unspecified {
            shard.server.noticeUnreadable(peer, "the PROXY protocol without the client's address", now: shard.now)
        }
        peer = named
        return count(for: named)
    }

    /// The connection counts for this peer from here on. Answers false when its address has its share; the connection
    /// then counts for nobody.
    func count(for named: PeerAddress) -> Bool {
        if let admitted { shard.server.release(admitted) }
        admitted = nil
        guard shard.server.admit(named) else {
            shard.server.notice(.addressExhausted, "from \(named.text)", now: shard.now)
            return false
        }
        admitted = named
        return true
    }

    /// Told on a plain connection; on TLS the peer just sees the end.
    private func refuse() {
        shard.server.counters.connectionsRefused.add()
        if isSecure { return end(.refused) }
        send(RefusedPeers.answer)
        finish()
    }

    func receivedPlain(_ bytes: UnsafeMutableRawBufferPointer) {
        if state == .open { handler?.received(bytes) }
    }

    private func socketWritable() {
        wantsWritable = false
        rewatch()
        if tail.isEmpty { handler?.writable() } else { sendTail() }
    }

    /// The socket has an error, such as a reset.
    private func socketFailed() {
        isBroken = true
        readRest()
    }

    /// A write to the socket has failed. Nothing more is written. The connection ends with the turn, once what the peer
    /// sent before is read.
    func writeFailed() {
        guard state == .open, !isBroken else { return end(.socketError) }
        isBroken = true
        destination = nil
        tail.removeAll()
        countRead(unreadCounted)
        shard.atTurnEnd { self.readRest() }
    }

    /// Reads what a broken socket still holds, and ends the connection. A peer that says good-bye and closes without
    /// having read all its input resets the connection right behind its last words.
    private func readRest() {
        while state == .open, !readingPaused {
            let buffer = shard.readBuffer
            let count = recv(fd, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { break }
            shard.counted.bytesIn &+= count
            received(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        }
        end(.socketError)
    }

    private func timerFired() {
        if state == .lingering {
            end(.finished)
        } else {
            handler?.timerFired()
        }
    }

    // MARK: Reading

    /// While paused, what the peer sends stays in the kernel.
    func pauseReading(_ paused: Bool) {
        let paused = paused || inputEnded
        guard paused != readingPaused else { return }
        readingPaused = paused
        rewatch()
    }

    /// Has `watch` called when the turn ends.
    func rewatch() {
        guard !isRewatching, state != .closed else { return }
        isRewatching = true
        shard.rewatch(self)
    }

    /// Has the loop wait for what this connection waits for. Answers false when that fails, which ends the connection.
    @discardableResult
    func watch() -> Bool {
        isRewatching = false
        guard state != .closed else { return true }
        var wanted: SocketInterest = []
        if !readingPaused { wanted.insert(.readable) }
        if wantsWritable { wanted.insert(.writable) }
        guard shard.sockets.change(self, from: watched, to: wanted) else {
            end(.socketError)
            return false
        }
        watched = wanted
        return true
    }

    /// The loop tells nothing of the socket any more.
    func unwatch() {
        _ = shard.sockets.change(self, from: watched, to: [])
        watched = []
    }

    func closeSocket() {
        Glibc.close(fd)
        fd = -1
    }

    // MARK: The end

    /// Ends the connection once everything written has gone out and the peer has closed too, or after a while.
    public func finish() {
        guard state == .open else { return }
        state = .lingering
        destination = nil
        let handler = handler
        self.handler = nil
        handler?.closed(.finished)
        guard state == .lingering else { return }
        shard.arm(timer, in: shard.server.limits.bodyMilliseconds)
        pauseReading(false)
        if tail.isEmpty { sendEnd() }
    }

    func sendEnd() {
        guard !shutdownSent else { return }
        shutdownSent = true
        if let tls, case .blocked = tls.sendClose(on: self) {
            shutdownSent = false
            return
        }
        guard state == .lingering else { return }
        if inputEnded { return end(.finished) }
        shutdown(fd, Int32(SHUT_WR))
        shard.arm(timer, in: shard.server.limits.lingerMilliseconds)
    }

    /// Ends the connection at once.
    public func end(_ reason: CloseReason) {
        guard state != .closed else { return }
        state = .closed
        shard.cancel(timer)
        tail.removeAll()
        countRead(unreadCounted)
        destination = nil
        unwatch()
        shard.keepUntilTurnEnd(self)
        shard.remove(slot: slot)
        let counters = shard.server.counters
        counters.connectionsOpen.subtract()
        counters.countClose(reason)
        if let admitted { shard.server.release(admitted) }
        let handler = handler
        self.handler = nil
        handler?.closed(reason)
    }
}
