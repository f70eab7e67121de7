import Transport

/// The loop of a shard for the relay: its clock, its timers and the ends of its turns.
///
/// In a server it is a `Shard`. The simulation has its own.
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
    /// Notes that input of this turn waits for a later time.
    func noteWaiting()
    /// A number that cannot be guessed. In the simulation it follows from the seed.
    func randomNumber() -> UInt64
    /// The address under which a peer is counted; nil for a peer that is not counted.
    func countedAddress(of peer: PeerAddress) -> IPAddress?
}

/// The random numbers of a loop.
struct LoopRandom: RandomNumberGenerator {
    let loop: any RelayLoop

    mutating func next() -> UInt64 { loop.randomNumber() }
}

/// The mailbox of a shard's relay, for any thread. Messages arrive in the order in which they were sent.
package protocol RelayMailbox: Sendable {
    /// Whether the shard has taken all messages that were sent to it.
    var isEmpty: Bool { get }
    /// Returns false, and drops the message, when the shard takes no more.
    func post(_ message: RelayMessage) -> Bool
    /// The same for messages that a full mailbox must take. It refuses them only when the shard is not running.
    @discardableResult
    func insist(_ message: RelayMessage) -> Bool
}
