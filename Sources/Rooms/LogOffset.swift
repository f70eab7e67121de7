import Wire

/// Names the newest thing of a room that a client has been sent: an entry of the log, or the answer to its join.
///
/// A client knows it as text that means nothing to it, `<seq>.<incarnation>` or `<seq>.<incarnation>.<membership>`, the
/// last two to the base of 36. It keeps the last one that it has seen and shows it when it comes back.
package struct LogOffset: Equatable, Sendable {
    package let seq: UInt64
    /// Of the room: see `Room.incarnation`.
    package let incarnation: UInt64
    /// Set for the answer to a join. An entry of the same number may have come long before the answer.
    package let membership: UInt64?

    package init(seq: UInt64, incarnation: UInt64, membership: UInt64? = nil) {
        self.seq = seq
        self.incarnation = incarnation
        self.membership = membership
    }

    /// Nil for what is not an offset: clients send what they like.
    package init?(_ text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let seq = UInt64(parts[0]),
            let incarnation = UInt64(parts[1], radix: 36)
        else { return nil }
        var membership: UInt64?
        if parts.count == 3 {
            membership = UInt64(parts[2], radix: 36)
            if membership == nil { return nil }
        }
        self.init(seq: seq, incarnation: incarnation, membership: membership)
    }

    package var text: String {
        let entry = "\(seq).\(String(incarnation, radix: 36))"
        return membership.map { "\(entry).\(String($0, radix: 36))" } ?? entry
    }

    /// What stands behind the number in the offsets of a room's entries, to the end of the event.
    static func tail(_ incarnation: UInt64) -> [UInt8] {
        Array(".\(String(incarnation, radix: 36))\"]".utf8)
    }
}
