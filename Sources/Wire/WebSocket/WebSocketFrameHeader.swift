/// The first 2 to 14 bytes of a frame, taken apart.
struct WebSocketFrameHeader {
    /// FIN, the reserved bits and the opcode, as sent.
    let first: UInt8
    /// The payload's length, or nil where its encoding breaks the rules: more bytes than needed, or a sign bit.
    let payloadLength: Int?
    /// Zero in a frame without a mask.
    let maskKey: UInt32

    static let bytesMax = 14

    /// How long the header is, told by its second byte.
    @inline(__always) static func length(second: UInt8) -> Int {
        let short = second & 0x7F
        let extended = short < 126 ? 0 : short == 126 ? 2 : 8
        return 2 &+ extended &+ Int(second >> 7) &* 4
    }

    /// Reads a header that is wholly there: `length(second:)` bytes from `offset` on.
    @inline(__always) init(_ bytes: RawSpan, at offset: Int) {
        first = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        let second = bytes.unsafeLoad(fromByteOffset: offset &+ 1, as: UInt8.self)
        let short = second & 0x7F
        var position = offset &+ 2
        if short < 126 {
            payloadLength = Int(short)
        } else if short == 126 {
            let length = UInt16(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt16.self))
            payloadLength = length < 126 ? nil : Int(length)
            position &+= 2
        } else {
            let length = UInt64(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            payloadLength = length < 65536 ? nil : Int(exactly: length)
            position &+= 8
        }
        let isMasked = second & 0x80 != 0
        maskKey =
            isMasked
            ? UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt32.self)) : 0
    }
}
