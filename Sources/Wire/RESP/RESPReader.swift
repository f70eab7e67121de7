/// Reads values of RESP2 from a stream of bytes, however the bytes are cut into pieces.
package struct RESPReader {
    package enum Fault: Error, Equatable {
        /// The bytes are not RESP2.
        case malformed
        /// A value is longer than the bound.
        case tooLong
    }

    /// An array within arrays within arrays is no answer to any command of ours.
    private static let depthMax = 4
    private static let lineBytesMax = 64 << 10
    private static let itemsMax: Int64 = 1_024

    private var bytes: [UInt8] = []
    /// Those before it were read.
    private var start = 0
    private let bulkBytesMax: Int64

    package init(bulkBytesMax: Int) {
        self.bulkBytesMax = Int64(bulkBytesMax)
    }

    package mutating func append(_ received: UnsafeRawBufferPointer) {
        if start > 0, start == bytes.count || start > 1 << 16 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: received)
    }

    /// The next value; nil when more bytes have to come first.
    package mutating func next() throws(Fault) -> RESPValue? {
        var place = start
        guard let value = try value(at: &place, depth: 0) else { return nil }
        start = place
        return value
    }

    private func value(at place: inout Int, depth: Int) throws(Fault) -> RESPValue? {
        guard place < bytes.count else { return nil }
        let kind = bytes[place]
        guard let line = try line(at: place + 1) else { return nil }
        place = line.upperBound + 2
        switch kind {
        case UInt8(ascii: "+"): return .simple(String(decoding: bytes[line], as: UTF8.self))
        case UInt8(ascii: "-"): return .error(String(decoding: bytes[line], as: UTF8.self))
        case UInt8(ascii: ":"): return .integer(try integer(line))
        case UInt8(ascii: "$"): return try bulk(of: try integer(line), at: &place)
        case UInt8(ascii: "*"):
            guard depth < Self.depthMax else { throw .malformed }
            return try array(of: try integer(line), at: &place, depth: depth)
        default: throw .malformed
        }
    }

    private func bulk(of count: Int64, at place: inout Int) throws(Fault) -> RESPValue? {
        if count == -1 { return .bulk(nil) }
        guard count >= 0 else { throw .malformed }
        guard count <= bulkBytesMax else { throw .tooLong }
        let end = place + Int(count)
        guard bytes.count >= end + 2 else { return nil }
        guard bytes[end] == UInt8(ascii: "\r"), bytes[end + 1] == UInt8(ascii: "\n") else { throw .malformed }
        defer { place = end + 2 }
        return .bulk(Array(bytes[place..<end]))
    }

    private func array(of count: Int64, at place: inout Int, depth: Int) throws(Fault) -> RESPValue? {
        if count == -1 { return .array(nil) }
        guard count >= 0 else { throw .malformed }
        guard count <= Self.itemsMax else { throw .tooLong }
        var items: [RESPValue] = []
        for _ in 0..<count {
            guard let item = try value(at: &place, depth: depth + 1) else { return nil }
            items.append(item)
        }
        return .array(items)
    }

    /// The bytes up to the end of a line, without that; nil when it has not come yet.
    private func line(at place: Int) throws(Fault) -> Range<Int>? {
        guard let end = bytes[place...].prefix(Self.lineBytesMax).firstIndex(of: UInt8(ascii: "\r")) else {
            if bytes.count - place >= Self.lineBytesMax { throw .tooLong }
            return nil
        }
        guard end + 1 < bytes.count else { return nil }
        guard bytes[end + 1] == UInt8(ascii: "\n") else { throw .malformed }
        return place..<end
    }

    private func integer(_ line: Range<Int>) throws(Fault) -> Int64 {
        guard let number = Int64(String(decoding: bytes[line], as: UTF8.self)) else { throw .malformed }
        return number
    }
}
