/// Where servers keep recordings that have no directory in common: in pieces of whole blocks. Its functions wait for a network.
package protocol RecordingDepot: Sendable {
    /// Keeps a piece. A piece that a lost answer has made appear twice may have grown in between.
    func put(_ bytes: [UInt8], as piece: RecordingPiece, of id: String) throws(RecordingFault)

    /// In the order of their places.
    func pieces(of id: String) throws(RecordingFault) -> [RecordingPiece]

    /// Writes a piece to its place in a file.
    func get(_ piece: RecordingPiece, of id: String, into descriptor: Int32) throws(RecordingFault)

    /// No error when there is nothing of it.
    func remove(_ id: String) throws(RecordingFault)

    /// Begins no more requests, and ends those that are under way.
    func stop()
}

/// Some whole blocks of a recording that follow each other.
package struct RecordingPiece: Equatable, Sendable {
    /// Of its first byte in the file.
    package let place: Int
    package let byteCount: Int
    /// The time of its newest line.
    package let milliseconds: Int64

    package init(place: Int, byteCount: Int, milliseconds: Int64) {
        (self.place, self.byteCount, self.milliseconds) = (place, byteCount, milliseconds)
    }

    package var end: Int { place + byteCount }

    /// Reads the next piece of a file; nil when no whole block follows.
    ///
    /// - Parameters:
    ///   - path: for errors.
    ///   - bytesMax: a piece is not made larger, unless it is a single block.
    package static func read(
        _ path: String, of descriptor: Int32, from place: Int, bytesMax: Int = 4 << 20
    ) throws(RecordingFault) -> (piece: RecordingPiece, bytes: [UInt8])? {
        var walk = try BlockWalk(path, descriptor, from: place)
        // A disk that lost its power may have less of the file than was sent of it.
        guard walk.place == place else { return nil }
        var last: Range<Int>?
        while walk.place - place < bytesMax, let block = try walk.next() {
            if last != nil, block.upperBound - place > bytesMax { break }
            last = block
        }
        // What a loss of power has damaged ends the recording.
        guard let last, let line = try walk.newestLine(in: last) else { return nil }
        let piece = RecordingPiece(
            place: place, byteCount: last.upperBound - place, milliseconds: line.time)
        return (piece, try walk.bytes(place..<last.upperBound))
    }
}

extension [RecordingPiece] {
    /// How much of the file they are, from its beginning on without a gap.
    package var whole: RecordingSize {
        reduce(into: RecordingSize()) { size, piece in
            guard piece.place <= size.byteCount, piece.end > size.byteCount else { return }
            size = RecordingSize(byteCount: piece.end, milliseconds: piece.milliseconds)
        }
    }
}
