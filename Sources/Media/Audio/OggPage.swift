/// One page of an Ogg stream (RFC 3533).
struct OggPage {
    static let headBytes = 27

    var flags: UInt8
    let granule: UInt64
    let serial: UInt32
    /// Lengths of the pieces into which packets are cut. A piece of 255 bytes continues in the next one.
    let lacing: Range<Int>
    let body: Range<Int>

    static let continues: UInt8 = 1
    static let first: UInt8 = 2
    static let last: UInt8 = 4

    /// Nil when there is no whole page with the right checksum.
    init?(_ bytes: Span<UInt8>, at offset: Int) {
        guard bytes.has("OggS\0", at: offset), let flags = bytes.byte(at: offset + 5), flags < 8,
            let granule = bytes.littleEndian64(at: offset + 6), let serial = bytes.littleEndian32(at: offset + 14),
            let checksum = bytes.littleEndian32(at: offset + 22), let count = bytes.byte(at: offset + 26)
        else { return nil }
        let lacing = offset + Self.headBytes..<offset + Self.headBytes + Int(count)
        guard lacing.upperBound <= bytes.count else { return nil }
        var size = 0
        for index in lacing { size += Int(bytes[index]) }
        body = lacing.upperBound..<lacing.upperBound + size
        guard body.upperBound <= bytes.count else { return nil }
        self.flags = flags
        self.granule = granule
        self.serial = serial
        self.lacing = lacing
        var sum = OggChecksum()
        sum.add(bytes, offset..<offset + 22)
        sum.addZeros(4)
        sum.add(bytes, offset + 26..<body.upperBound)
        guard sum.value == checksum else { return nil }
    }

    /// Appends a page with a head of its own.
    static func write(
        flags: UInt8, granule: UInt64, serial: UInt32, number: UInt32, lacing: some Collection<UInt8>,
        body: some Collection<UInt8>, to output: inout [UInt8]
    ) {
        let start = output.count
        output.append(contentsOf: "OggS\0".utf8)
        output.append(flags)
        output.append(littleEndian: UInt32(truncatingIfNeeded: granule))
        output.append(littleEndian: UInt32(truncatingIfNeeded: granule >> 32))
        output.append(littleEndian: serial)
        output.append(littleEndian: number)
        output.append(littleEndian: 0)
        output.append(UInt8(truncatingIfNeeded: lacing.count))
        output.append(contentsOf: lacing)
        output.append(contentsOf: body)
        var sum = OggChecksum()
        sum.add(output.span, start..<output.count)
        var checksum: [UInt8] = []
        checksum.append(littleEndian: sum.value)
        output.replaceSubrange(start + 22..<start + 26, with: checksum)
    }
}

/// The cyclic redundancy check of Ogg: polynomial 0x04c11db7, neither reflected nor inverted.
struct OggChecksum {
    private(set) var value: UInt32 = 0

    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index) << 24
        for _ in 0..<8 { value = value & 0x8000_0000 == 0 ? value << 1 : value << 1 ^ 0x04c1_1db7 }
        return value
    }

    mutating func add(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let table = Self.table
        var value = value
        for index in range { value = value << 8 ^ table[Int(UInt8(value >> 24) ^ bytes[index])] }
        self.value = value
    }

    mutating func addZeros(_ count: Int) {
        for _ in 0..<count { value = value << 8 ^ Self.table[Int(value >> 24)] }
    }
}
