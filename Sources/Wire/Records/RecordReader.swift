/// Reads what `RecordWriter` has written. Every length is checked.
package struct RecordReader {
    private let bytes: [UInt8]
    private var place = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var isAtEnd: Bool { place == bytes.count }

    private mutating func byte() throws(RecordFault) -> UInt8 {
        guard place < bytes.count else { throw RecordFault() }
        defer { place += 1 }
        return bytes[place]
    }

    package mutating func number() throws(RecordFault) -> UInt64 {
        var (number, shift) = (UInt64(0), UInt64(0))
        while true {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw RecordFault() }
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
    }

    package mutating func int() throws(RecordFault) -> Int {
        let number = try number()
        return Int(bitPattern: UInt(number >> 1)) ^ -Int(number & 1)
    }

    /// A number from 0 to a bound.
    package mutating func int(upTo most: Int) throws(RecordFault) -> Int {
        let number = try int()
        guard 0...most ~= number else { throw RecordFault() }
        return number
    }

    package mutating func bool() throws(RecordFault) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw RecordFault() }
        return byte == 1
    }

    package mutating func blob() throws(RecordFault) -> [UInt8] { Array(bytes[try takeBlob()]) }

    /// Reads a blob to the end of what is there already.
    package mutating func blob(appendedTo whole: inout [UInt8]) throws(RecordFault) {
        whole.append(contentsOf: bytes[try takeBlob()])
    }

    private mutating func takeBlob() throws(RecordFault) -> Range<Int> {
        let count = try int(upTo: bytes.count - place)
        guard count <= bytes.count - place else { throw RecordFault() }
        defer { place += count }
        return place..<place + count
    }

    package mutating func string() throws(RecordFault) -> String { String(decoding: try blob(), as: UTF8.self) }

    package mutating func value<Value: Recordable>(
        _ type: Value.Type = Value.self
    ) throws(RecordFault) -> Value { try Value(from: &self) }

    package mutating func optional<Value>(
        _ read: (inout RecordReader) throws(RecordFault) -> Value
    ) throws(RecordFault) -> Value? { try bool() ? try read(&self) : nil }

    package mutating func list<Value>(
        _ read: (inout RecordReader) throws(RecordFault) -> Value
    ) throws(RecordFault) -> [Value] {
        // Each value has one byte at least.
        let count = try int(upTo: bytes.count - place)
        var values: [Value] = []
        values.reserveCapacity(count)
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }

    package mutating func values<Value: Recordable>(
        _ type: Value.Type = Value.self
    ) throws(RecordFault) -> [Value] { try list { reader throws(RecordFault) in try Value(from: &reader) } }
}
