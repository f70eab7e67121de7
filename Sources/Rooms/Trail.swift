import Wire

/// The order in which entries of several rooms were written to one connection. It tells from the last offset that a
/// client has seen how far the client has come in each of its rooms.
///
/// The trail is a list of runs. A run is a sequence of entries of one room that were written without others between
/// them. A client in one room has one run, which grows in place. A client that has seen an entry has seen everything
/// that was written before it.
package struct Trail: Sendable {
    /// Past it the older half is removed. Offsets in that half are not recognised any more.
    package static let runsMax = 128

    private struct Run {
        let membership: UInt64
        let incarnation: UInt64
        /// The first entry, or the newest entry of the state that the answer to a join had.
        let first: UInt64
        var last: UInt64
        let isJoin: Bool
        /// Whether the client has left the room since.
        var isOver = false

        func contains(_ offset: LogOffset) -> Bool {
            guard offset.incarnation == incarnation else { return false }
            if let joined = offset.membership { return isJoin && joined == membership && offset.seq == first }
            return offset.seq <= last && (isJoin ? offset.seq > first : offset.seq >= first)
        }
    }

    private var runs: [Run] = []
    /// How far the client had come in the rooms of the removed runs.
    private var base: [UInt64: UInt64] = [:]

    package init() {}

    // MARK: Writing

    /// The server writes the state of a room, as of `seq`, to the client. No two memberships have the same number.
    package mutating func joined(_ membership: UInt64, incarnation: UInt64, at seq: UInt64) {
        append(Run(membership: membership, incarnation: incarnation, first: seq, last: seq, isJoin: true))
    }

    /// The server writes the entries of a room after `seq` and up to `last` to the client.
    package mutating func wrote(_ membership: UInt64, incarnation: UInt64, after seq: UInt64, upTo last: UInt64) {
        guard last > seq else { return }
        let newest = runs.count - 1
        if newest >= 0, runs[newest].membership == membership, runs[newest].incarnation == incarnation {
            runs[newest].last = last
        } else {
            append(Run(membership: membership, incarnation: incarnation, first: seq + 1, last: last, isJoin: false))
        }
    }

    private mutating func append(_ run: Run) {
        if runs.count == Self.runsMax {
            let old = runs[..<(Self.runsMax / 2)]
            for run in old where !run.isOver { base[run.membership] = run.last }
            runs.removeFirst(old.count)
        }
        runs.append(run)
    }

    /// The client is not in the room any more. Its runs stay, because they say how far it has come in other rooms.
    package mutating func left(_ membership: UInt64) {
        base[membership] = nil
        for index in runs.indices where runs[index].membership == membership { runs[index].isOver = true }
    }

    // MARK: Coming back

    /// Removes everything that was written after the last offset that the client has seen; everything, if that offset
    /// is not known.
    package mutating func rewind(to offset: LogOffset?) {
        guard let offset, let index = runs.firstIndex(where: { $0.contains(offset) }) else {
            self = Trail()
            return
        }
        runs.removeSubrange((index + 1)...)
        runs[index].last = offset.seq
    }

    /// The newest entry of a room that was written; nil when it is not known, or the client did not get the state.
    package func cursor(of membership: UInt64) -> UInt64? {
        runs.last { $0.membership == membership }?.last ?? base[membership]
    }
}

extension Trail: Recordable {
    package func write(to record: inout RecordWriter) {
        record.put(runs) { run, record in
            record.put(run.membership)
            record.put(run.incarnation)
            record.put(run.first)
            record.put(run.last)
            record.put(run.isJoin)
            record.put(run.isOver)
        }
        record.put(base.sorted { $0.key < $1.key }) { entry, record in
            record.put(entry.key)
            record.put(entry.value)
        }
    }

    package init(from record: inout RecordReader) throws(RecordFault) {
        runs = try record.list { record throws(RecordFault) in
            Run(
                membership: try record.number(), incarnation: try record.number(), first: try record.number(),
                last: try record.number(), isJoin: try record.bool(), isOver: try record.bool())
        }
        let base = try record.list { record throws(RecordFault) in (try record.number(), try record.number()) }
        self.base = Dictionary(base) { $1 }
    }
}
