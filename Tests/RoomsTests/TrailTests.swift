import Testing

@testable import Rooms

@Suite("A trail")
struct TrailTests {
    /// One thing that was written to a connection.
    private enum Write {
        case joined(UInt64, UInt64)
        case entry(UInt64, UInt64)
    }

    private static func rewound(_ trail: Trail, to offset: LogOffset?) -> Trail {
        var copy = trail
        copy.rewind(to: offset)
        return copy
    }

    /// Rooms are their memberships, and ten times as much their incarnations.
    private static func offset(_ write: Write) -> LogOffset {
        switch write {
        case .joined(let room, let seq): LogOffset(seq: seq, incarnation: room * 10, membership: room)
        case .entry(let room, let seq): LogOffset(seq: seq, incarnation: room * 10)
        }
    }

    /// Every order in which two rooms can be joined and written to, cut at every place, once and once more.
    @Test("From any offset that was written it says how far each room had come then, in every small case")
    func exhaustive() {
        for order in 0..<256 {
            var trail = Trail()
            var seqs: [UInt64] = [0, 5, 7]
            var writes: [Write] = [.joined(1, 5), .joined(2, 7)]
            trail.joined(1, incarnation: 10, at: 5)
            trail.joined(2, incarnation: 20, at: 7)
            for step in 0..<8 {
                let room = order >> step & 1 + 1
                trail.wrote(UInt64(room), incarnation: UInt64(room) * 10, after: seqs[room], upTo: seqs[room] + 2)
                writes.append(.entry(UInt64(room), seqs[room] + 1))
                writes.append(.entry(UInt64(room), seqs[room] + 2))
                seqs[room] += 2
            }
            for cut in writes.indices {
                let rewound = Self.rewound(trail, to: Self.offset(writes[cut]))
                for earlier in 0...cut {
                    var known: [UInt64: UInt64] = [:]
                    for write in writes[...earlier] {
                        switch write {
                        case .joined(let room, let seq), .entry(let room, let seq): known[room] = seq
                        }
                    }
                    let again = Self.rewound(rewound, to: Self.offset(writes[earlier]))
                    for room in 1...2 as ClosedRange<UInt64> { #expect(again.cursor(of: room) == known[room]) }
                }
                if cut + 1 < writes.count {
                    let beyond = Self.rewound(rewound, to: Self.offset(writes[cut + 1]))
                    #expect(beyond.cursor(of: 1) == nil && beyond.cursor(of: 2) == nil)
                }
            }
        }
    }

    @Test("What was not written says nothing: no offset, another room's, numbers before and beyond")
    func unknown() {
        var trail = Trail()
        trail.joined(1, incarnation: 10, at: 5)
        trail.wrote(1, incarnation: 10, after: 5, upTo: 8)
        for offset in [
            nil, LogOffset(seq: 5, incarnation: 10), LogOffset(seq: 4, incarnation: 10),
            LogOffset(seq: 9, incarnation: 10),
            LogOffset(seq: 7, incarnation: 11), LogOffset(seq: 6, incarnation: 10, membership: 1),
            LogOffset(seq: 5, incarnation: 10, membership: 2), LogOffset(seq: 0, incarnation: 0),
            LogOffset(seq: .max, incarnation: 10),
        ] {
            #expect(Self.rewound(trail, to: offset).cursor(of: 1) == nil)
        }
        #expect(Self.rewound(trail, to: LogOffset(seq: 5, incarnation: 10, membership: 1)).cursor(of: 1) == 5)
        #expect(Self.rewound(trail, to: LogOffset(seq: 8, incarnation: 10)).cursor(of: 1) == 8)
    }

    /// A client that joins again is told the state; the offset of that may have the number of an entry seen long before.
    @Test("The answer to a second join is told from an entry of the same number")
    func again() {
        var trail = Trail()
        trail.joined(1, incarnation: 10, at: 5)
        trail.wrote(1, incarnation: 10, after: 5, upTo: 6)
        trail.joined(2, incarnation: 20, at: 1)
        trail.wrote(2, incarnation: 20, after: 1, upTo: 3)
        trail.left(1)
        trail.joined(3, incarnation: 10, at: 6)
        let before = Self.rewound(trail, to: LogOffset(seq: 6, incarnation: 10))
        #expect(before.cursor(of: 3) == nil && before.cursor(of: 2) == nil)
        let after = Self.rewound(trail, to: LogOffset(seq: 6, incarnation: 10, membership: 3))
        #expect(after.cursor(of: 3) == 6 && after.cursor(of: 2) == 3)
    }

    @Test("A room that was left goes on saying how far others had come")
    func left() {
        var trail = Trail()
        trail.joined(1, incarnation: 10, at: 0)
        trail.joined(2, incarnation: 20, at: 0)
        trail.wrote(1, incarnation: 10, after: 0, upTo: 4)
        trail.left(1)
        #expect(Self.rewound(trail, to: LogOffset(seq: 4, incarnation: 10)).cursor(of: 2) == 0)
    }

    @Test("It is bounded: removed runs still count as seen by a client that has seen a later entry")
    func bounded() {
        var trail = Trail()
        var seqs: [UInt64] = [0, 0, 0]
        for room in 1...2 as ClosedRange<UInt64> { trail.joined(room, incarnation: room * 10, at: 0) }
        trail.joined(3, incarnation: 30, at: 9)
        for step in 0..<10_000 {
            let room = step % 2 + 1
            trail.wrote(UInt64(room), incarnation: UInt64(room) * 10, after: seqs[room], upTo: seqs[room] + 1)
            seqs[room] += 1
        }
        let newest = Self.rewound(trail, to: LogOffset(seq: 5_000, incarnation: 20))
        #expect((1...3).map { newest.cursor(of: $0) } == [5_000, 5_000, 9])
        let early = Self.rewound(trail, to: LogOffset(seq: 4_000, incarnation: 20))
        #expect((1...3).map { early.cursor(of: $0) } == [nil, nil, nil])
        let kept = (1...5_000).filter {
            Self.rewound(trail, to: LogOffset(seq: $0, incarnation: 20)).cursor(of: 3) != nil
        }
        #expect(kept.count >= Trail.runsMax / 4 && kept.count <= Trail.runsMax / 2)
    }
}
