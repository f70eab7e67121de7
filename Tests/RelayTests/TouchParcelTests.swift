import Rooms
import Testing

@testable import Relay

@Suite struct TouchParcelTests {
    private func parcel(_ touches: (UInt64, String)...) -> TouchParcel {
        var parcel = TouchParcel(RoomID("r"))
        for (number, x) in touches {
            parcel.append(
                of: ConnectionID(shard: 0, number: number), slot: Int(number), x: Array(x.utf8).span,
                y: Array("2".utf8).span, elementID: Array("".utf8).span)
        }
        return parcel
    }

    private func told(_ parcel: TouchParcel) -> [String] {
        parcel.positions.map { "\($0.connection.number):\($0.x)" }
    }

    @Test func whatIsPutBackIsOfEachTheNewestPosition() {
        let older = parcel((1, "1"), (2, "20"), (1, "11"), (3, "300"))
        let newer = parcel((2, "21"))
        var all = older.newest(before: newer)
        #expect(told(all) == ["1:11", "3:300"])
        all.append(newer)
        #expect(told(all) == ["1:11", "3:300", "2:21"])
        #expect(told(all.newest(before: TouchParcel(RoomID("r")))) == ["1:11", "3:300", "2:21"])
    }
}

extension TouchParcel {
    /// The positions with their connections, in order.
    fileprivate var positions: [(connection: ConnectionID, x: String)] {
        var positions: [(connection: ConnectionID, x: String)] = []
        each { connection, _, x, _, _ in
            positions.append((connection, x.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }))
        }
        return positions
    }
}
