/// The header of one frame of MPEG audio or AAC (ADTS).
struct AudioFrame: Equatable {
    enum Codec {
        case mp3, aac
    }

    /// What all frames of a stream have in common.
    struct Stream: Equatable {
        let codec: Codec
        let version: UInt8
        let rate: Int
    }

    let stream: Stream
    let byteCount: Int
    let sampleCount: Int
    /// Where, of an MP3 frame, a table of contents may stand instead of sound.
    let tableOffset: Int

    init?(_ bytes: Span<UInt8>, at offset: Int) {
        guard let sync = bytes.bigEndian16(at: offset), sync & 0xffe0 == 0xffe0 else { return nil }
        // Layer 0 does not exist in MPEG audio, and marks ADTS.
        if sync & 0xfff6 == 0xfff0 {
            self.init(adts: bytes, at: offset)
        } else {
            self.init(mpeg: bytes, at: offset)
        }
    }

    private init?(mpeg bytes: Span<UInt8>, at offset: Int) {
        guard let header = bytes.bigEndian32(at: offset) else { return nil }
        let version = UInt8(header >> 19 & 3)
        let layer = header >> 17 & 3
        let bitrateIndex = Int(header >> 12 & 15)
        let rateIndex = Int(header >> 10 & 3)
        // Only layer III, and only with a stated bit rate: without it a frame has no end.
        guard version != 1, layer == 1, (1...14).contains(bitrateIndex), rateIndex < 3 else { return nil }
        let isFirstVersion = version == 3
        let bitrate = (isFirstVersion ? Self.bitrates1 : Self.bitrates2)[bitrateIndex] * 1000
        let rate = Self.rates[rateIndex] >> (isFirstVersion ? 0 : version == 2 ? 1 : 2)
        sampleCount = isFirstVersion ? 1152 : 576
        byteCount = sampleCount / 8 * bitrate / rate + Int(header >> 9 & 1)
        stream = Stream(codec: .mp3, version: version, rate: rate)
        let isMono = header >> 6 & 3 == 3
        tableOffset = 4 + (isFirstVersion ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
    }

    private init?(adts bytes: Span<UInt8>, at offset: Int) {
        // Seven bytes; the fourth is in both halves.
        guard let high = bytes.bigEndian32(at: offset), let low = bytes.bigEndian32(at: offset + 3) else { return nil }
        let header = UInt64(high) << 24 | UInt64(low & 0xff_ffff)
        let rateIndex = Int(header >> 34 & 15)
        guard rateIndex < Self.adtsRates.count else { return nil }
        byteCount = Int(header >> 13 & 0x1fff)
        guard byteCount >= (header >> 40 & 1 == 1 ? 7 : 9) else { return nil }
        sampleCount = 1024 * (Int(header & 3) + 1)
        stream = Stream(codec: .aac, version: UInt8(header >> 43 & 1), rate: Self.adtsRates[rateIndex])
        tableOffset = 0
    }

    private static let bitrates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    private static let bitrates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    private static let rates = [44_100, 48_000, 32_000]
    private static let adtsRates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]
}
