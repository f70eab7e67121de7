import Rooms
import Testing

@testable import Relay

@Suite("Touches that are kept for the next home of a room")
struct KeptTouchesTests {
    private let connection = ConnectionID(shard: 0, number: 1)

    private var parcel: TouchParcel {
        var parcel = TouchParcel(RoomID("r"))
        parcel.append(
            of: connection, slot: 0, x: Array("1".utf8).span, y: Array("2".utf8).span, elementID: Array("".utf8).span)
        return parcel
    }

    @Test("are over for a home that got them from a member, with their ends; the next home gets them")
    func over() throws {
        var touches = KeptTouches()
        touches.note(parcel, sentOf: [connection])
        #expect(touches[connection]?.isOver == false)
        touches.end(connection, 1, isSent: true)
        #expect(touches[connection]?.isOver == true)
        var next = KeptTouches()
        next.add(try #require(touches[connection]), of: connection)
        #expect(next[connection]?.isOver == false && next[connection]?.end == 1)
        next.noteSent(of: connection)
        #expect(next[connection]?.isOver == true)
    }

    @Test("end with the leave of who makes them, and go to the next home until the end is stored")
    func leave() throws {
        var touches = KeptTouches()
        touches.leave(connection, 1)
        #expect(touches.isEmpty)
        touches.note(parcel, sentOf: [connection])
        touches.leave(connection, 2)
        #expect(touches[connection]?.end == 2)
        touches.leave(connection, 3)
        touches.forgetEnd(3, of: connection)
        #expect(touches[connection]?.end == 2)
        touches.forgetEnd(2, of: connection)
        #expect(touches.isEmpty)
    }

    @Test("are not over for a home that was sent them before it had admitted the member")
    func early() {
        for (members, isSent) in [([], true), ([connection], false)] as [(Set<ConnectionID>, Bool)] {
            var touches = KeptTouches()
            touches.note(parcel, sentOf: members)
            touches.end(connection, 1, isSent: isSent)
            #expect(touches[connection]?.isOver == false)
        }
    }
}
