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

/// Who speaks on a connection: HTTP at first, WebSocket after an upgrade.
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

/// A connected socket, plain or TLS, adopted by its shard's libwebsockets context.
///
/// At any time it belongs to one shard and is used on that shard's thread alone. It can move to another as a whole.
/// Its shard holds it until the end of the turn in which it ended, so whoever works with it up the stack still may.
public final class Connection {
    enum State {
        case open
        /// All was said; waiting for the tail to go out and the peer to close.
        case lingering
        case closed
    }

    public var shard: Shard { owner }
    private var owner: Shard
    public internal(set) var peer: PeerAddress
    var handler: (any ConnectionHandler)?
    let tls: TLSSession?
    let timer = LoopTimer()
    private(set) var state = State.open
    /// The address that was counted in when the connection was accepted.
    private var admitted: PeerAddress?

    private var fd: Int32
    private var wsi: OpaquePointer?
    private var slot = -1
    private var flushQueued = false
    private var readingPaused = false
    private var shutdownSent = false
    /// The peer will send nothing more.
    private(set) var inputEnded = false
    /// Set while the header of the PROXY protocol is awaited, which precedes even TLS.
    private var proxyHeader: ProxyHeaderReader?
    /// The shard that it goes to at the end of this turn.
    private var destination: Int?
    /// Ciphertext on a TLS connection.
    private var tail = OutgoingTail()
    /// How much of the tail counts among the server's unread bytes.
    private var unreadCounted = 0
    /// Whether what is written is answers over HTTP. What waits for the reader of a WebSocket has bounds of its own.
    var countsUnread = true {
        didSet { if !countsUnread { countRead(unreadCounted) } }
    }

    /// Takes in a socket that a listener has accepted and counted.
    static func accept(fd: Int32, peer: PeerAddress, on shard: Shard) {
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
        let connection = Connection(fd: fd, peer: peer, tls: session, shard: shard)
        connection.attach()
        guard connection.state == .open else { return }
        connection.handler = HTTPConnection(connection)
    }

    private init(fd: Int32, peer: PeerAddress, tls: TLSSession?, shard: Shard) {
        self.fd = fd
        self.peer = peer
        self.tls = tls
        owner = shard
        admitted = peer
        let server = shard.server
        if server.proxyProtocol, server.isTrustedProxy(peer) { proxyHeader = ProxyHeaderReader() }
        timer.fire = { [unowned(unsafe) self] in self.timerFired() }
    }

    private func attach() {
        slot = shard.insert(self)
        guard !shard.isStopping else {
            Glibc.close(fd)
            fd = -1
            return end(.serverStopping)
        }
        wsi = rooms_adopt(shard.context, fd, Unmanaged.passUnretained(self).toOpaque())
        if wsi == nil {
            fd = -1
            end(.socketError)
        }
    }

    public var isSecure: Bool { tls != nil }
    public var isOpen: Bool { state == .open }
    /// True while something written has not gone out. Write no more until `writable`.
    public var isBlocked: Bool { !tail.isEmpty }
    /// Bytes that were written and that the kernel has not taken.
    public var tailBytes: Int { tail.count }

    // MARK: Events from the loop

