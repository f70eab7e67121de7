import RoomsClient
import Wire

/// A connection that sends what no client would, and goes.
final class Garbage: ByteStreamOwner {
    private let loop: ClientLoop
    private let url: ServerURL
    private var random: BotRandom
    private var stream: ByteStream?
    private let timer = ClientTimer()
    private let done: (Garbage) -> Void
    private var isUpgraded = false

    init(_ loop: ClientLoop, _ url: ServerURL, _ trust: TLSTrust?, seed: UInt64, done: @escaping (Garbage) -> Void) {
        self.loop = loop
        self.url = url
        self.done = done
        random = BotRandom(seed: seed)
        let stream = ByteStream(loop, url, url.isSecure ? trust : nil, owner: self)
        self.stream = stream
        timer.fire = { [unowned self] in self.end() }
        loop.arm(timer, in: random.milliseconds(100...2_000))
        stream.open(timeoutMilliseconds: 5_000)
    }

    func streamOpened() {
        if random.chance(0.3) {
            write(bytes(Int.random(in: 1...2_000, using: &random)))
        } else {
            write(
                Array(
                    """
                    GET \(url.path)?EIO=\(random.chance(0.2) ? 3 : 4)&transport=websocket HTTP/1.1\r
                    Host: \(url.authority)\r
                    Upgrade: websocket\r
                    Connection: Upgrade\r
                    Sec-WebSocket-Version: 13\r
                    Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
                    \r

                    """.utf8))
        }
    }

    func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) {
        guard !isUpgraded else { return }
        isUpgraded = true
        for _ in 0..<Int.random(in: 1...20, using: &random) { sendFrame() }
    }

    private static let packets = [
        "40", "40{}", "40{\"token\":1}", "40{\"pid\":\"x\",\"offset\":\"y\",\"rooms\":{\"recovery\":true}}", "41", "42",
        "42[]",
        "42[\"room:join\"]", "42[\"room:join\",{\"roomId\":\"\"}]", "42[\"room:join\",{\"roomId\":[]}]",
        "420[\"touch:move\",{\"roomId\":\"lobby\",\"x\":1e999,\"y\":0}]",
        "42[\"element:create\",{\"roomId\":\"lobby\"}]",
        "43999[]", "451-[\"a\",{\"_placeholder\":true,\"num\":7}]", "2probe", "5", "1", "\u{1F4A9}", "4",
        "42[\"connect\"]",
    ]

    private func sendFrame() {
        var frame: [UInt8] = []
        let key = UInt32(truncatingIfNeeded: random.next())
        switch Int.random(in: 0..<10, using: &random) {
        case 0: frame = bytes(Int.random(in: 1...200, using: &random))
        case 1:
            WebSocketFrame.appendMasked(
                .binary, bytes(Int.random(in: 0...500, using: &random)).span, key: key, into: &frame)
        case 2:
            var packet = Array((Self.packets.randomElement(using: &random) ?? "").utf8)
            if !packet.isEmpty {
                packet[Int.random(in: 0..<packet.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            WebSocketFrame.appendMasked(.text, packet.span, key: key, into: &frame)
        default:
            let packet = Array((Self.packets.randomElement(using: &random) ?? "").utf8)
            WebSocketFrame.appendMasked(.text, packet.span, key: key, into: &frame)
        }
        write(frame)
    }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) } }

    private func write(_ bytes: [UInt8]) { stream?.write { $0.append(contentsOf: bytes) } }

    func streamDrained() {}

    func streamEnded(_ reason: String) { end() }

    func end() {
        guard let stream = stream.take() else { return }
        loop.cancel(timer)
        timer.fire = nil
        if random.chance(0.5) { stream.cut() } else { stream.close() }
        done(self)
    }
}
