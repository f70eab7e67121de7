import Operations
import Testing
import Transport

@Suite("A histogram of durations")
struct DurationHistogramTests {
    @Test("counts what is as long as a bound below it, and what is longer than all in the last bucket")
    func buckets() {
        var histogram = DurationHistogram()
        for nanoseconds in [0, 100_000, 100_001, 2_500_000_000, 2_500_000_001, .max / 2] {
            histogram.record(nanoseconds: nanoseconds)
        }
        let counts = histogram.counts
        #expect(counts.count == DurationHistogram.bounds.count + 1)
        #expect(counts[0] == 2 && counts[1] == 1 && counts[counts.count - 2] == 1 && counts.last == 2)
        #expect(counts.reduce(0, +) == 6)
    }

    @Test("adds up")
    func sum() {
        var (one, other) = (DurationHistogram(), DurationHistogram())
        one.record(nanoseconds: 5)
        other.record(nanoseconds: 200_000)
        one.add(other)
        #expect(one.counts.prefix(2) == [1, 1])
        #expect(one.sumNanoseconds == 200_005)
    }
}
