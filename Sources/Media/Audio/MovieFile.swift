/// An MPEG-4 file with sound. What is not needed to play it (names, places, cover pictures, notes, times of making) is
/// overwritten with zeros in boxes named `free`, so that nothing moves and every offset stays right.
struct MovieFile {
    /// What is kept, of each kind of box that has boxes in it. Everything else is freed.
    private static let keptAtTop: [StaticString] = ["ftyp", "moov", "mdat", "moof", "styp", "sidx"]
    private static let keptInTrack: [StaticString] = ["tkhd", "edts", "mdia"]
    private static let keptInMedia: [StaticString] = ["mdhd", "hdlr", "minf"]
    private static let keptInFragment: [StaticString] = ["mfhd", "traf"]
    private static let codecs: [StaticString] = ["mp4a", "alac", "Opus", "fLaC"]

    private var output: [UInt8]
    private var track: MovieTrack?
    /// Seconds; zero when it is not told.
    private var movieDuration = 0.0
    /// Of all fragments, in the track's time scale.
    private var fragmentDuration: UInt64 = 0
    private var defaultSampleDuration: UInt32 = 0

    static func clean(_ bytes: Span<UInt8>) throws(AudioError) -> CleanAudio {
        var output: [UInt8] = []
        output.append(bytes, 0..<bytes.count)
        var file = MovieFile(output: output)
        try file.readTop(bytes)
        guard let track = file.track else { throw .unsupported }
        let units = track.duration > 0 ? track.duration : file.fragmentDuration
        var duration = Double(units) / Double(track.timescale)
        // What is cut off by the track's list of edits, such as the silence that an encoder begins with, is not heard.
        if file.movieDuration > 0 { duration = min(duration, file.movieDuration) }
        return try CleanAudio(duration: duration, bytes: file.output, format: .m4a)
    }

    private init(output: [UInt8]) {
        self.output = output
    }

    private mutating func readTop(_ bytes: Span<UInt8>) throws(AudioError) {
        for box in try boxes(bytes, 0..<bytes.count) {
            if box.is("moov") {
                try readMovie(bytes, box.content)
            } else if box.is("moof") {
                try readFragment(bytes, box.content)
            } else if !box.isOne(of: Self.keptAtTop) {
                free(box)
            }
        }
    }

    private func boxes(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(AudioError) -> [MovieBox] {
        guard let boxes = MovieBox.all(bytes, in: range) else {
            throw .damaged("An MPEG-4 file ends within a box, or has a box that is larger than the one around it.")
        }
        return boxes
    }

    private mutating func free(_ box: MovieBox) {
        for (place, letter) in zip(box.start + 4..<box.start + 8, "free".utf8) { output[place] = letter }
        for place in box.content { output[place] = 0 }
    }

    // MARK: The movie

    private mutating func readMovie(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(AudioError) {
        guard track == nil else { throw .damaged("An MPEG-4 file has two indexes.") }
        for box in try boxes(bytes, range) {
            if box.is("mvhd") {
                movieDuration = MovieTrack.length(bytes, box.content)?.seconds ?? 0
                clearTimes(bytes, box)
            } else if box.is("mvex") {
                try readFragmentDefaults(bytes, box.content)
            } else if box.is("trak") {
                try readTrack(bytes, box)
            } else {
                free(box)
            }
        }
    }

    /// When it was made and when changed, in any of the three headers that tell.
    private mutating func clearTimes(_ bytes: Span<UInt8>, _ box: MovieBox) {
        let count = bytes.byte(at: box.content.lowerBound) == 1 ? 16 : 8
        for place in box.content.dropFirst(4).prefix(count) { output[place] = 0 }
    }

    private mutating func readTrack(_ bytes: Span<UInt8>, _ box: MovieBox) throws(AudioError) {
        let inner = try boxes(bytes, box.content)
        guard let media = inner.first(where: { $0.is("mdia") }) else {
            throw .damaged("An MPEG-4 file has a track without content.")
        }
        switch try MovieTrack.kind(bytes, boxes(bytes, media.content)) {
        case .sound: break
        case .picture: throw .unsupported
        // Places along the way, chapters, texts.
        case .other: return free(box)
        }
        guard track == nil else { throw .unsupported }
        for part in inner {
            if part.is("tkhd") { clearTimes(bytes, part) }
            if !part.isOne(of: Self.keptInTrack) { free(part) }
        }
        for part in try boxes(bytes, media.content) {
            if part.is("mdhd") { clearTimes(bytes, part) }
            if !part.isOne(of: Self.keptInMedia) { free(part) }
        }
        track = try MovieTrack(bytes, boxes(bytes, media.content), codecs: Self.codecs)
    }

    // MARK: Fragments

    /// `trex`: version and flags, track, description, duration, size, flags.
    private mutating func readFragmentDefaults(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(AudioError) {
        for box in try boxes(bytes, range) where box.is("trex") && box.content.count >= 24 {
            defaultSampleDuration = bytes.bigEndian32(at: box.content.lowerBound + 12) ?? 0
        }
    }

    private mutating func readFragment(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(AudioError) {
        for box in try boxes(bytes, range) {
            guard box.isOne(of: Self.keptInFragment) else {
                free(box)
                continue
            }
            if box.is("traf") { try readFragmentTrack(bytes, box.content) }
        }
    }

    private mutating func readFragmentTrack(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(AudioError) {
        var sampleDuration = defaultSampleDuration
        for box in try boxes(bytes, range) {
            if box.is("tfhd") { sampleDuration = Self.sampleDuration(bytes, box.content) ?? sampleDuration }
            if box.is("trun") { try addRun(bytes, box.content, sampleDuration) }
            if box.isOne(of: ["udta", "meta", "uuid"]) { free(box) }
        }
    }

    private static func sampleDuration(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32? {
        guard range.count >= 8, let flags = bytes.bigEndian32(at: range.lowerBound), flags & 8 != 0 else { return nil }
        // Behind the track: a base offset and a description, if they are there.
        let place = range.lowerBound + 8 + (flags & 1 != 0 ? 8 : 0) + (flags & 2 != 0 ? 4 : 0)
        return place + 4 <= range.upperBound ? bytes.bigEndian32(at: place) : nil
    }

    private mutating func addRun(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ sampleDuration: UInt32
    ) throws(AudioError) {
        guard range.count >= 8, let flags = bytes.bigEndian32(at: range.lowerBound),
            let count = bytes.bigEndian32(at: range.lowerBound + 4)
        else { throw .damaged("An MPEG-4 file has a broken fragment.") }
        guard flags & 0x100 != 0 else {
            fragmentDuration &+= UInt64(count) * UInt64(sampleDuration)
            return
        }
        let start = range.lowerBound + 8 + (flags & 1 != 0 ? 4 : 0) + (flags & 4 != 0 ? 4 : 0)
        let step = 4 * (flags & 0xf00).nonzeroBitCount
        guard Int(count) <= (range.upperBound - start) / step else {
            throw .damaged("An MPEG-4 file has a broken fragment.")
        }
        for sample in 0..<Int(count) {
            fragmentDuration &+= UInt64(bytes.bigEndian32(at: start + sample * step) ?? 0)
        }
    }
}
