/// Bytes that were written and that the kernel has not taken yet, in order.
struct OutgoingTail {
    /// Sent bytes at the front are removed once they are at least so many, and half of all.
    private static let compactedBytesMin = 64 << 10

    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - start }

    mutating func append(contentsOf piece: UnsafeRawBufferPointer.SubSequence) {
        bytes.append(contentsOf: piece)
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
    }

    mutating func removeFirst(_ count: Int) {
        start += count
        if start == bytes.count {
            removeAll()
        } else if start >= Self.compactedBytesMin, start >= bytes.count / 2 {
            bytes.removeFirst(start)
            start = 0
        }
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }
}