    func socketReadable() {
        shard.preconditionOnLoop()
        guard state != .closed else { return }
        shard.enteredFromSocket()
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

    func socketWritable() {
        shard.preconditionOnLoop()
        guard state != .closed else { return }
        shard.enteredFromSocket()
        if tail.isEmpty { handler?.writable() } else { sendTail() }
    }

    /// libwebsockets has seen an error of the socket, and closes the descriptor.
    func socketFailed() {
        shard.preconditionOnLoop()
        if let wsi { shard.forget(wsi) }
        wsi = nil
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
        guard paused != readingPaused, let wsi else { return }
        readingPaused = paused
        rooms_want_readable(wsi, !paused)
    }

    // MARK: Writing

    /// Has the handler's `flush` called at the end of this turn.
    public func wantFlush() {
        guard !flushQueued, state == .open else { return }
        flushQueued = true
        shard.queueFlush(self)
    }

    func flushTurn() {
        guard flushQueued else { return }
        flushQueued = false
        guard state == .open else { return }
        if let index = destination {
            destination = nil
            move(to: index)
        } else if tail.isEmpty {
            handler?.flush()
        }
    }

    /// Writes pieces of memory, one after the other, in as few system calls as possible.
    ///
    /// They are accepted whole. When the answer is `blocked`, the owner waits for `writable`: more than
    /// `tailBytesMax` kept for a peer that does not read ends the connection.
    @discardableResult
    public func send(_ pieces: Span<UnsafeRawBufferPointer>) -> SendResult {
        guard state == .open else { return .closed }
        if let tls { return tls.send(pieces, on: self) }
        return sendRaw(pieces)
    }

    @discardableResult
    public func send(_ bytes: UnsafeRawBufferPointer) -> SendResult {
        let pieces: InlineArray<1, UnsafeRawBufferPointer> = [bytes]
        return send(pieces.span)
    }

    @discardableResult
    public func send(_ bytes: [UInt8]) -> SendResult {
        bytes.withUnsafeBytes { send($0) }
    }

    /// Writes what goes on the wire as it is.
    func sendRaw(_ pieces: Span<UnsafeRawBufferPointer>) -> SendResult {
        guard Self.byteCount(pieces) > 0 else { return tail.isEmpty ? .sent : .blocked }
        var rest = pieces
        while tail.isEmpty, !rest.isEmpty {
            let some = rest.extracting(first: Self.piecesAtOnceMax)
            let written = writeToSocket(some)
            guard written >= 0 else {
                end(.socketError)
                return .closed
            }
            guard written == Self.byteCount(some) else { return keep(rest, from: written) }
            if some.count == rest.count { return .sent }
            rest = rest.extracting(droppingFirst: some.count)
        }
        return keep(rest, from: 0)
    }

    /// With one system call.
    private static let piecesAtOnceMax = 16

    private static func byteCount(_ pieces: Span<UnsafeRawBufferPointer>) -> Int {
        var count = 0
        for index in pieces.indices { count += pieces[index].count }
        return count
    }

    private func writeToSocket(_ pieces: Span<UnsafeRawBufferPointer>) -> Int {
        while true {
            let count: Int
            if pieces.count == 1 {
                count = Glibc.send(fd, pieces[0].baseAddress, pieces[0].count, Int32(MSG_NOSIGNAL))
            } else {
                count = withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.piecesAtOnceMax) { parts in
                    for index in pieces.indices {
                        let base = UnsafeMutableRawPointer(mutating: pieces[index].baseAddress)
                        parts[index] = iovec(iov_base: base, iov_len: pieces[index].count)
                    }
                    var message = msghdr()
                    message.msg_iov = parts.baseAddress
                    message.msg_iovlen = pieces.count
                    return sendmsg(fd, &message, Int32(MSG_NOSIGNAL))
                }
            }
            if count >= 0 {
                shard.counted.bytesOut &+= count
                return count
            }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1
        }
    }

    /// Keeps what the socket did not take: the pieces without so many bytes in front.
    private func keep(_ pieces: Span<UnsafeRawBufferPointer>, from: Int) -> SendResult {
        let added = Self.byteCount(pieces) - from
        guard tail.count + added <= shard.server.limits.tailBytesMax, countUnread(added) else {
            end(.slowReader)
            return .closed
        }
        let wasEmpty = tail.isEmpty
        var skipped = from
        for index in pieces.indices {
            let kept = pieces[index].dropFirst(skipped)
            skipped -= pieces[index].count - kept.count
            tail.append(contentsOf: kept)
        }
        if wasEmpty { wantWritable() }
        return .blocked
    }

    /// Answers false, and counts nothing, when too much waits on the whole server.
    private func countUnread(_ count: Int) -> Bool {
        guard countsUnread else { return true }
        guard shard.server.counters.unreadBytes.add(count) <= shard.server.limits.unreadBytesMax else {
            shard.server.counters.unreadBytes.subtract(count)
            shard.server.notice(.unreadExhausted, "the answer for \(peer.text) is cut off", now: shard.now)
            return false
        }
        unreadCounted += count
        return true
    }

    private func countRead(_ count: Int) {
        let count = min(count, unreadCounted)
        unreadCounted -= count
        shard.server.counters.unreadBytes.subtract(count)
    }

    /// Has the handler's `writable` called when the socket takes more, in a later turn.
    func wantWritable() {
        if let wsi { shard.wantWritable(wsi) }
    }

    private func sendTail() {
        guard !tail.isEmpty else { return }
        let written = tail.withUnsafeBytes { bytes in
            let pieces: InlineArray<1, UnsafeRawBufferPointer> = [bytes]
            return writeToSocket(pieces.span)
        }
        guard written >= 0 else { return end(.socketError) }
        tail.removeFirst(written)
        countRead(written)
        guard tail.isEmpty else { return wantWritable() }
        if state == .lingering { return sendEnd() }
        handler?.writable()
        if state == .open { wantFlush() }
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

    private func sendEnd() {
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
        if let wsi { shard.release(wsi) }
        wsi = nil
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

    // MARK: Another shard

    /// Takes the connection, with all that belongs to it, to another shard at the end of this turn, when nothing up the
    /// stack works with it any more. The handler is told there that it has moved, or here that it could not.
    func moveAtTurnEnd(to index: Int) {
        precondition(shard.mailboxes.indices.contains(index), "there is no shard \(index)")
        guard state == .open else { return }
        destination = index
        wantFlush()
    }

    private func move(to index: Int) {
        guard let wsi else { return }
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
