import Recordings
import RoomsClient
import Threads

/// How a client records a room.
package struct RecordOptions: Sendable {
    package var url = "http://127.0.0.1:8080"
    package var room = "lobby"
    package var path = ""
    package var token: String? = "recorder"
    package var trust: TLSTrust?
    package var bytesMax = 1 << 30

    package init() {}
}

/// A member of a room that writes down what it is told. It belongs to its loop's thread; `RecordRun` is its side for others.
final class RoomListener: ClientSessionHandler {
    /// How long lines may wait for a block to be written.
    private static let flushMilliseconds: Int64 = 1_000

    private let options: RecordOptions
    private let loop: ClientLoop
    private let file: RecordingFile
    private let begunAt: Int64
    private let timer = ClientTimer()
    private var session: ClientSession?
    private var lineCount = 0
    private var isEnding = false
    private let ended: (RecordReport) -> Void

    init(
        _ options: RecordOptions, _ file: RecordingFile, _ loop: ClientLoop, ended: @escaping (RecordReport) -> Void
    ) throws(ClientError) {
        (self.options, self.file, self.loop, self.ended) = (options, file, loop, ended)
        begunAt = loop.now
        var configuration = ClientConfiguration()
        configuration.token = options.token
        configuration.trust = options.trust
        // The form that needs no state to be read.
        configuration.touches = .batches
        session = try ClientSession(
            options.url, configuration: configuration, tokens: options.token.map { .fixed($0) } ?? .none, loop: loop,
            handler: self)
    }

    func start() {
        timer.fire = { [unowned self] in self.timeHasPassed() }
        loop.arm(timer, in: Self.flushMilliseconds)
        session?.connect(within: 10_000)
        session?.join(options.room) { [weak self] result in
            if case .failure(let error) = result { self?.end("\(error)", hasFailed: true) }
        }
    }

    func stop() { end("stopped", hasFailed: false) }

    private func timeHasPassed() {
        loop.arm(timer, in: Self.flushMilliseconds)
        write { () throws(RecordingFault) in try file.flush() }
    }

    private func write(_ body: () throws(RecordingFault) -> Void) {
        guard !isEnding else { return }
        do throws(RecordingFault) { try body() } catch { return end("\(error)", hasFailed: true) }
        if file.isFull { end("the file has the size that it may have", hasFailed: false) }
    }

    private func end(_ reason: String, hasFailed: Bool) {
        guard !isEnding else { return }
        isEnding = true
        try? file.flush()
        // A file of nothing would only be in the way of the next attempt.
        if lineCount == 0 { file.remove() } else { file.close() }
        let report = RecordReport(
            reason: reason, hasFailed: hasFailed, lineCount: lineCount, byteCount: file.byteCount,
            milliseconds: file.milliseconds)
        // Not from within the session's own turn, and the farewell takes another one.
        let session = session.take()
        loop.atTurnEnd { session?.close() }
        timer.fire = { [unowned self] in
            self.timer.fire = nil
            self.ended(report)
        }
        loop.arm(timer, in: 1)
    }

    // MARK: What the session tells

    func session(_ session: ClientSession, received event: IncomingEvent, in text: Span<UInt8>) {
        switch event.kind {
        case .draining, .tokenExpiring, .error, .other: return
        default: break
        }
        let name = text.extracting(event.name).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let argument = text.extracting(event.arguments).withUnsafeBufferPointer { Array($0) }
        let time = loop.now - begunAt
        lineCount += 1
        write { () throws(RecordingFault) in
            try file.append(RecordingLine(time: time, name: name, argument: argument))
        }
        if event.kind == .roomClosed { end("the room was closed", hasFailed: false) }
    }

    func session(_ session: ClientSession, moved batch: TouchBatch) {}
    func sessionConnected(_ session: ClientSession, isRecovered: Bool) {}
    func sessionDisconnected(_ session: ClientSession, reason: String, retryInMilliseconds: Int64) {}
    func sessionClosed(_ session: ClientSession, _ error: ClientError) { end("\(error)", hasFailed: true) }
    func session(_ session: ClientSession, lostRoom roomID: String, _ error: ClientError) {
        end("\(error)", hasFailed: true)
    }
    func sessionNeedsToken(_ session: ClientSession) {}
}

/// What a recording has come to.
package struct RecordReport: Sendable {
    package let reason: String
    package let hasFailed: Bool
    package let lineCount: Int
    package let byteCount: Int
    package let milliseconds: Int64
}

/// Records a room on a thread of its own.
package final class RecordRun: Sendable {
    private let loop: ClientLoop
    private let listener: LoopBound<RoomListener>
    private let last: Locked<RecordReport?>

    package enum Fault: Error, CustomStringConvertible {
        case client(ClientError)
        case file(RecordingFault)

        package var description: String {
            switch self {
            case .client(let error): "\(error)"
            case .file(let fault): "\(fault)"
            }
        }
    }

    /// - Parameter now: milliseconds since 1970.
    package init(_ options: RecordOptions, now: Int64) throws(Fault) {
        let last = Locked<RecordReport?>(nil)
        self.last = last
        do throws(ClientError) { _ = try ServerURL(options.url) } catch { throw .client(error) }
        let file: RecordingFile
        do throws(RecordingFault) {
            file = try RecordingFile(
                path: options.path, head: RecordingHead(roomID: options.room, startedAt: now),
                bytesMax: options.bytesMax)
        } catch { throw .file(error) }
        do throws(ClientError) {
            loop = try ClientLoop()
            let made = try RoomListener(options, file, loop) { report in last.withLock { $0 = report } }
            listener = LoopBound(value: made)
        } catch { throw .client(error) }
        let listener = listener
        loop.post { listener.value.start() }
    }

    package func stop() {
        let listener = listener
        loop.post { listener.value.stop() }
    }

    /// Set when the recording has ended.
    package var result: RecordReport? { last.withLock { $0 } }

    deinit {
        loop.stop()
    }
}
