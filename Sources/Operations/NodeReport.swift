import Transport
import Wire

/// What a node says of itself to the operators of its cluster. The database has the newest report of each node.
package struct NodeReport: Sendable, Equatable {
    package var connections = 0
    package var members = 0
    /// Rooms that the node is home to.
    package var rooms = 0
    /// Rooms with members on the node whose home is another one.
    package var roomsElsewhere = 0
    package var touchesOut = 0
    package var memoryBytes = 0
    package var startSeconds = 0
    package var isDraining = false
    /// Whether it reaches Redis.
    package var isCarried = false
    /// The nodes to which it has a pipe.
    package var connectedTo: [Int] = []
    /// Loops that did not answer in time.
    package var hangingLoops = 0

    package init() {}

    init(_ server: ServerReading) {
        connections = server.transport.connectionsOpen.value
        members = server.sum { $0.relay?.totals.memberships ?? 0 }
        rooms = server.sum { $0.relay?.rooms ?? 0 }
        roomsElsewhere = server.sum { $0.relay?.roomsElsewhere ?? 0 }
        touchesOut = server.sum { $0.relay?.totals.touchesSent ?? 0 }
        memoryBytes = Int(server.process.residentBytes)
        startSeconds = Int(server.process.startSeconds)
        isDraining = server.isDraining
        isCarried = server.cluster?.link.isCarried ?? false
        connectedTo = server.cluster?.link.peers.filter(\.isConnected).map(\.node) ?? []
        hangingLoops = server.shards.count { $0 == nil }
    }

    // MARK: As text

    package var json: String {
        var bytes: [UInt8] = []
        JSONWriter.write(into: &bytes) { json in
            json.beginObject()
            json.member("connections", connections)
            json.member("members", members)
            json.member("rooms", rooms)
            json.member("roomsElsewhere", roomsElsewhere)
            json.member("touchesOut", touchesOut)
            json.member("memoryBytes", memoryBytes)
            json.member("startSeconds", startSeconds)
            json.member("draining", isDraining)
            json.member("redis", isCarried)
            json.key("connectedTo")
            json.beginArray()
            for node in connectedTo { json.int(node) }
            json.endArray()
            json.member("hangingLoops", hangingLoops)
            json.endObject()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Nil for a node that has said nothing yet. What a node of another version does not say counts as nothing.
    package init?(json: String) {
        guard let reader = try? JSONReader(Array(json.utf8)) else { return nil }
        func count(_ name: String) -> Int { reader[name]?.int ?? 0 }
        (connections, members, rooms) = (count("connections"), count("members"), count("rooms"))
        (roomsElsewhere, touchesOut) = (count("roomsElsewhere"), count("touchesOut"))
        (memoryBytes, startSeconds) = (count("memoryBytes"), count("startSeconds"))
        hangingLoops = count("hangingLoops")
        isDraining = reader["draining"]?.bool ?? false
        isCarried = reader["redis"]?.bool ?? false
        connectedTo = reader["connectedTo"]?.items?.compactMap(\.int) ?? []
    }

    /// The report of this moment. Loops that hang are waited for for two seconds.
    package static func now(
        _ facts: OperatorFacts, _ mailboxes: [ShardMailbox], _ server: ServerState
    ) async -> NodeReport {
        await withCheckedContinuation { continuation in
            let gathering = ServerReading.gather(facts, mailboxes, server) {
                continuation.resume(returning: NodeReport($0))
            }
            Task.detached {
                try? await Task.sleep(for: .seconds(2))
                gathering.giveUp()
            }
        }
    }
}
