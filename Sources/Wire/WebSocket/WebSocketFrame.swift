/// Frames as bytes: headers for a payload elsewhere, and whole frames.
///
/// A server sends without a mask. The masked forms are for clients, whose keys must be unpredictable.
public enum WebSocketFrame {
    /// The longest header, for callers that reserve space.
    public static let headerBytesMax = 14
    /// The longest payload of a control frame.
    public static let controlBytesMax = 125

    @inlinable public static func headerLength(for payloadLength: Int, masked: Bool = false) -> Int {
        let length = payloadLength < 126 ? 2 : payloadLength < 65536 ? 4 : 10
        return masked ? length &+ 4 : length
    }

    /// Writes a header at `position` and returns the position behind it, where the payload goes.
    @inlinable public static func writeHeader(
        to buffer: UnsafeMutableRawBufferPointer, at position: Int, opcode: WebSocketOpcode, payloadLength: Int,
        fin: Bool = true, compressed: Bool = false
    ) -> Int {
        let length = headerLength(for: payloadLength)
        precondition(
            payloadLength >= 0 && position >= 0 && position <= buffer.count &- length, "the header fits the buffer")
        buffer[position] = firstByte(opcode, fin: fin, compressed: compressed)
        if payloadLength < 126 {
            buffer[position &+ 1] = UInt8(truncatingIfNeeded: payloadLength)
        } else if payloadLength < 65536 {
            buffer[position &+ 1] = 126
            let extended = UInt16(truncatingIfNeeded: payloadLength).bigEndian
            buffer.storeBytes(of: extended, toByteOffset: position &+ 2, as: UInt16.self)
        } else {
            buffer[position &+ 1] = 127
            let extended = UInt64(payloadLength).bigEndian
            buffer.storeBytes(of: extended, toByteOffset: position &+ 2, as: UInt64.self)
        }
        return position &+ length
    }

    @inlinable public static func appendHeader(
        opcode: WebSocketOpcode, payloadLength: Int, fin: Bool = true, compressed: Bool = false,
        into bytes: inout [UInt8]
    ) {
        appendHeader(
            opcode: opcode, payloadLength: payloadLength, fin: fin, compressed: compressed, maskBit: 0, into: &bytes)
    }

    @inlinable static func appendHeader(
        opcode: WebSocketOpcode, payloadLength: Int, fin: Bool, compressed: Bool, maskBit: UInt8,
        into bytes: inout [UInt8]
    ) {
        precondition(payloadLength >= 0, "a length is not negative")
        bytes.append(firstByte(opcode, fin: fin, compressed: compressed))
        if payloadLength < 126 {
            bytes.append(maskBit | UInt8(truncatingIfNeeded: payloadLength))
            return
        }
        let isMedium = payloadLength < 65536
        bytes.append(maskBit | (isMedium ? 126 : 127))
        for shift in stride(from: isMedium ? 8 : 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: payloadLength >> shift))
        }
    }

    @inlinable static func firstByte(_ opcode: WebSocketOpcode, fin: Bool, compressed: Bool) -> UInt8 {
        (fin ? 0x80 : 0) | (compressed ? 0x40 : 0) | opcode.rawValue
    }
}

// MARK: - Whole frames

extension WebSocketFrame {
    @inlinable public static func append(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, fin: Bool = true, compressed: Bool = false,
        into bytes: inout [UInt8]
    ) {
        let length = headerLength(for: payload.count) &+ payload.count
        // In one step: the array is accessed once, not for each part of the frame.
        bytes.append(addingCapacity: length) { output in
            output.withUnsafeMutableBufferPointer { buffer, count in
                let free = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[count...]))
                let start = writeHeader(
                    to: free, at: 0, opcode: opcode, payloadLength: payload.count, fin: fin, compressed: compressed)
                payload.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: free[start..<length]).copyMemory(from: $0)
                }
                count += length
            }
        }
    }

    @inlinable public static func append(text: Span<UInt8>, into bytes: inout [UInt8]) {
        append(.text, text, into: &bytes)
    }

    @inlinable public static func append(binary: Span<UInt8>, into bytes: inout [UInt8]) {
        append(.binary, binary, into: &bytes)
    }

    public static func append(ping payload: Span<UInt8>, into bytes: inout [UInt8]) {
        precondition(payload.count <= controlBytesMax, "a ping carries at most 125 bytes")
        append(.ping, payload, into: &bytes)
    }

    public static func append(pong payload: Span<UInt8>, into bytes: inout [UInt8]) {
        precondition(payload.count <= controlBytesMax, "a pong carries at most 125 bytes")
        append(.pong, payload, into: &bytes)
    }

    /// Without a code the frame is empty, and so is its reason. A reason too long is cut between two characters.
    public static func append(closeCode code: UInt16?, reason: String = "", into bytes: inout [UInt8]) {
        append(.close, closePayload(code, reason).span, into: &bytes)
    }

    /// One frame as a client sends it. The key's lowest byte is the first on the wire.
    public static func appendMasked(
        _ opcode: WebSocketOpcode, _ payload: Span<UInt8>, key: UInt32, fin: Bool = true, compressed: Bool = false,
        into bytes: inout [UInt8]
    ) {
        appendHeader(
            opcode: opcode, payloadLength: payload.count, fin: fin, compressed: compressed, maskBit: 0x80, into: &bytes)
        for shift in stride(from: 0 as UInt32, through: 24, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: key >> shift))
        }
        let start = bytes.count
        payload.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        bytes.withUnsafeMutableBytes { all in
            _ = WebSocketMask.apply(key, to: UnsafeMutableRawBufferPointer(rebasing: all[start...]))
        }
    }

    public static func appendMasked(
        closeCode code: UInt16?, reason: String = "", key: UInt32, into bytes: inout [UInt8]
    ) {
        appendMasked(.close, closePayload(code, reason).span, key: key, into: &bytes)
    }

    private static func closePayload(_ code: UInt16?, _ reason: String) -> [UInt8] {
        guard let code else { return [] }
        var payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
        for scalar in reason.unicodeScalars {
            let encoded = UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
            if payload.count + encoded.count > controlBytesMax { break }
            payload.append(contentsOf: encoded)
        }
        return payload
    }
}
