/// MP3 and bare AAC: frames one after the other, with tags before, behind and (in files that were joined) between them.
/// The frames are kept and nothing else.
enum FrameStream {
    /// A file with more gaps than that was not recorded but made.
    private static let gapsMax = 64
    /// How far to search for the next frame in bytes that are not a frame.
    private static let gapBytesMax = 64 << 10

    static func clean(_ bytes: Span<UInt8>) throws(AudioError) -> CleanAudio {
        var offset = skipTags(bytes, from: 0)
        offset = try firstFrame(bytes, from: offset)
        guard let first = AudioFrame(bytes, at: offset) else { throw .unsupported }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count - offset)
        var frames = 0
        var samples = 0
        var gaps = 0
        while offset < bytes.count {
            guard let frame = AudioFrame(bytes, at: offset), frame.stream == first.stream else {
                gaps += 1
                guard gaps <= gapsMax else { throw .damaged("Its frames have too many gaps.") }
                guard let next = frameBehindGap(bytes, from: offset, of: first.stream) else { break }
                offset = next
                continue
            }
            // A recording may be cut off within its last frame.
            guard frame.byteCount <= bytes.count - offset else { break }
            output.append(bytes, offset..<offset + frame.byteCount)
            frames += 1
            if !isTable(bytes, frame, at: offset) { samples += frame.sampleCount }
            offset += frame.byteCount
        }
        guard frames > 1 else { throw .damaged("It ends within its first frames.") }
        return try CleanAudio(
            duration: Double(samples) / Double(first.stream.rate), bytes: output,
            format: first.stream.codec == .mp3 ? .mp3 : .aac)
    }

    /// Two frames in a row: one alone is easily found in anything.
    private static func firstFrame(_ bytes: Span<UInt8>, from start: Int) throws(AudioError) -> Int {
        let end = min(bytes.count, start + gapBytesMax)
        var offset = start
        while offset < end {
            if isFollowed(bytes, at: offset) { return offset }
            offset += 1
        }
        throw .unsupported
    }

    private static func isFollowed(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard let frame = AudioFrame(bytes, at: offset) else { return false }
        return AudioFrame(bytes, at: offset + frame.byteCount)?.stream == frame.stream
    }

    /// Nil when nothing but tags and rubbish follows.
    private static func frameBehindGap(_ bytes: Span<UInt8>, from start: Int, of stream: AudioFrame.Stream) -> Int? {
        var offset = skipTags(bytes, from: start)
        let end = min(bytes.count, offset + gapBytesMax)
        while offset < end {
            if let frame = AudioFrame(bytes, at: offset), frame.stream == stream, offset > start,
                isFollowed(bytes, at: offset) || offset + frame.byteCount == bytes.count
            {
                return offset
            }
            offset += 1
        }
        return nil
    }

    /// ID3 of version 2, any number of them, each of the size that it tells.
    private static func skipTags(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while bytes.has("ID3", at: offset), let flags = bytes.byte(at: offset + 5),
            let size = bytes.bigEndian32(at: offset + 6), size & 0x8080_8080 == 0
        {
            let tagBytes = size >> 3 & 0x0fe0_0000 | size >> 2 & 0x1f_c000 | size >> 1 & 0x3f80 | size & 0x7f
            offset += 10 + Int(tagBytes) + (flags & 0x10 == 0 ? 0 : 10)
        }
        return min(offset, bytes.count)
    }

    /// The first frame of many files holds no sound but a table of contents, which players want.
    private static func isTable(_ bytes: Span<UInt8>, _ frame: AudioFrame, at offset: Int) -> Bool {
        guard frame.stream.codec == .mp3, frame.byteCount > 40 else { return false }
        return bytes.has("Xing", at: offset + frame.tableOffset) || bytes.has("Info", at: offset + frame.tableOffset)
            || bytes.has("VBRI", at: offset + 36)
    }
}
