/// How many things took how long. Plain numbers: it belongs to one thread, and what others get is a copy.
public struct DurationHistogram: Sendable {
    /// The buckets' upper ends, in nanoseconds; a last bucket has what took longer.
    public static let bounds: InlineArray<14, Int> = [
        100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
        250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000,
    ]

    private var buckets = InlineArray<15, Int>(repeating: 0)
    public private(set) var sumNanoseconds = 0

    public init() {}

    /// How many fell into each bucket.
    public var counts: [Int] { buckets.indices.map { buckets[$0] } }

    public mutating func record(nanoseconds: Int) {
        var index = 0
        // Nearly all are short: the search ends at once.
        while index < Self.bounds.count, nanoseconds > Self.bounds[index] { index += 1 }
        buckets[index] &+= 1
        sumNanoseconds &+= nanoseconds
    }

    public mutating func add(_ other: DurationHistogram) {
        for index in buckets.indices { buckets[index] &+= other.buckets[index] }
        sumNanoseconds &+= other.sumNanoseconds
    }
}
