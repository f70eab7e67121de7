import Relay
import Rooms
import Transport

/// The loop of a simulated shard: turns that chance brings about, and the simulation's clock.
final class SimulatedLoop: RelayLoop {
    let index: Int
    unowned let node: SimulatedNode
    private var wheel: TimerWheel
    private var jobs: [() -> Void] = []
    private var flushing: [SimulatedConnection] = []

    init(_ index: Int, _ node: SimulatedNode) {
        self.index = index
        self.node = node
        wheel = TimerWheel(now: node.world.now.monotonic, slotCount: 1 << 12)
    }

    private var world: Simulation { node.world }
    var now: Int64 { world.now.monotonic }
    var unixSeconds: Int64 { world.now.unixSeconds + node.clockError }

    func arm(_ timer: LoopTimer, in milliseconds: Int) { wheel.arm(timer, at: now + Int64(milliseconds)) }
    func cancel(_ timer: LoopTimer) { wheel.cancel(timer) }
    func atTurnEnd(_ job: @escaping () -> Void) { jobs.append(job) }
    func noteWaiting() {}
    func randomNumber() -> UInt64 { world.ids.next() }
    func countedAddress(of peer: PeerAddress) -> IPAddress? { nil }

    func queueFlush(_ connection: SimulatedConnection) { flushing.append(connection) }

    func fireTimers() {
        while let timer = wheel.takeDue(now: now) { timer.fire?() }
    }

    /// Ends a turn like `Shard`: sending and ending can cause more work.
    func endTurn(_ relay: Relay) {
        repeat {
            relay.endTurn()
            while !jobs.isEmpty {
                let taken = jobs
                jobs = []
                for job in taken { job() }
            }
            let connections = flushing
            flushing = []
            for connection in connections { connection.flushTurn() }
        } while !flushing.isEmpty || !jobs.isEmpty
    }

    /// The server ends: nothing of it happens any more.
    func stop() {
        wheel.cancelAll()
        jobs = []
        flushing = []
    }
}
