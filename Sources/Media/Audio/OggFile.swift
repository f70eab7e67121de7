/// An Ogg file with one stream of Opus or Vorbis. Its comments, which may hold a place and pictures, are replaced by
/// empty ones; for that its pages are numbered anew.
struct OggFile {
    private enum Codec {
        case opus(skip: Int)
        case vorbis(rate: Int)

        /// Packets before the first one of sound; the second of them has the comments.
        var headerCount: Int {
            if case .opus = self { 2 } else { 3 }
        }

        var emptyComments: [UInt8] {
            switch self {
            case .opus: Array("OpusTags".utf8) + [0, 0, 0, 0, 0, 0, 0, 0]
            case .vorbis: Array("\u{3}vorbis".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 1]
            }
        }
    }

    private let codec: Codec
    private let pages: [OggPage]
    private let output: [UInt8]

    init(_ bytes: Span<UInt8>) throws(AudioError) {
        let pages = try Self.pages(bytes)
        self.pages = pages
        guard let first = pages.first, first.flags & OggPage.first != 0, first.lacing.count == 1 else {
            throw .damaged("An Ogg file has no first page.")
        }
        codec = try Self.codec(bytes, first.body)
        output = try Self.write(bytes, pages, codec)
    }

    func clean() throws(AudioError) -> CleanAudio {
        // All ones: no packet ends on that page.
        let end = pages.last { $0.granule != .max }?.granule ?? 0
        guard end <= UInt64(Int32.max) << 16 else { throw .damaged("An Ogg file has no length.") }
        let duration =
            switch codec {
            case .opus(let skip): Double(Int(end) - skip) / 48_000
            case .vorbis(let rate): Double(end) / Double(rate)
            }
        return try CleanAudio(duration: duration, bytes: output, format: .ogg)
    }

    private static func pages(_ bytes: Span<UInt8>) throws(AudioError) -> [OggPage] {
        var pages: [OggPage] = []
        var offset = 0
        while offset < bytes.count {
            guard let page = OggPage(bytes, at: offset) else {
                throw .damaged("An Ogg file has a broken page, or ends within one.")
            }
            // Several streams at once or in a row are not a recording.
            guard page.serial == pages.first?.serial ?? page.serial,
                pages.isEmpty == (page.flags & OggPage.first != 0)
            else { throw .unsupported }
            pages.append(page)
            offset = page.body.upperBound
        }
        return pages
    }

    private static func codec(_ bytes: Span<UInt8>, _ head: Range<Int>) throws(AudioError) -> Codec {
        let start = head.lowerBound
        if bytes.has("OpusHead", at: start), head.count >= 19, let skip = bytes.littleEndian16(at: start + 10) {
            return .opus(skip: Int(skip))
        }
        if bytes.has("\u{1}vorbis", at: start), head.count == 30, let rate = bytes.littleEndian32(at: start + 12),
            (1...768_000).contains(rate)
        {
            return .vorbis(rate: Int(rate))
        }
        throw .unsupported
    }

    private static func write(
        _ bytes: Span<UInt8>, _ pages: [OggPage], _ codec: Codec
    ) throws(AudioError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var number: UInt32 = 0
        let (headers, soundStart) = try headerPackets(bytes, pages, count: codec.headerCount)
        write(bytes, pages[0], number: &number, isLast: false, to: &output)
        var packets = headers
        packets[0] = codec.emptyComments
        write(packets, serial: pages[0].serial, number: &number, to: &output)
        for index in soundStart..<pages.count {
            write(bytes, pages[index], number: &number, isLast: index == pages.count - 1, to: &output)
        }
        return output
    }

    /// The packets between the first page and the sound, which begins on a page of its own.
    private static func headerPackets(
        _ bytes: Span<UInt8>, _ pages: [OggPage], count: Int
    ) throws(AudioError) -> (packets: [[UInt8]], soundStart: Int) {
        var packets: [[UInt8]] = []
        var packet: [UInt8] = []
        for index in pages.indices.dropFirst() {
            var offset = pages[index].body.lowerBound
            for place in pages[index].lacing {
                guard packets.count < count - 1 else {
                    throw .damaged("An Ogg file has sound on a page of its headers.")
                }
                let length = Int(bytes[place])
                packet.append(bytes, offset..<offset + length)
                offset += length
                if length < 255 {
                    packets.append(packet)
                    packet = []
                }
            }
            if packets.count == count - 1 { return (packets, index + 1) }
        }
        throw .damaged("An Ogg file ends within its headers.")
    }

    private static func write(
        _ bytes: Span<UInt8>, _ page: OggPage, number: inout UInt32, isLast: Bool, to output: inout [UInt8]
    ) {
        var lacing: [UInt8] = []
        lacing.append(bytes, page.lacing)
        var body: [UInt8] = []
        body.append(bytes, page.body)
        let flags = isLast ? page.flags | OggPage.last : page.flags & ~OggPage.last
        OggPage.write(
            flags: flags, granule: page.granule, serial: page.serial, number: number, lacing: lacing, body: body,
            to: &output)
        number += 1
    }

    /// Packets that end on the page where the last of them does.
    private static func write(
        _ packets: [[UInt8]], serial: UInt32, number: inout UInt32, to output: inout [UInt8]
    ) {
        var lacing: [UInt8] = []
        for packet in packets {
            lacing += Array(repeating: 255, count: packet.count / 255)
            lacing.append(UInt8(packet.count % 255))
        }
        let body = Array(packets.joined())
        var used = 0
        var start = 0
        while start < lacing.count {
            let pieces = lacing[start..<min(start + 255, lacing.count)]
            let count = pieces.reduce(0) { $0 + Int($1) }
            let continues = start > 0 && lacing[start - 1] == 255
            // Zero is the time of headers; all ones say that no packet ends here.
            OggPage.write(
                flags: continues ? OggPage.continues : 0, granule: pieces.allSatisfy { $0 == 255 } ? .max : 0,
                serial: serial, number: number, lacing: pieces, body: body[used..<used + count], to: &output)
            number += 1
            used += count
            start += pieces.count
        }
    }
}
