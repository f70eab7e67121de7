/// The newest samples of each series, at most an hour of them. Nothing in it grows with rooms or clients.
///
/// A sample has the mean and the greatest value of five seconds, so that what lasts for one second stays visible.
struct HistoryRing: Sendable {
    static let millisecondsEach: Int64 = 5_000
    static let samplesMax = 720

    struct Sample: Sendable, Equatable {
        /// The begin of its time, in milliseconds since 1970.
        let at: Int64
        /// By series.
        let means: [Float]
        let maxima: [Float]
    }

    /// What has come since the newest sample.
    private struct Growing: Sendable {
        let at: Int64
        var sums: [Double]
        var maxima: [Double]
        var count = 1

        var sample: Sample {
            Sample(at: at, means: sums.map { Float($0 / Double(count)) }, maxima: maxima.map { Float($0) })
        }
    }

    private var kept: [Sample] = []
    /// Where the oldest sample is, once all places are taken.
    private var oldest = 0
    private var growing: Growing?

    /// - Parameter at: milliseconds since 1970. The clock of the machine may have been set back: then the samples that
    ///   would lie in the future are removed.
    mutating func add(_ values: [Double], at: Int64) {
        let begin = at - at % Self.millisecondsEach
        if var now = growing, now.at == begin {
            for index in values.indices {
                now.sums[index] += values[index]
                now.maxima[index] = max(now.maxima[index], values[index])
            }
            now.count += 1
            growing = now
            return
        }
        if let growing { keep(growing.sample) }
        growing = nil
        if let newest = samples().last, newest.at >= begin { restart(with: samples().filter { $0.at < begin }) }
        growing = Growing(at: begin, sums: values, maxima: values)
    }

    private mutating func keep(_ sample: Sample) {
        guard kept.count == Self.samplesMax else { return kept.append(sample) }
        kept[oldest] = sample
        oldest = (oldest + 1) % Self.samplesMax
    }

    private mutating func restart(with samples: [Sample]) {
        (kept, oldest) = (samples, 0)
    }

    /// The samples that began at a moment or later, the oldest first. The newest one may still grow.
    func samples(since moment: Int64 = .min) -> [Sample] {
        (kept[oldest...] + kept[..<oldest] + [growing?.sample].compactMap(\.self)).filter { $0.at >= moment }
    }
}
