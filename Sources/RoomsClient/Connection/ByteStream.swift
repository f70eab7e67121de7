import COpenSSL
import Glibc

/// The user of a byte stream. All calls come on the loop's thread.
package protocol ByteStreamOwner: AnyObject {
    func streamOpened()
    /// The bytes are the loop's and may be written to.
    func streamReceived(_ bytes: UnsafeMutableRawBufferPointer)
    /// All that was written has been taken by the system, after it had not been.
    func streamDrained()
    /// Nothing follows. A stream that its owner closes does not say so.
    func streamEnded(_ reason: String)
}

/// A TCP connection, with TLS if the server's address says so.
///
/// What is written in a turn of the loop goes out at its end, in one system call. What the system does not take is kept
/// here, up to a bound.
package final class ByteStream: LoopDescriptor {
    /// Past it the server is taken for dead.
    static let outputBytesMax = 8 << 20

    private enum State { case idle, resolving, connecting, handshaking, open, closed }

    private let loop: ClientLoop
    private let url: ServerURL
    private let trust: TLSTrust?
    private var owner: (any ByteStreamOwner)?
    package private(set) var fd: Int32 = -1
    private var descriptor: UInt64 = 0
    private var state = State.idle
    private var addresses: ArraySlice<SocketAddress> = []
    private var tls: TLSChannel?
    private let timer = ClientTimer()

    /// Plain bytes of this turn.
    private var pending: [UInt8] = []
    /// Bytes for the system: of plain connections the same.
    private var outgoing: [UInt8] = []
    private var sentCount = 0
    private var isFlushing = false
    private var wanted = LoopReadiness(isReadable: true, isWritable: true)
    private var lastFault = "no address"

    package init(_ loop: ClientLoop, _ url: ServerURL, _ trust: TLSTrust?, owner: any ByteStreamOwner) {
        self.loop = loop
        self.url = url
        self.trust = trust
        self.owner = owner
    }

    package var isOpen: Bool { state == .open }
    /// Whether the system has not taken all that was written before this turn.
    var isBackedUp: Bool { !outgoing.isEmpty }

    // MARK: Connecting

    package func open(timeoutMilliseconds: Int64) {
        state = .resolving
        timer.fire = { [unowned self] in
            // A server without TLS may wait for more of what it takes for a request.
            self.end(self.state == .handshaking ? "the port does not answer with TLS" : "no connection in time")
        }
        loop.arm(timer, in: timeoutMilliseconds)
        loop.resolver.find(url.host, url.port) { [self] result in
            guard state == .resolving else { return }
            switch result {
            case .success(let found):
                addresses = found[...]
                connectToNext()
            case .failure(let error): end("\(error)")
            }
        }
    }

    private func connectToNext() {
        while let address = addresses.popFirst() {
            guard let fd = address.beginConnecting() else {
                lastFault = String(cString: strerror(errno))
                continue
            }
            self.fd = fd
            state = .connecting
            wanted = LoopReadiness(isReadable: true, isWritable: true)
            descriptor = loop.add(self, wantsToWrite: true)
            return
        }
        end(lastFault)
    }

    package func ready(_ readiness: LoopReadiness) {
        if state == .connecting {
            connected()
            return
        }
        if readiness.isWritable { send() }
        if readiness.isReadable { receive() }
    }

    private func connected() {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length)
        guard error == 0 else {
            lastFault = String(cString: strerror(error))
            release()
            return connectToNext()
        }
        want(isWritable: false)
        guard let trust else { return opened() }
        guard let channel = TLSChannel(trust, url, loop) else { return end("no TLS connection could be made") }
        tls = channel
        state = .handshaking
        shakeHands(channel)
    }

    private func shakeHands(_ channel: TLSChannel) {
        do throws(TLSChannel.Failure) {
            try channel.shakeHands(&outgoing)
            send()
            if channel.isEstablished, state == .handshaking { opened() }
        } catch {
            send()
            end(error)
        }
    }

    private func opened() {
        state = .open
        loop.cancel(timer)
        owner?.streamOpened()
    }

    // MARK: In

    private func receive() {
        guard state == .open || state == .handshaking else { return }
        let buffer = loop.inputBuffer
        // Not more than a few times, so that others have their turn.
        for _ in 0..<4 {
            let count = recv(fd, buffer.baseAddress, buffer.count, 0)
            if count > 0 {
                received(UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
                guard state == .open || state == .handshaking, count == buffer.count else { return }
                continue
            }
            if count < 0, errno == EAGAIN || errno == EINTR { return }
            return end(count == 0 ? "the server ended the connection" : String(cString: strerror(errno)))
        }
    }

    private func received(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let tls else {
            owner?.streamReceived(bytes)
            return
        }
        tls.provide(UnsafeRawBufferPointer(bytes))
        defer { tls.provide(UnsafeRawBufferPointer(start: nil, count: 0)) }
        if !tls.isEstablished { shakeHands(tls) }
        guard tls.isEstablished else { return }
        do throws(TLSChannel.Failure) {
            while state == .open, let count = try tls.read(into: loop.plainBuffer, &outgoing) {
                owner?.streamReceived(UnsafeMutableRawBufferPointer(rebasing: loop.plainBuffer[..<count]))
            }
            if state == .open, !outgoing.isEmpty { flushAtTurnEnd() }
        } catch {
            end(error)
        }
    }

    /// Stops or continues reading, to act as a slow reader.
    func setReading(_ isReading: Bool) {
        guard descriptor != 0, wanted.isReadable != isReading else { return }
        wanted.isReadable = isReading
        loop.change(descriptor, fd, to: wanted)
    }

    // MARK: Out

    /// Lets `body` append bytes that are sent at the end of this turn.
    package func write(_ body: (inout [UInt8]) -> Void) {
        guard state == .open else { return }
        body(&pending)
        flushAtTurnEnd()
    }

    private func flushAtTurnEnd() {
        guard !isFlushing else { return }
        isFlushing = true
        loop.atTurnEnd { [self] in flush() }
    }

    private func flush() {
        isFlushing = false
        guard state == .open else { return }
        if let tls {
            do throws(TLSChannel.Failure) {
                try tls.write(pending, &outgoing)
            } catch {
                return end(error)
            }
            pending.removeAll(keepingCapacity: pending.capacity < 4_096)
        } else if outgoing.isEmpty {
            swap(&outgoing, &pending)
        } else {
            outgoing.append(contentsOf: pending)
            pending.removeAll(keepingCapacity: pending.capacity < 4_096)
        }
        send()
        if outgoing.count - sentCount > Self.outputBytesMax { end("the server does not read") }
    }

    private func send() {
        guard state == .open || state == .handshaking, !outgoing.isEmpty else { return }
        let wasBackedUp = wanted.isWritable
        while sentCount < outgoing.count {
            let count = outgoing.withUnsafeBytes { bytes in
                Glibc.send(
                    fd, bytes.baseAddress.map { $0 + sentCount }, bytes.count - sentCount, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sentCount += count
                continue
            }
            if errno == EINTR { continue }
            guard errno == EAGAIN else { return end(String(cString: strerror(errno))) }
            return want(isWritable: true)
        }
        outgoing.removeAll(keepingCapacity: outgoing.capacity < 4_096)
        sentCount = 0
        want(isWritable: false)
        if wasBackedUp, state == .open { owner?.streamDrained() }
    }

    private func want(isWritable: Bool) {
        guard wanted.isWritable != isWritable else { return }
        wanted.isWritable = isWritable
        loop.change(descriptor, fd, to: wanted)
    }

    // MARK: The end

    /// Sends the written bytes and ends, without telling the owner.
    package func close() {
        if state == .open { flush() }
        finish()
    }

    /// Ends at once, like a failing network: written bytes may be lost.
    package func cut() {
        if fd >= 0 {
            var hard = linger(l_onoff: 1, l_linger: 0)
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        }
        finish()
    }

    private func end(_ failure: TLSChannel.Failure) {
        switch failure {
        case .ended: end("the server ended the connection")
        case .failed(let reason): end(reason)
        }
    }

    private func end(_ reason: String) {
        guard state != .closed else { return }
        let owner = owner
        finish()
        owner?.streamEnded(reason)
    }

    private func finish() {
        guard state != .closed else { return }
        state = .closed
        loop.cancel(timer)
        timer.fire = nil
        release()
        owner = nil
        tls = nil
        pending = []
        outgoing = []
    }

    private func release() {
        guard fd >= 0 else { return }
        loop.remove(descriptor, fd)
        Glibc.close(fd)
        fd = -1
        descriptor = 0
    }
}
