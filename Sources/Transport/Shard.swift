import CLibWebSockets
import COpenSSL
import Glibc
import Threads
import Wire

/// One event loop on a thread of its own, with its listening sockets and its connections.
///
/// Everything reachable from a shard belongs to its thread. Other threads use its mailbox.
public final class Shard {
    static let readBytes = 64 << 10
    static let outputBytes = 256 << 10

    public let index: Int
    /// The mailboxes of all shards of the server, including this one's, by index.
    public let mailboxes: [ShardMailbox]
    public let server: ServerState
    /// Milliseconds of the monotonic clock as of the start of this turn.
    public var now: Int64 { time }
    // The compiler leaves out the check of each access to what no other module can reach.
    private var time: Int64
    public var totals: ShardTotals { counted }
    var counted = ShardTotals()
    /// Counts a request of a peer for its address, against the server's limit and these: see `HTTPExchange.admit`.
    public var requestAdmission: (PeerAddress, [RequestRate]) -> RequestAdmission = { _, _ in .admitted([]) }
    /// The reason why a peer's address may not use the server; nil for one that may.
    public var barrier: (PeerAddress) -> Barrier? = { _ in nil }
    /// Called at the end of each turn, before the connections that asked for it are flushed.
    public var turnEnding: (() -> Void)?
    /// Called at the end of a turn, some twenty times a second while there is work, with the load since the last call:
    /// 0 to 1.
    public var loadMeasured: ((Double) -> Void)?

    /// The buffer for one WebSocket's writes of a turn: those of `gatherer`.
    let output: UnsafeMutableRawBufferPointer
    /// The WebSocket whose writes are in `output`. Another one sends them before it begins to gather its own.
    var gatherer: WebSocketConnection?
    let readBuffer: UnsafeMutableRawBufferPointer
    let plainBuffer: UnsafeMutableRawBufferPointer
    /// The buffer for pieces of a streamed answer.
    let streamBuffer: UnsafeMutableRawBufferPointer
    let tlsIO: UnsafeMutablePointer<rooms_tls_io>
    /// Compressors that the connections of this shard borrow for one message at a time.
    public let deflate = DeflateContext()
    var tlsContext: TLSContext?
    private var lastDate = (second: Int64(0), date: HTTPDate(unixSeconds: 0))
    var service: any HTTPService
    var listeners: [Listener] = []

    private let thread = pthread_self()
    private let eventLoop: EventLoop
    private var loop: UnsafeMutablePointer<uv_loop_t> { eventLoop.loop }
    var sockets: SocketSet { eventLoop.sockets }
    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    private let check: UnsafeMutablePointer<uv_check_t>
    private var loadMeter = LoadMeter(now: uv_hrtime())
    private var turnPace = TurnPace()
    private let alarm: UnsafeMutablePointer<uv_timer_t>
    private var alarmDue: Int64 = .max
    private var wheel: TimerWheel
    private var connections: [Connection?] = []
    private var freeSlots: [Int] = []
    private var flushing: [Connection] = []
    private var turnJobs: [() -> Void] = []
    /// Connections that may wait for something else at their sockets than at the beginning of the turn.
    private var rewatching: [Connection] = []
    private var ended: [Connection] = []
    private(set) var isStopping = false
    var handshakeTokens: Double = 0
    var handshakeTokensAt: Int64 = 0

    /// Called on the shard's own thread.
    init(
        index: Int, mailboxes: [ShardMailbox], server: ServerState, tlsContext: TLSContext?, loop eventLoop: EventLoop
    ) {
        self.index = index
        self.mailboxes = mailboxes
        self.server = server
        self.tlsContext = tlsContext
        self.eventLoop = eventLoop
        service = NoService()
        output = .allocate(byteCount: Self.outputBytes, alignment: 16)
        readBuffer = .allocate(byteCount: Self.readBytes, alignment: 16)
        plainBuffer = .allocate(byteCount: Self.readBytes, alignment: 16)
        streamBuffer = .allocate(byteCount: Self.readBytes, alignment: 16)
        tlsIO = .allocate(capacity: 1)
        tlsIO.initialize(to: rooms_tls_io())
        tlsIO.pointee.output = .allocate(capacity: Self.outputBytes)
        tlsIO.pointee.output_capacity = Self.outputBytes
        prepare = .allocate(capacity: 1)
        prepare.initialize(to: uv_prepare_t())
        check = .allocate(capacity: 1)
        check.initialize(to: uv_check_t())
        alarm = .allocate(capacity: 1)
        alarm.initialize(to: uv_timer_t())
        time = Int64(uv_now(eventLoop.loop))
        wheel = TimerWheel(now: time)
        startHandles()
    }

