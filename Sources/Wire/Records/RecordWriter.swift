/// Writes values one after another into a record, in a form without names: the reader knows the order.
package struct RecordWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Small numbers take one byte.
    package mutating func put(_ number: UInt64) {
        var rest = number
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Small numbers take one byte, whatever their sign is.
    package mutating func put(_ number: Int) {
        put(UInt64(bitPattern: Int64(number << 1 ^ number >> (Int.bitWidth - 1))))
    }

    package mutating func put(_ isTrue: Bool) { bytes.append(isTrue ? 1 : 0) }

    package mutating func put(_ other: some Collection<UInt8>) {
        put(other.count)
        bytes.append(contentsOf: other)
    }

    package mutating func put(_ text: String) { put(text.utf8) }

    package mutating func put(_ value: some Recordable) { value.write(to: &self) }

    package mutating func put<Value>(_ value: Value?, _ write: (Value, inout RecordWriter) -> Void) {
        put(value != nil)
        if let value { write(value, &self) }
    }

    package mutating func put<Value>(_ values: [Value], _ write: (Value, inout RecordWriter) -> Void) {
        put(values.count)
        for value in values { write(value, &self) }
    }

    package mutating func put(_ values: [some Recordable]) { put(values) { $0.write(to: &$1) } }
}

/// A value that records have.
package protocol Recordable {
    func write(to record: inout RecordWriter)
    init(from record: inout RecordReader) throws(RecordFault)
}

/// The bytes are no record of this kind.
package struct RecordFault: Error, Equatable {
    package init() {}
}
