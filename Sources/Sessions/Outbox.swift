import Wire

/// Packets that wait for one client, in order. All clients share the bytes of a broadcast.
struct Outbox {
    struct Packet {
        var type: EnginePacketType
        var isBinary: Bool
        var bytes: [UInt8]
    }

    private var packets: [Packet] = []
    private var first = 0
    private(set) var byteCount = 0

    var isEmpty: Bool { first == packets.count }
    var count: Int { packets.count - first }
    var next: Packet? { first < packets.count ? packets[first] : nil }

    mutating func append(_ packet: Packet) {
        packets.append(packet)
        byteCount += packet.bytes.count
    }

    mutating func removeFirst() {
        guard first < packets.count else { return }
        byteCount -= packets[first].bytes.count
        packets[first].bytes = []
        first += 1
        if first == packets.count {
            // The outbox of a quiet client holds no memory.
            packets = []
            first = 0
        } else if first > 64, first > packets.count / 2 {
            packets.removeFirst(first)
            first = 0
        }
    }

    mutating func removeAll() {
        packets = []
        first = 0
        byteCount = 0
    }
}

extension Outbox {
    func contains(_ isWanted: (Packet) -> Bool) -> Bool {
        packets[first...].contains(where: isWanted)
    }
}