    deinit {
        output.deallocate()
        readBuffer.deallocate()
        plainBuffer.deallocate()
        streamBuffer.deallocate()
        tlsIO.pointee.output?.deallocate()
        tlsIO.deallocate()
        prepare.deallocate()
        check.deallocate()
        alarm.deallocate()
    }

    private func startHandles() {
        let me = Unmanaged.passUnretained(self).toOpaque()
        uv_prepare_init(loop, prepare)
        prepare.pointee.data = me
        uv_prepare_start(prepare) { handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<Shard>.fromOpaque(data).takeUnretainedValue().endTurn()
        }
        uv_check_init(loop, check)
        check.pointee.data = me
        uv_check_start(check) { handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<Shard>.fromOpaque(data).takeUnretainedValue().beginTurn()
        }
        uv_timer_init(loop, alarm)
        alarm.pointee.data = me
        mailboxes[index].open(on: loop, shard: self)
    }

    func preconditionOnLoop() {
        precondition(pthread_equal(thread, pthread_self()) != 0, "a shard was entered from another thread")
    }

    // MARK: The turn

    /// The loop has waited for its sockets, or has just polled them.
    private func beginTurn() {
        let now = uv_hrtime()
        turnPace.turnBegins(afterNanoseconds: now - min(loadMeter.woke, now))
        loadMeter.wakes(at: now)
    }

    func takePostedItems() {
        preconditionOnLoop()
        time = Int64(uv_now(loop))
        for item in mailboxes[index].takeItems() { item.arrive(on: self) }
        if isStopping { letGo() }
    }

    /// Just before the loop sleeps: output of this turn is sent, and ended connections are released.
    private func endTurn() {
        preconditionOnLoop()
        time = Int64(uv_now(loop))
        // Sending and ending can cause more work, for which nothing would wake the loop.
        repeat {
            turnEnding?()
            runTurnJobs()
        } while flushConnections() || !turnJobs.isEmpty || !rewatchConnections()
        releaseEnded()
        setAlarm()
        let (began, ended) = (loadMeter.woke, uv_hrtime())
        counted.turns.record(nanoseconds: loadMeter.turnNanoseconds(at: ended))
        if let load = loadMeter.sleeps(at: ended) { loadMeasured?(load) }
        let alarm = alarmDue == .max ? .max : UInt64(max(alarmDue, 0)) * 1_000_000
        let pause = turnPace.rest(afterTurnFrom: began, to: ended, before: alarm)
        if pause > 0 { rest(nanoseconds: pause) }
    }

    /// Notes that input of this turn waits for a later time, so that more of its kind may come first.
    public func noteWaiting() {
        turnPace.noteWaiting()
    }

    /// Input that has arrived by the end of the rest is read before a timer fires that is due then.
    private func rest(nanoseconds: Int) {
        var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
        nanosleep(&time, nil)
        uv_update_time(loop)
        loadMeter.wakes(at: uv_hrtime())
    }

    private func runTurnJobs() {
        while !turnJobs.isEmpty {
            let jobs = turnJobs
            turnJobs = []
            for job in jobs { job() }
        }
    }

    /// Returns whether there was something to send.
    private func flushConnections() -> Bool {
        guard !flushing.isEmpty || gatherer != nil else { return false }
        var next = 0
        while next < flushing.count {
            let connection = flushing[next]
            next += 1
            connection.flushTurn()
        }
        flushing.removeAll(keepingCapacity: true)
        gatherer?.sendGathered()
        return true
    }

    /// Runs a job once at the end of this turn. Connections with output from it are flushed afterwards.
    public func atTurnEnd(_ job: @escaping () -> Void) {
        turnJobs.append(job)
    }

    func enteredFromSocket() {
        time = Int64(uv_now(loop))
    }

    func queueFlush(_ connection: Connection) {
        flushing.append(connection)
        turnPace.noteAnswered()
    }

    private func releaseEnded() {
        // The release of one may end others.
        while !ended.isEmpty {
            let ended = ended
            self.ended = []
            for connection in ended { connection.closeSocket() }
        }
    }

    /// Has the connection's interest in its socket looked at when the turn ends: most changes are taken back by then.
    func rewatch(_ connection: Connection) {
        rewatching.append(connection)
    }

