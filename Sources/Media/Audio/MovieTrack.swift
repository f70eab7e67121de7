/// The one track of a sound file.
struct MovieTrack {
    enum Kind {
        case sound, picture, other
    }

    /// Units a second.
    let timescale: UInt32
    /// In units; zero when the track's samples are in fragments.
    let duration: UInt64

    static func kind(_ bytes: Span<UInt8>, _ media: [MovieBox]) -> Kind {
        guard let handler = media.first(where: { $0.is("hdlr") }), handler.content.count >= 12 else { return .other }
        let place = handler.content.lowerBound + 8
        if bytes.has("soun", at: place) { return .sound }
        return bytes.has("vide", at: place) ? .picture : .other
    }

    init(_ bytes: Span<UInt8>, _ media: [MovieBox], codecs: [StaticString]) throws(AudioError) {
        guard let header = media.first(where: { $0.is("mdhd") })?.content,
            let information = media.first(where: { $0.is("minf") })?.content
        else { throw .damaged("An MPEG-4 file has a track without a header.") }
        guard let length = Self.length(bytes, header) else {
            throw .damaged("An MPEG-4 file has a track without a length.")
        }
        timescale = length.timescale
        duration = length.units
        guard Self.hasCodec(bytes, information, codecs) else { throw .unsupported }
    }

    /// What the headers of a movie and of a track's content tell in the same way.
    struct Length {
        let timescale: UInt32
        let units: UInt64

        var seconds: Double { Double(units) / Double(timescale) }
    }

    static func length(_ bytes: Span<UInt8>, _ header: Range<Int>) -> Length? {
        let isLong = bytes.byte(at: header.lowerBound) == 1
        let place = header.lowerBound + (isLong ? 20 : 12)
        guard header.count >= (isLong ? 32 : 20), let timescale = bytes.bigEndian32(at: place), timescale > 0,
            let units = isLong ? bytes.bigEndian64(at: place + 4) : bytes.bigEndian32(at: place + 4).map(UInt64.init)
        else { return nil }
        // All ones: not known.
        return Length(timescale: timescale, units: units == (isLong ? .max : UInt64(UInt32.max)) ? 0 : units)
    }

    private static func hasCodec(_ bytes: Span<UInt8>, _ information: Range<Int>, _ codecs: [StaticString]) -> Bool {
        guard let table = MovieBox.all(bytes, in: information)?.first(where: { $0.is("stbl") }),
            let descriptions = MovieBox.all(bytes, in: table.content)?.first(where: { $0.is("stsd") }),
            descriptions.content.count >= 8,
            let entries = MovieBox.all(
                bytes, in: descriptions.content.lowerBound + 8..<descriptions.content.upperBound),
            !entries.isEmpty
        else { return false }
        return entries.allSatisfy { $0.isOne(of: codecs) }
    }
}
