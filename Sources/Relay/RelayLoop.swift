import Transport

/// The loop of a shard, as a relay needs it: its clock, its timers and the ends of its turns.
///
/// A server's relay runs on a `Shard`. The simulation has a loop of its own.
package protocol RelayLoop: AnyObject {
    /// The number of the shard.
    var index: Int { get }
    /// Milliseconds of a clock that never goes back, as of the start of this turn.
    var now: Int64 { get }
    var unixSeconds: Int64 { get }

    func arm(_ timer: LoopTimer, in milliseconds: Int)
    func cancel(_ timer: LoopTimer)
    /// Runs a job once at the end of this turn.
    func atTurnEnd(_ job: @escaping () -> Void)
    /// What was taken in this turn waits for a time that is not yet.
    func noteWaiting()
    /// A number that nobody guesses. The simulation's are the same with the same seed.
    func randomNumber() -> UInt64
    /// The address by which what comes from a peer is counted; nil for peers of whom nothing is.
    func countedAddress(of peer: PeerAddress) -> IPAddress?
}

/// The random numbers of a loop.
struct LoopRandom: RandomNumberGenerator {
    let loop: any RelayLoop

    mutating func next() -> UInt64 { loop.randomNumber() }
}

/// The way to the relay of a shard, from any thread. Messages arrive in the order in which they were sent.
package protocol RelayMailbox: Sendable {
    /// Answers false, and drops the message, when the shard takes nothing more.
    func post(_ message: RelayMessage) -> Bool
    /// The same for what a full mailbox must not refuse: it does so only when the shard is not running.
    @discardableResult
    func insist(_ message: RelayMessage) -> Bool
}
