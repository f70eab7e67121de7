import Recordings
import RoomsClient

/// Sends the motions of a recording's participants, each over a connection of its own. It belongs to its loop's thread;
/// `ReplayRun` is its side for others.
final class ReplayStage: ClientSessionHandler {
    /// Further participants are left out: a recording is not to open any number of connections.
    private static let peopleMax = 10_000
    /// The loop reads its sockets in between.
    private static let stepsPerTurn = 1_000

    private let options: ReplayOptions
    private let room: String
    private let loop: ClientLoop
    private var script: ReplayScript
    private var next: ReplayScript.Step?
    private var people: [Int: ClientSession] = [:]
    /// Sessions whose joins have no answer yet.
    private var joining: Set<ObjectIdentifier> = []
    private let timer = ClientTimer()
    private var begunAt: Int64
    /// When the recording's clock was stopped, because somebody is joining.
    private var stoppedAt: Int64?
    private var counters = ReplayReport()
    private var isEnding = false
    private let ended: (ReplayReport) -> Void

    init(
        _ options: ReplayOptions, _ reader: RecordingReader, _ loop: ClientLoop, ended: @escaping (ReplayReport) -> Void
    ) {
        (self.options, self.loop, self.ended) = (options, loop, ended)
        room = options.room ?? reader.head.roomID
        script = ReplayScript(reader)
        begunAt = loop.now
    }

    func start() {
        timer.fire = { [unowned self] in self.play() }
        play()
    }

    func stop() { end(nil) }

    /// Does what is due. The recording's clock stands still while somebody is joining: what a participant does before the
    /// server has let them in would be lost. Others may come meanwhile.
    private func play() {
        guard !isEnding, stoppedAt == nil else { return }
        do throws(RecordingFault) {
            for _ in 0..<Self.stepsPerTurn {
                if next == nil { next = try script.next() }
                guard let step = next else { return end(nil) }
                let wait = Double(step.time) / options.speed - Double(loop.now - begunAt)
                // A timer of a long time could overflow.
                guard wait <= 0 else { return loop.arm(timer, in: Int64(min(wait.rounded(.up), 60_000))) }
                guard joining.isEmpty || step.act == .come else {
                    stoppedAt = loop.now
                    return
                }
                next = nil
                perform(step)
            }
            loop.arm(timer, in: 0)
        } catch {
            end("\(error)")
        }
    }

    private func perform(_ step: ReplayScript.Step) {
        switch step.act {
        case .come: come(step.person)
        case .move(let touch):
            let isSent = people[step.person]?.move(in: room, to: touch) ?? false
            if isSent { counters.touches += 1 } else { counters.lost += 1 }
        case .lift: people[step.person]?.endTouch(in: room)
        case .go: people[step.person]?.leave(room)
        }
    }

    private func come(_ person: Int) {
        if let session = people[person] { return join(session) }
        guard person < Self.peopleMax else { return }
        var configuration = ClientConfiguration()
        configuration.trust = options.trust
        configuration.touches = .binary(decimals: 1)
        configuration.room = room
        let token = options.token("\(options.prefix)-\(person)")
        do throws(ClientError) {
            let session = try ClientSession(
                options.url, configuration: configuration, tokens: token.map { .fixed($0) } ?? .none, loop: loop,
                handler: self)
            people[person] = session
            counters.people += 1
            session.connect()
            join(session)
        } catch {
            note(error)
        }
    }

    private func join(_ session: ClientSession) {
        let id = ObjectIdentifier(session)
        joining.insert(id)
        session.join(room) { [weak self] result in
            if case .failure(let error) = result { self?.note(error) }
            self?.answered(id)
        }
    }

    /// The session is in the room, may not come in, or has no connection.
    private func answered(_ session: ObjectIdentifier) {
        joining.remove(session)
        guard joining.isEmpty, let stopped = stoppedAt else { return }
        stoppedAt = nil
        begunAt += loop.now - stopped
        loop.arm(timer, in: 0)
    }

    private func note(_ error: ClientError) {
        guard error != .closed else { return }
        counters.lastError = "\(error)"
    }

    private func end(_ fault: String?) {
        guard !isEnding else { return }
        isEnding = true
        counters.fault = fault
        for session in people.values { session.close() }
        people = [:]
        // The farewells take another turn.
        timer.fire = { [unowned self] in
            self.timer.fire = nil
            self.ended(self.counters)
        }
        loop.arm(timer, in: 1)
    }

    // MARK: What the sessions tell

    func session(_ session: ClientSession, received event: IncomingEvent, in text: Span<UInt8>) {
        if event.kind == .roomJoined { counters.joins += 1 }
    }

    func session(_ session: ClientSession, moved batch: TouchBatch) { counters.received += batch.touches.count }
    func sessionConnected(_ session: ClientSession, isRecovered: Bool) {}

    func sessionDisconnected(_ session: ClientSession, reason: String, retryInMilliseconds: Int64) {
        answered(ObjectIdentifier(session))
    }

    func sessionClosed(_ session: ClientSession, _ error: ClientError) { note(error) }
    func session(_ session: ClientSession, lostRoom roomID: String, _ error: ClientError) { note(error) }
    func sessionNeedsToken(_ session: ClientSession) {}
}

/// What a replay has done.
package struct ReplayReport: Sendable {
    package internal(set) var people = 0
    package internal(set) var joins = 0
    /// Positions that were sent, or replaced by newer ones before.
    package internal(set) var touches = 0
    /// Positions of participants who were not in the room.
    package internal(set) var lost = 0
    package internal(set) var received = 0
    /// What a server said last against a participant.
    package internal(set) var lastError: String?
    /// Why the recording could not be read to its end.
    package internal(set) var fault: String?

    package var line: String {
        "\(people) participants with \(joins) joins sent \(touches) positions and received \(received); "
            + "\(lost) were of participants who were not in the room." + (lastError.map { " (\($0))" } ?? "")
    }
}
