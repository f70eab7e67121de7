// The C module names the socket headers too: whichever module is read first owns their constants.
import CLibWebSockets
import Glibc

/// Peers that were refused because the server is full. A bounded number of their sockets stays open for 5 s:
/// closing a socket before its request has arrived sends a reset, which could overtake the answer.
struct RefusedPeers {
    static let answer = Array(
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
    static let heldMax = 64
    static let heldMilliseconds = 5_000

    private var held: [(fd: Int32, until: Int64)] = []

    var isEmpty: Bool { held.isEmpty }

    /// Answers without waiting, unless the peer expects TLS, and takes over the socket.
    mutating func refuse(_ fd: Int32, inPlain: Bool, now: Int64) {
        Self.tell(fd, inPlain: inPlain)
        if held.count == Self.heldMax { Self.close(held.removeFirst().fd) }
        held.append((fd, now + Int64(Self.heldMilliseconds)))
    }

    /// The same when no descriptor is left.
    static func refuseAtOnce(_ fd: Int32, inPlain: Bool) {
        tell(fd, inPlain: inPlain)
        close(fd)
    }

    mutating func closeDue(now: Int64) {
        while let first = held.first, first.until <= now { Self.close(held.removeFirst().fd) }
    }

    mutating func closeAll() {
        for (fd, _) in held { Self.close(fd) }
        held = []
    }

    private static func tell(_ fd: Int32, inPlain: Bool) {
        if inPlain {
            answer.withUnsafeBytes { _ = send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
        }
        shutdown(fd, Int32(SHUT_WR))
    }

    /// The peer's input is read before closing, for the same reason.
    private static func close(_ fd: Int32) {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { sink in
            for _ in 0..<16 where recv(fd, sink.baseAddress, sink.count, Int32(MSG_DONTWAIT)) <= 0 { break }
        }
        Glibc.close(fd)
    }
}
