/// The state of a room at one tick, for all clients that join with that tick. The JSON is written once and shared: only
/// the member `self` differs between the clients.
package final class RoomState: Sendable {
    /// The JSON before the value of `self`, and after it.
    let head: [UInt8]
    let tail: [UInt8]

    /// The approximate length of names of members and punctuation.
    static let restByteCount = 96

    init(head: [UInt8], tail: [UInt8]) {
        self.head = head
        self.tail = tail
    }

    package var byteCount: Int { head.count + tail.count }

    /// Appends the members of the client's object, without its braces.
    package func append(to bytes: inout [UInt8], self joiner: [UInt8]) {
        bytes.append(contentsOf: head)
        bytes.append(contentsOf: joiner)
        bytes.append(contentsOf: tail)
    }
}
