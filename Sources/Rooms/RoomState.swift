/// The state of a room at one tick, as everybody is told it who joins with that tick: JSON that is written once and shared.
/// Only the member `self` differs from joiner to joiner.
package final class RoomState: Sendable {
    /// The members before the value of `self`, and those behind it.
    private let head: [UInt8]
    private let tail: [UInt8]

    /// Names of members and punctuation, about.
    static let restByteCount = 96

    init(head: [UInt8], tail: [UInt8]) {
        self.head = head
        self.tail = tail
    }

    package var byteCount: Int { head.count + tail.count }

    /// Appends the members of the joiner's object, without its braces.
    package func append(to bytes: inout [UInt8], self joiner: [UInt8]) {
        bytes.append(contentsOf: head)
        bytes.append(contentsOf: joiner)
        bytes.append(contentsOf: tail)
    }
}
