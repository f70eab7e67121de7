import Rooms
import Testing

@testable import RoomsSimulation

@Suite("What a simulation holds homes against")
struct RoomTruthTests {
    /// A client reads the log at a node that was the room's home, and does not know that it is lost. Another home has stored
    /// more.
    @Test("A home that clients have met continues after what it has read")
    func met() throws {
        let truth = RoomTruth()
        var room = Room(id: "r0", info: Array(#"{"id":"r0"}"#.utf8), limits: RoomLimits())
        func join(_ number: UInt64) throws -> RoomDelta {
            let person = Person(id: "p\(number)", profile: Array(#"{"id":"p\#(number)"}"#.utf8))
            _ = try room.join(ConnectionID(shard: 0, number: number), person, at: Moment(monotonic: 0, unixSeconds: 0))
            let delta = room.takeDelta()
            return try #require(delta)
        }
        let (first, second) = (try join(1), try join(2))
        let (before, after): (UInt64, UInt64) = (1, 2)
        let generation = try #require(truth.begin(before, afterStored: []))
        for delta in [first, second] { #expect(truth.record(delta, in: generation, losses: 0) == nil) }
        let stored: [(seq: UInt64, incarnation: UInt64)] = [(1, before), (2, before)]
        let met = try #require(truth.begin(after, afterStored: stored, isMet: true))
        #expect(!truth.hasTold(after))
        #expect(truth.begin(after, afterStored: Array(stored.prefix(1))) == met)
        #expect(truth.record(second, in: met, losses: 0) == nil)
        #expect(truth.hasTold(after))
    }
}
