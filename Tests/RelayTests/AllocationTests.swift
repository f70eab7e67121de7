import CAllocations
import Glibc
import Testing

@testable import Relay

/// What a touch costs the server's memory allocator, to the last call.
@Suite("Allocations", .enabled(if: allocations_are_counted()))
struct AllocationTests {
    private static let rounds = 100

    /// What a round of touches of one member, each told to all others before the next, costs the shard's thread.
    private func allocationsPerRound(members: Int, touch: String? = nil) throws -> Double {
        let server = try RelayServer { $0.tickMilliseconds = 1...1 }
        let clients = try (0..<members).map { try server.client("person\($0)", touch: touch) }
        for client in clients { _ = try client.join("room") }
        let event = touch.map { $0 == "binary" ? "touch:tick" : "touch:batch" } ?? "touch:moved"
        // Buffers that grow with their use have grown then.
        try move(clients, event)
        let before = try server.onShard { _ in allocations_of_thread() }
        let start = try server.onShard { _ in allocations_of_thread() }
        try move(clients, event)
        let end = try server.onShard { _ in allocations_of_thread() }
        // To ask costs something too, each time the same.
        return Double(end - start - (start - before)) / Double(Self.rounds)
    }

    private func move(_ clients: [TestClient], _ event: String) throws {
        for round in 0..<Self.rounds {
            // So that the room is quiet and its members are told at once.
            usleep(4_000)
            try clients[0].emit("touch:move", "{\"roomId\":\"room\",\"x\":\(1_000 + round),\"y\":0.5}")
            for client in clients.dropFirst() { _ = try client.event(event) }
        }
    }

    @Test("None for a frame that is delivered: what a touch costs does not depend on how many are told")
    func delivery() throws {
        #expect(try allocationsPerRound(members: 40) == allocationsPerRound(members: 2))
    }

    @Test("None for a batch that is delivered")
    func batches() throws {
        let few = try allocationsPerRound(members: 2, touch: "batch")
        #expect(try allocationsPerRound(members: 40, touch: "batch") == few)
    }

    @Test("None for a binary tick that is delivered")
    func ticks() throws {
        let few = try allocationsPerRound(members: 2, touch: "binary")
        #expect(try allocationsPerRound(members: 40, touch: "binary") == few)
    }
}
