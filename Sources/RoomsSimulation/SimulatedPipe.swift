/// The bytes of a connection on their way: a socket buffer with a capacity, and the rest that it did not take.
struct SimulatedPipe {
    private let capacity: Int
    private var socket: [UInt8] = []
    private var tail: [UInt8] = []

    init(capacity: Int) { self.capacity = capacity }

    /// True while something written has not been taken. Nothing may be written then.
    var isBlocked: Bool { !tail.isEmpty }
    var tailCount: Int { tail.count }
    var isEmpty: Bool { socket.isEmpty && tail.isEmpty }

    /// Takes all of the bytes. Those past the capacity wait here.
    mutating func send(_ bytes: [UInt8]) {
        let taken = min(bytes.count, max(capacity - socket.count, 0))
        socket.append(contentsOf: bytes[..<taken])
        tail.append(contentsOf: bytes[taken...])
    }

    /// What the client reads. The tail moves up.
    mutating func read(_ count: Int) -> [UInt8] {
        let read = Array(socket.prefix(count))
        socket.removeFirst(read.count)
        let taken = min(tail.count, max(capacity - socket.count, 0))
        socket.append(contentsOf: tail[..<taken])
        tail.removeFirst(taken)
        return read
    }

    mutating func cutTail() {
        if tail.count > 1 { tail.removeLast(tail.count / 2) }
    }
}
