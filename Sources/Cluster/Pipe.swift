/// One end of the pipe between two nodes: records arrive at the other end once and in order, or the pipe is lost.
///
/// The carrier may lose frames and may be away for a while. A node keeps what it has sent until the other has
/// received it, and sends it again when the other misses it. When more has to be kept than the bound allows, or when
/// the other node was started anew, the pipe is *lost*: both ends begin a new life (a *generation*), and everything
/// that was under way is gone. The user of the pipe then brings both sides into step again.
///
/// It is a value without I/O and without a clock: the simulation drives it, too.
struct Pipe {
    /// What the user of the pipe is told, in this order with the records.
    enum Event: Equatable {
        /// Records can be sent. The number distinguishes the lives of the pipe.
        case established(life: UInt64)
        /// What was sent and not received is gone.
        case lost
        case record([UInt8])
    }

    private struct Kept {
        let number: UInt64
        let records: [[UInt8]]
        let byteCount: Int
        /// When its oldest record was sent, as far as it is known.
        let since: Int64
    }

    /// Something that a record holds until it has arrived, or for a while.
    private struct Hold {
        let object: any AnyObject & Sendable
        /// The frame of its record; nil while no frame has it.
        var number: UInt64?
        var since: Int64?
    }

    private static let frameBytesMax = 256 << 10
    /// What one call of `takeFrames` gives, unless one frame is longer.
    private static let turnBytesMax = 1 << 20
    /// Past it the other end is told at once what has arrived.
    private static let unackedBytesMax = 256 << 10
    static let idleMilliseconds: Int64 = 250
    /// The least time between two requests, or two answers to one.
    private static let againMilliseconds: Int64 = 20
    /// The least time between two times that the same frames are sent.
    private static let resendMilliseconds: Int64 = 100
    /// What is held for longer is released: the sender has to go on when the other end does not confirm.
    private static let holdMilliseconds: Int64 = 1_000
    /// Past one of these the other end is late: a quarter of the most that can wait, or the age of the oldest record.
    private var lateBytes: Int { bytesMax / 4 }
    private static let lateMilliseconds: Int64 = 1_000

    private let node: Int
    private let peer: Int
    private let bytesMax: Int
    /// The newest version that both nodes speak. It holds for the next life: what is kept of this one is written already.
    var agreedVersion: Int {
        didSet { if !isEstablished { version = agreedVersion } }
    }
    /// The version of this life's frames.
    private(set) var version: Int
    private var generation: UInt64
    private var peerGeneration: UInt64 = 0
    private var isEstablished = false
    /// Records that no frame has yet.
    private var waiting: [[UInt8]] = []
    /// When the oldest of them was sent, as far as it is known.
    private var waitingSince: Int64?
    private var holds: [Hold] = []
    /// Frames that the other end has not confirmed.
    private var kept: [Kept] = []
    private var byteCount = 0
    private var lastNumber: UInt64 = 0
    /// The first kept frame that has to be published, once or once more.
    private var nextToSend: UInt64 = 1
    private var received: UInt64 = 0
    private var unackedBytes = 0
    private var wantsAgain = false
    private var owesAnswer = true
    private var lastSentAt = Int64.min / 2
    private var lastAgainAt = Int64.min / 2
    private var lastResentAt = Int64.min / 2
    /// The first frame that the other end wants once more.
    private var resendFrom: UInt64?
    private var events: [Event] = []
    private(set) var counts = PipeCounts()
    /// Whether the other end is so far behind that only what must not be lost should be sent, and newest states later.
    private(set) var isLate = false
    /// The newest frame of this life that was published.
    private var newestPublished: UInt64 = 0
    /// Whether records that come are not taken now. They are asked for again later.
    var isBlocked = false {
        didSet { if oldValue, !isBlocked { wantsAgain = true } }
    }

    /// - Parameters:
    ///   - boot: a number that is greater with each start of this node.
    ///   - bytesMax: of records that the other end has not received.
    init(from node: Int, to peer: Int, version: Int, boot: UInt64, bytesMax: Int) {
        self.node = node
        self.peer = peer
        self.bytesMax = bytesMax
        (self.version, agreedVersion) = (version, version)
        generation = boot << 24 | 1
    }

    /// The number of this life of the pipe; nil while nothing can be sent.
    var life: UInt64? { isEstablished ? generation : nil }
    var keptBytes: Int { byteCount }

    mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    // MARK: Sending

    /// Sends a record in whatever life the pipe has, unless more than so many bytes would wait with it. This never makes
    /// the pipe lost.
    mutating func send(_ record: [UInt8], waitingAtMost most: Int) -> Bool {
        guard let life, byteCount + record.count <= min(most, bytesMax) else { return false }
        return send(record, in: life)
    }

    /// - Parameters:
    ///   - holding: is released when the other end has the record, or the pipe is lost.
    ///   - life: the life of the pipe to which the record belongs.
    /// - Returns: false when the record is not sent. If it is because too much waits, the pipe is lost with that.
    mutating func send(_ record: [UInt8], holding: (any AnyObject & Sendable)? = nil, in life: UInt64) -> Bool {
        guard life == self.life else { return false }
        guard byteCount + record.count <= bytesMax else {
            lose()
            return false
        }
        byteCount += record.count
        if byteCount > lateBytes { isLate = true }
        waiting.append(record)
        counts.records += 1
        counts.bytes += record.count
        if let holding { holds.append(Hold(object: holding)) }
        return true
    }

