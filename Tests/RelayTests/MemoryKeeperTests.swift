import Rooms
import Testing

@testable import Relay

@Suite struct MemoryKeeperTests {
    /// A room with so many notes of 1,000 bytes.
    private func contents(_ notes: Int) -> RoomContents {
        var values = Element.noValues
        for field in 0..<4 { values[field] = Array("1".utf8) }
        values[Element.Field.content.rawValue] = Array("\"\(String(repeating: "x", count: 1_000))\"".utf8)
        let elements = (0..<notes).map { number in
            let element = Element(
                stored: "e\(number)", kind: .note, createdBy: Array(#""ada""#.utf8), createdAt: 0, values: values,
                version: 1, updatedAt: nil, updatedBy: [])
            return (element: element, creation: String?.none)
        }
        return RoomContents(elements: elements, rememberedCreations: [], seq: UInt64(notes))
    }

    private func kept(_ room: String, in keeper: MemoryKeeper) throws -> Int? {
        try keeper.load(room) { _ in }?.get()?.elementCount
    }

    /// 10,000 rooms of 3.75 MB could be left behind.
    @Test func pastItsBytesTheRoomsGoThatWereLeftTheLongestAgo() throws {
        let keeper = MemoryKeeper(bytesMax: 1_000_000)
        let size = contents(100).memoryBytes
        #expect(size > 100_000)
        for room in 0..<100 {
            keeper.store(contents(100), of: "r\(room)")
            #expect(keeper.counts.bytes <= 1_000_000)
        }
        let (rooms, bytes) = keeper.counts
        #expect(rooms == 1_000_000 / size && bytes == rooms * size)
        #expect(try kept("r99", in: keeper) == 100)
        #expect(try kept("r\(100 - rooms)", in: keeper) == 100)
        #expect(try kept("r\(99 - rooms)", in: keeper) == nil)
        #expect(keeper.counts.rooms == rooms - 2 && keeper.counts.bytes == (rooms - 2) * size)
    }

    @Test func aRoomThatIsLeftAgainCountsOnceAndAsTheNewest() throws {
        let size = contents(10).memoryBytes
        let keeper = MemoryKeeper(bytesMax: 2 * size)
        for room in ["a", "b", "a", "c"] { keeper.store(contents(10), of: room) }
        #expect(keeper.counts == (rooms: 2, bytes: 2 * size))
        #expect(try kept("b", in: keeper) == nil && kept("a", in: keeper) == 10 && kept("c", in: keeper) == 10)
        #expect(keeper.counts == (rooms: 0, bytes: 0))
    }

    @Test func aRoomThatIsLargerThanTheBoundPutsOutAllOthersAndItself() throws {
        let keeper = MemoryKeeper(bytesMax: contents(10).memoryBytes)
        keeper.store(contents(5), of: "small")
        keeper.store(contents(11), of: "large")
        #expect(keeper.counts == (rooms: 0, bytes: 0))
    }
}
