/// A RIFF file with samples. Only the chunks that a player needs are kept: format, number of samples, data.
struct WAVFile {
    let clean: CleanAudio

    /// Recorders write some; more are not a recording.
    private static let chunksMax = 256

    init(_ bytes: Span<UInt8>) throws(AudioError) {
        var reader = Reader()
        try reader.read(bytes)
        guard let format = reader.format, let data = reader.data else {
            throw .damaged("A WAV file has no format or no data.")
        }
        let duration = try Self.duration(bytes, format, data, fact: reader.fact)
        clean = try CleanAudio(
            duration: duration, bytes: Self.write(bytes, format, data, fact: reader.fact), format: .wav)
    }

    private struct Reader {
        var format: Range<Int>?
        var fact: Range<Int>?
        var data: Range<Int>?

        mutating func read(_ bytes: Span<UInt8>) throws(AudioError) {
            var offset = 12
            var count = 0
            while data == nil, offset + 8 <= bytes.count, let size = bytes.littleEndian32(at: offset + 4) {
                count += 1
                guard count <= chunksMax else { throw .damaged("A WAV file has too many chunks.") }
                let start = offset + 8
                // A recorder that could not go back to write the size left zero or all ones there.
                let isOpen = bytes.has("data", at: offset) && (size == 0 || size == .max)
                let end = isOpen ? bytes.count : start + Int(size)
                guard end <= bytes.count else { throw .damaged("A WAV file ends within a chunk.") }
                if bytes.has("fmt ", at: offset) { format = start..<end }
                if bytes.has("fact", at: offset) { fact = start..<end }
                if bytes.has("data", at: offset) { data = start..<end }
                offset = end + end % 2
            }
        }
    }

    private static func duration(
        _ bytes: Span<UInt8>, _ format: Range<Int>, _ data: Range<Int>, fact: Range<Int>?
    ) throws(AudioError) -> Double {
        let start = format.lowerBound
        guard (16...64).contains(format.count), let code = bytes.littleEndian16(at: start),
            let channels = bytes.littleEndian16(at: start + 2), let rate = bytes.littleEndian32(at: start + 4),
            let bytesPerSecond = bytes.littleEndian32(at: start + 8),
            let blockBytes = bytes.littleEndian16(at: start + 12),
            (1...32).contains(channels), (1...768_000).contains(rate), blockBytes > 0, bytesPerSecond > 0
        else { throw .damaged("A WAV file has a format that makes no sense.") }
        switch code {
        // PCM, floating point, and either with a longer header.
        case 1, 3, 0xfffe: return Double(data.count / Int(blockBytes)) / Double(rate)
        // ADPCM of two kinds, A-law, µ-law: samples of less than a byte may be counted in a chunk of their own.
        case 2, 6, 7, 0x11:
            if let fact, let samples = bytes.littleEndian32(at: fact.lowerBound), fact.count >= 4, samples > 0 {
                return Double(samples) / Double(rate)
            }
            return Double(data.count) / Double(bytesPerSecond)
        default: throw .unsupported
        }
    }

    private static func write(
        _ bytes: Span<UInt8>, _ format: Range<Int>, _ data: Range<Int>, fact: Range<Int>?
    ) -> [UInt8] {
        var output = Array("RIFF\0\0\0\0WAVE".utf8)
        output.reserveCapacity(data.count + 128)
        append("fmt ", bytes, format, to: &output)
        if let fact, fact.count >= 4 {
            append("fact", bytes, fact.lowerBound..<fact.lowerBound + 4, to: &output)
        }
        append("data", bytes, data, to: &output)
        var size: [UInt8] = []
        size.append(littleEndian: UInt32(truncatingIfNeeded: output.count - 8))
        output.replaceSubrange(4..<8, with: size)
        return output
    }

    private static func append(
        _ name: String, _ bytes: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]
    ) {
        output.append(contentsOf: name.utf8)
        output.append(littleEndian: UInt32(truncatingIfNeeded: range.count))
        output.append(bytes, range)
        if range.count % 2 == 1 { output.append(0) }
    }
}
