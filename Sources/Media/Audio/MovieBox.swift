/// A box of an ISO media file: four letters and its content.
struct MovieBox {
    let start: Int
    let content: Range<Int>
    private let name: UInt32

    var range: Range<Int> { start..<content.upperBound }

    /// The boxes of a range of a file; nil when they do not fill it. No real recording has more than `most`.
    static func all(_ bytes: Span<UInt8>, in range: Range<Int>, most: Int = 10_000) -> [MovieBox]? {
        var boxes: [MovieBox] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard boxes.count < most, let box = MovieBox(bytes, at: offset, limit: range.upperBound) else { return nil }
            boxes.append(box)
            offset = box.range.upperBound
        }
        return boxes
    }

    private init?(_ bytes: Span<UInt8>, at offset: Int, limit: Int) {
        guard limit - offset >= 8, let size = bytes.bigEndian32(at: offset),
            let name = bytes.bigEndian32(at: offset + 4)
        else { return nil }
        var headBytes = 8
        var end = offset + Int(size)
        if size == 1 {
            guard let large = bytes.bigEndian64(at: offset + 8), large <= UInt64(limit - offset) else { return nil }
            headBytes = 16
            end = offset + Int(large)
        } else if size == 0 {
            end = limit
        }
        guard end <= limit, offset + headBytes <= end else { return nil }
        start = offset
        content = offset + headBytes..<end
        self.name = name
    }

    func `is`(_ letters: StaticString) -> Bool { name == Self.code(letters) }

    static func code(_ letters: StaticString) -> UInt32 {
        UnsafeBufferPointer(start: letters.utf8Start, count: letters.utf8CodeUnitCount)
            .reduce(0) { $0 << 8 | UInt32($1) }
    }

    func isOne(of names: [StaticString]) -> Bool { names.contains { self.is($0) } }
}
