/// Numbers and words at places that a file names: nil, or false, when they do not lie within it.
extension Span<UInt8> {
    func byte(at index: Int) -> UInt8? {
        index >= 0 && index < count ? self[index] : nil
    }

    func bigEndian16(at index: Int) -> UInt16? {
        guard index >= 0, count - index >= 2 else { return nil }
        return UInt16(self[index]) << 8 | UInt16(self[index + 1])
    }

    func bigEndian32(at index: Int) -> UInt32? {
        guard index >= 0, count - index >= 4 else { return nil }
        var value: UInt32 = 0
        for place in index..<index + 4 { value = value << 8 | UInt32(self[place]) }
        return value
    }

    func bigEndian64(at index: Int) -> UInt64? {
        guard let high = bigEndian32(at: index), let low = bigEndian32(at: index + 4) else { return nil }
        return UInt64(high) << 32 | UInt64(low)
    }

    func littleEndian16(at index: Int) -> UInt16? {
        bigEndian16(at: index)?.byteSwapped
    }

    func littleEndian32(at index: Int) -> UInt32? {
        bigEndian32(at: index)?.byteSwapped
    }

    func littleEndian64(at index: Int) -> UInt64? {
        bigEndian64(at: index)?.byteSwapped
    }

    func has(_ word: StaticString, at index: Int) -> Bool {
        has(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount), at: index)
    }

    func has(_ word: String, at index: Int) -> Bool { has(word.utf8, at: index) }

    func has(_ word: some Collection<UInt8>, at index: Int) -> Bool {
        guard index >= 0, count - index >= word.count else { return false }
        var place = index
        for byte in word {
            guard self[place] == byte else { return false }
            place += 1
        }
        return true
    }
}

extension [UInt8] {
    mutating func append(littleEndian value: UInt32) {
        for shift in stride(from: UInt32(0), to: 32, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    /// Appends the bytes of a range of a file.
    mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        bytes.extracting(range).withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
