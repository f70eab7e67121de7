import Fetch
import Glibc
import Recordings

/// Recordings in a bucket: `recordings/ID/PLACE-MILLISECONDS` has the blocks from a place on, whose newest line has this time.
///
/// An object of a bucket is there as a whole or not at all, so a piece has whole blocks on whatever server asks for it.
package final class BucketRecordings: RecordingDepot {
    /// Places have so many digits, so that the bucket lists pieces in their order.
    private static let digits = 16

    private let bucket: Bucket

    package init(_ bucket: Bucket) {
        self.bucket = bucket
    }

    package func stop() { bucket.stop() }

    package func put(_ bytes: [UInt8], as piece: RecordingPiece, of id: String) throws(RecordingFault) {
        try reported { () throws(BucketFault) in
            try bucket.put(Self.name(piece, id), bytes, type: "application/gzip")
        }
    }

    package func pieces(of id: String) throws(RecordingFault) -> [RecordingPiece] {
        var pieces: [RecordingPiece] = []
        try reported { () throws(BucketFault) in
            try bucket.list(Self.folder(id)) { object in
                let parts = object.name.dropFirst(Self.folder(id).count).split(
                    separator: "-", omittingEmptySubsequences: false)
                guard parts.count == 2, parts[0].count == Self.digits, let place = Int(parts[0]), place >= 0,
                    let milliseconds = Int64(parts[1]), milliseconds >= 0
                else { return }
                pieces.append(
                    RecordingPiece(place: place, byteCount: object.byteCount, milliseconds: milliseconds))
            }
        }
        return pieces
    }

    package func get(
        _ piece: RecordingPiece, of id: String, into descriptor: Int32
    ) throws(RecordingFault) {
        let arrival = Arrival(piece, descriptor)
        let isThere = try reported { () throws(BucketFault) in
            try bucket.get(Self.name(piece, id), into: arrival)
        }
        guard isThere, arrival.isWhole else { throw .depot("a piece of the recording \(id) is not in the bucket") }
    }

    package func remove(_ id: String) throws(RecordingFault) {
        try reported { () throws(BucketFault) in
            var names: [String] = []
            try bucket.list(Self.folder(id)) { names.append($0.name) }
            for name in names { try bucket.delete(name) }
        }
    }

    private static func folder(_ id: String) -> String { "recordings/\(id)/" }

    private static func name(_ piece: RecordingPiece, _ id: String) -> String {
        let place = String(piece.place)
        let zeros = String(repeating: "0", count: max(digits - place.count, 0))
        return "\(folder(id))\(zeros)\(place)-\(piece.milliseconds)"
    }

    private func reported<Value>(_ body: () throws(BucketFault) -> Value) throws(RecordingFault) -> Value {
        do throws(BucketFault) { return try body() } catch { throw .depot(error.reason) }
    }

    /// A piece on its way to its place in a file.
    private final class Arrival: FetchSink, @unchecked Sendable {
        // One thread works with it.
        private let piece: RecordingPiece
        private let descriptor: Int32
        private var done = 0

        var bytesMax: Int { piece.byteCount }
        var isWhole: Bool { done == piece.byteCount }

        init(_ piece: RecordingPiece, _ descriptor: Int32) {
            (self.piece, self.descriptor) = (piece, descriptor)
        }

        /// An earlier attempt may have brought a part.
        func begin(byteCount: Int?) throws(FetchFault) { done = 0 }

        func take(_ bytes: UnsafeRawBufferPointer) throws(FetchFault) {
            var rest = bytes
            while !rest.isEmpty {
                let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(piece.place + done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    throw FetchFault("its bytes cannot be kept here: \(String(cString: strerror(errno)))")
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                done += count
            }
        }
    }
}