    func rewatchNoMore(_ connection: Connection) {
        rewatching.removeAll { $0 === connection }
    }

    /// Answers false when one could not be watched, and has ended.
    private func rewatchConnections() -> Bool {
        var isDone = true
        while let connection = rewatching.popLast() {
            if !connection.watch() { isDone = false }
        }
        return isDone
    }

    /// Later events of this turn may name a connection that has ended, and callers up the stack still use it.
    func keepUntilTurnEnd(_ connection: Connection) {
        ended.append(connection)
    }

    /// Seconds since 1970.
    public var unixSeconds: Int64 { Clock.unixSeconds() }

    /// The time of day for the `Date` header, made once a second.
    var date: HTTPDate {
        let second = unixSeconds
        if lastDate.second != second { lastDate = (second, HTTPDate(unixSeconds: Int(second))) }
        return lastDate.date
    }

    // MARK: What others keep here

    private var locals: [ObjectIdentifier: AnyObject] = [:]

    /// The object of a type that was kept with `keep`. Items from other threads find their target with it.
    public func local<Object: AnyObject>(_ type: Object.Type) -> Object? {
        locals[ObjectIdentifier(type)] as? Object
    }

    public func keep<Object: AnyObject>(_ object: Object) {
        locals[ObjectIdentifier(Object.self)] = object
    }

    // MARK: Timers

    public func arm(_ timer: LoopTimer, in milliseconds: Int) {
        wheel.arm(timer, at: now + Int64(milliseconds))
    }

    public func cancel(_ timer: LoopTimer) {
        wheel.cancel(timer)
    }

    /// Timers that wait for their time.
    public var armedTimerCount: Int { wheel.armedCount }

    private func setAlarm() {
        guard let wait = wheel.millisecondsToNext(now: now) else {
            if alarmDue != .max { uv_timer_stop(alarm) }
            alarmDue = .max
            return
        }
        guard now + wait != alarmDue else { return }
        alarmDue = now + wait
        uv_timer_start(
            alarm,
            { handle in
                guard let data = handle?.pointee.data else { return }
                Unmanaged<Shard>.fromOpaque(data).takeUnretainedValue().fireTimers()
            }, UInt64(wait), 0)
    }

    private func fireTimers() {
        preconditionOnLoop()
        time = Int64(uv_now(loop))
        alarmDue = .max
        while let timer = wheel.takeDue(now: now) { timer.fire?() }
    }

    // MARK: Connections

    public var connectionCount: Int { connections.count - freeSlots.count }

    func insert(_ connection: Connection) -> Int {
        count(connection, 1)
        if let slot = freeSlots.popLast() {
            connections[slot] = connection
            return slot
        }
        connections.append(connection)
        return connections.count - 1
    }

    private func count(_ connection: Connection, _ change: Int) {
        if connection.isSecure { counted.secureConnections += change } else { counted.plainConnections += change }
    }

    func remove(slot: Int) {
        if let connection = connections[slot] { count(connection, -1) }
        connections[slot] = nil
        freeSlots.append(slot)
    }

    // MARK: The end

    /// Begins to accept.
    func listen(_ sockets: [ListeningSocket]) {
        if isStopping { return sockets.forEach { $0.close() } }
        listeners += sockets.map { Listener(shard: self, loop: loop, $0) }
    }

    /// Stops accepting. Open connections stay.
    func stopListening() {
        for listener in listeners { listener.close() }
        listeners = []
    }

    /// Ends every connection and then the loop, whose thread returns from `run`.
    func stop() {
        preconditionOnLoop()
        guard !isStopping else { return }
        isStopping = true
        stopListening()
        service.shardStopping()
        for connection in connections { connection?.end(.serverStopping) }
        // An item may carry a connection. It still arrives, so that nothing it owns stays open.
        for item in mailboxes[index].close() { item.arrive(on: self) }
        for connection in connections { connection?.end(.serverStopping) }
        letGo()
        uv_prepare_stop(prepare)
        prepare.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
        uv_check_stop(check)
        check.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
        uv_timer_stop(alarm)
        alarm.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
        turnEnding = nil
        loadMeasured = nil
        locals = [:]
        service = NoService()
        eventLoop.stop()
    }

    /// No turn ends any more. Jobs that wait for the end of one would hold the shard, as the shard holds them.
    private func letGo() {
        wheel.cancelAll()
        turnJobs = []
        flushing = []
        gatherer = nil
        rewatching = []
        releaseEnded()
    }
}
