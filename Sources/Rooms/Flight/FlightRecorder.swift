import Wire

/// Gets the pieces of a flight: what was done to a room, from a state of it on. It keeps a bounded number of segments, each of
/// which can be replayed by itself.
package protocol FlightSink: AnyObject {
    /// Begins a segment. The pieces of the oldest one may be dropped.
    func begin(_ piece: [UInt8])
    func append(_ piece: [UInt8])
}

/// Records what is done to one room. It belongs to the room's thread.
package final class FlightRecorder {
    private let sink: any FlightSink
    private let segmentBytesMax: Int
    private var byteCount = 0
    private var inputs = RecordWriter()

    /// - Parameter segmentBytesMax: a new segment begins after the tick with which so many bytes follow the state.
    package init(_ sink: any FlightSink, segmentBytesMax: Int) {
        self.sink = sink
        self.segmentBytesMax = segmentBytesMax
    }

    /// An input is in the sink before the room takes it: it may be the one that ends the process. Positions wait for the
    /// next tick or other input, because they are many.
    func note(_ input: RoomInput) {
        inputs.put(input)
        switch input {
        case .move, .tick: break
        default: append(digest: 0)
        }
    }

    func noteMove(of connection: ConnectionID, slot: Int, x: Span<UInt8>, y: Span<UInt8>, elementID: Span<UInt8>) {
        func bytes(_ span: Span<UInt8>) -> [UInt8] { span.withUnsafeBufferPointer { Array($0) } }
        note(.move(connection, slot: slot, x: bytes(x), y: bytes(y), elementID: bytes(elementID)))
    }

    /// The room has made a delta, which `note(.tick)` has announced.
    func ticked(_ delta: RoomDelta, _ room: Room) {
        append(digest: FlightPiece.digest(delta))
        if byteCount >= segmentBytesMax { begin(room) }
    }

    private func append(digest: UInt64) {
        let piece = FlightPiece.sealed(inputs.bytes, digest: digest)
        inputs = RecordWriter()
        byteCount += piece.count
        sink.append(piece)
    }

    /// Begins a segment with the room's state.
    func begin(_ room: Room) {
        var record = RecordWriter()
        room.write(to: &record)
        byteCount = 0
        sink.begin(FlightPiece.sealed(record.bytes, digest: 0))
    }
}

/// A piece of a flight as bytes: its length, a digest of it, the digest of a delta, and the content. The first piece of a
/// segment has the state of the room. The later ones have inputs; one whose last input is a tick has the digest of its delta.
enum FlightPiece {
    static func sealed(_ content: [UInt8], digest: UInt64) -> [UInt8] {
        var record = RecordWriter()
        record.put(digest)
        record.put(content)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(record.bytes.count + headByteCount)
        append(UInt64(record.bytes.count), to: &bytes)
        append(self.digest(record.bytes), to: &bytes)
        bytes += record.bytes
        return bytes
    }

    private static let headByteCount = 16
    private static let bytesMax = 1 << 30

    /// The next piece of these bytes; nil at their end, and where the rest was cut off.
    static func next(_ bytes: inout ArraySlice<UInt8>) throws(RecordFault) -> (digest: UInt64, content: [UInt8])? {
        guard bytes.count >= headByteCount else { return nil }
        let (count, digest) = (number(bytes), number(bytes.dropFirst(8)))
        guard count <= UInt64(bytesMax) else { throw RecordFault() }
        guard bytes.count - headByteCount >= Int(count) else { return nil }
        let body = Array(bytes.dropFirst(headByteCount).prefix(Int(count)))
        guard self.digest(body) == digest else { throw RecordFault() }
        bytes = bytes.dropFirst(headByteCount + Int(count))
        var record = RecordReader(body)
        return (try record.number(), try record.blob())
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// FNV-1a: it tells damage and differences, not forgeries.
    static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    static func digest(_ delta: RoomDelta) -> UInt64 {
        var record = RecordWriter()
        record.put(delta)
        return digest(record.bytes)
    }
}