    /// The other node has ended, or the user wants to begin anew.
    mutating func lose() {
        if isEstablished {
            events.append(.lost)
            counts.losses += 1
        }
        newestPublished = 0
        isEstablished = false
        version = agreedVersion
        generation += 1
        (waiting, holds, kept, byteCount, resendFrom) = ([], [], [], 0, nil)
        (lastNumber, nextToSend, received, unackedBytes) = (0, 1, 0, 0)
        (wantsAgain, owesAnswer) = (false, true)
        (waitingSince, isLate) = (nil, false)
    }

    /// The carrier was away: what it has lost shows sooner.
    mutating func hurry() { owesAnswer = true }

    /// Looks how far the other end is behind, and releases what was held for too long. Call it from time to time, also while
    /// the carrier is away.
    mutating func rest(at now: Int64) {
        if !waiting.isEmpty { waitingSince = waitingSince ?? now }
        let since = kept.first?.since ?? waitingSince ?? now
        isLate = byteCount > lateBytes || now - since >= Self.lateMilliseconds
        for index in holds.indices where holds[index].since == nil { holds[index].since = now }
        holds.removeAll { now - ($0.since ?? now) > Self.holdMilliseconds }
    }

    /// The frames to be published now.
    mutating func takeFrames(at now: Int64) -> [LinkFrame] {
        if let resendFrom, now - lastResentAt >= Self.resendMilliseconds {
            nextToSend = min(nextToSend, resendFrom)
            lastResentAt = now
            self.resendFrom = nil
        }
        while isEstablished, !waiting.isEmpty { keepNext(at: now) }
        waitingSince = nil
        var frames: [LinkFrame] = []
        var bytes = 0
        for frame in kept where frame.number >= nextToSend {
            guard frames.isEmpty || bytes + frame.byteCount <= Self.turnBytesMax else { break }
            frames.append(self.frame(frame.number, frame.records))
            bytes += frame.byteCount
            nextToSend = frame.number + 1
            counts.frames += 1
            if frame.number <= newestPublished { counts.framesAgain += 1 }
            newestPublished = max(newestPublished, frame.number)
        }
        let isDue = now - lastSentAt >= Self.idleMilliseconds
        let asks = (wantsAgain || owesAnswer) && now - lastAgainAt >= Self.againMilliseconds
        if frames.isEmpty, isDue || asks || unackedBytes > Self.unackedBytesMax { frames = [frame(lastNumber, [])] }
        guard !frames.isEmpty else { return [] }
        if wantsAgain || owesAnswer { lastAgainAt = now }
        (wantsAgain, owesAnswer, unackedBytes, lastSentAt) = (false, false, 0, now)
        return frames
    }

    /// How long `takeFrames` need not be called, if nothing else happens.
    func millisecondsToWait(at now: Int64) -> Int64 {
        if nextToSend <= lastNumber || (isEstablished && !waiting.isEmpty) { return 0 }
        let asks = wantsAgain || owesAnswer ? Self.againMilliseconds - (now - lastAgainAt) : Self.idleMilliseconds
        return max(min(asks, Self.idleMilliseconds - (now - lastSentAt)), 0)
    }

    private mutating func keepNext(at now: Int64) {
        var (count, bytes) = (0, 0)
        for record in waiting {
            if count > 0, bytes + record.count > Self.frameBytesMax { break }
            count += 1
            bytes += record.count
        }
        lastNumber += 1
        kept.append(
            Kept(
                number: lastNumber, records: Array(waiting.prefix(count)), byteCount: bytes, since: waitingSince ?? now)
        )
        waiting.removeFirst(count)
        guard waiting.isEmpty else { return }
        for index in holds.indices where holds[index].number == nil { holds[index].number = lastNumber }
    }

    private func frame(_ number: UInt64, _ records: [[UInt8]]) -> LinkFrame {
        LinkFrame(
            version: version, from: node, to: peer, wantsAgain: wantsAgain, generation: generation,
            peerGeneration: peerGeneration,
            number: number, received: received, records: records)
    }

    // MARK: Receiving

    mutating func receive(_ frame: LinkFrame) {
        // An earlier life of the other end.
        guard frame.generation >= peerGeneration else { return }
        if frame.generation > peerGeneration {
            // The other end has begun anew. If this one is in the middle of a life, it ends with that.
            if isEstablished { lose() }
            peerGeneration = frame.generation
            received = 0
            owesAnswer = true
        }
        guard frame.peerGeneration == generation else { return owesAnswer = true }
        if !isEstablished {
            isEstablished = true
            owesAnswer = true
            events.append(.established(life: generation))
        }
        confirm(frame.received, wantsAgain: frame.wantsAgain)
        // What it does not take now, it asks for when it can.
        guard !isBlocked else { return }
        if frame.isIdle {
            if frame.number > received { wantsAgain = true }
        } else if frame.number == received + 1 {
            received += 1
            for record in frame.records {
                unackedBytes += record.count
                events.append(.record(record))
            }
        } else if frame.number > received {
            wantsAgain = true
        } else {
            // It was sent again although it had arrived: the confirmation was lost.
            owesAnswer = true
        }
    }

    private mutating func confirm(_ number: UInt64, wantsAgain: Bool) {
        let confirmed = kept.prefix { $0.number <= number }
        byteCount -= confirmed.reduce(0) { $0 + $1.byteCount }
        kept.removeFirst(confirmed.count)
        holds.removeAll { $0.number.map { $0 <= number } ?? false }
        if wantsAgain { resendFrom = number + 1 }
    }
}
