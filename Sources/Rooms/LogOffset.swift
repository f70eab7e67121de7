import Wire

/// A place in a room's log that a client knows: the newest entry that it was sent, or the answer to its join.
///
/// For the client it is an opaque text, `<seq>.<incarnation>` or `<seq>.<incarnation>.<membership>`, the last two
/// numbers in base 36. The client keeps the newest one, and shows it when it comes back.
package struct LogOffset: Equatable, Sendable {
    package let seq: UInt64
    /// The room's incarnation: see `Room.incarnation`.
    package let incarnation: UInt64
    /// Set for the answer to a join. The entry with the same number may be much older than the answer.
    package let membership: UInt64?

    package init(seq: UInt64, incarnation: UInt64, membership: UInt64? = nil) {
        self.seq = seq
        self.incarnation = incarnation
        self.membership = membership
    }

    /// Nil for a text that is not an offset, because clients can send any text.
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

    /// The text after the number in the offsets of a room's entries, up to the end of the event.
    static func tail(_ incarnation: UInt64) -> [UInt8] {
        Array(".\(String(incarnation, radix: 36))\"]".utf8)
    }
}

extension LogOffset: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(seq)
        record.put(incarnation)
        record.put(membership) { $1.put($0) }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        self.init(
            seq: try record.number(), incarnation: try record.number(),
            membership: try record.optional { record throws(RecordFault) in try record.number() })
    }
}
