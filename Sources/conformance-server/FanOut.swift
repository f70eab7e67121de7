import Transport
import Wire

/// The raw WebSockets of one shard at `/fan`: a message of one member goes to all, including the sender.
///
/// A message is encoded once, into a log that all members read. A member is a place in that log. A member that keeps up
/// is written to once per turn. A member that blocks catches up when it can, and is closed when the log does not reach
/// back to it any more.
final class FanOut: HTTPService {
    /// The log is dropped at the start of the first turn that finds it longer than this.
    static let logBytesMax = 128 << 10

    private let shard: Shard
    private var members: [FanMember] = []
    private var log: [UInt8] = []
    /// How many bytes went through the log before its first.
    private var logStart = 0
    private var isTurnBegun = false

    init(_ shard: Shard) {
        self.shard = shard
        shard.turnEnding = { [unowned self] in self.isTurnBegun = false }
    }

    func handle(_ exchange: HTTPExchange) {
        guard case .upgrade(let offer) = exchange.head.webSocketUpgrade else {
            return exchange.respond(400, text: "A WebSocket is spoken here.\n")
        }
        let member = FanMember(self, place: members.count, cursor: logStart + log.count)
        guard let webSocket = exchange.upgrade(offer, deflate: nil, handler: member) else { return }
        member.webSocket = webSocket
        members.append(member)
        if isTurnBegun { webSocket.wantFlush() }
    }

    fileprivate func remove(_ member: FanMember) {
        let last = members.removeLast()
        guard last !== member else { return }
        last.place = member.place
        members[member.place] = last
    }

    fileprivate func received(_ message: Span<UInt8>, isBinary: Bool) {
        if !isTurnBegun { beginTurn() }
        WebSocketFrame.append(isBinary ? .binary : .text, message, into: &log)
    }

    private func beginTurn() {
        isTurnBegun = true
        if log.count > Self.logBytesMax {
            logStart += log.count
            log.removeAll(keepingCapacity: true)
        }
        for member in members { member.webSocket?.wantFlush() }
    }

    /// Writes what lies between a member's place and the end, and answers the new place; nil when it was left behind.
    fileprivate func write(from cursor: Int, to webSocket: WebSocketConnection) -> Int? {
        guard cursor >= logStart else { return nil }
        if cursor < logStart + log.count {
            log.withUnsafeBytes { bytes in
                _ = webSocket.writeEncoded(UnsafeRawBufferPointer(rebasing: bytes[(cursor - logStart)...]))
            }
        }
        return logStart + log.count
    }
}

private final class FanMember: WebSocketHandler {
    private unowned let fan: FanOut
    var place: Int
    var webSocket: WebSocketConnection?
    private var cursor: Int

    init(_ fan: FanOut, place: Int, cursor: Int) {
        self.fan = fan
        self.place = place
        self.cursor = cursor
    }

    func received(_ message: Span<UInt8>, isBinary: Bool) {
        fan.received(message, isBinary: isBinary)
    }

    func flush() {
        guard let webSocket else { return }
        guard let end = fan.write(from: cursor, to: webSocket) else {
            return webSocket.close(code: 1008, reason: "reads too slowly")
        }
        cursor = end
    }

    func closed(code: UInt16, reason: CloseReason) {
        guard webSocket != nil else { return }
        webSocket = nil
        fan.remove(self)
    }
}
