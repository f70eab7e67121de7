/// A histogram of durations. Plain numbers: it belongs to one thread, and others get copies.
public struct DurationHistogram: Sendable {
    /// The upper bounds of the buckets, in nanoseconds. A last bucket has all longer durations.
    public static let bounds: InlineArray<14, Int> = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000,
    ]

    private var buckets = InlineArray<15, Int>(repeating: 0)
    public private(set) var sumNanoseconds = 0

    public init() {}

    /// The counts of the buckets.
    public var counts: [Int] { buckets.indices.map { buckets[$0] } }

    public mutating func record(nanoseconds: Int) {
        var index = 0
        // Nearly all durations are short, so the search ends at once.
        while index < Self.bounds.count, nanoseconds > Self.bounds[index] { index += 1 }
        buckets[index] &+= 1
        sumNanoseconds &+= nanoseconds
    }

    public mutating func add(_ other: DurationHistogram) {
        for index in buckets.indices { buckets[index] &+= other.buckets[index] }
        sumNanoseconds &+= other.sumNanoseconds
    }
}
