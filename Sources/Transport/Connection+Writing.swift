import CLibWebSockets
import Glibc

extension Connection {
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
        guard state == .open, !isBroken else { return .closed }
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
        guard !isBroken else { return .closed }
        guard Self.byteCount(pieces) > 0 else { return tail.isEmpty ? .sent : .blocked }
        var rest = pieces
        while tail.isEmpty, !rest.isEmpty {
            let some = rest.extracting(first: Self.piecesAtOnceMax)
            let written = writeToSocket(some)
            guard written >= 0 else {
                writeFailed()
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

    func countRead(_ count: Int) {
        let count = min(count, unreadCounted)
        unreadCounted -= count
        shard.server.counters.unreadBytes.subtract(count)
    }

    /// Has the handler's `writable` called when the socket takes more, in a later turn.
    func wantWritable() {
        wantsWritable = true
        rewatch()
    }

    func sendTail() {
        guard !tail.isEmpty else { return }
        let written = tail.withUnsafeBytes { bytes in
            let pieces: InlineArray<1, UnsafeRawBufferPointer> = [bytes]
            return writeToSocket(pieces.span)
        }
        guard written >= 0 else { return writeFailed() }
        tail.removeFirst(written)
        countRead(written)
        guard tail.isEmpty else { return wantWritable() }
        if state == .lingering { return sendEnd() }
        handler?.writable()
        if state == .open { wantFlush() }
    }
}
