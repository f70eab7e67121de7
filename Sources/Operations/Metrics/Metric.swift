import Transport

/// One row of the table of metrics. What `/metrics` answers and what docs/METRICS.md says are made from it.
struct Metric: Sendable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    struct Sample: Sendable {
        /// The values of the metric's labels, in their order.
        let labels: [String]
        let value: Value

        init(_ labels: [String] = [], _ value: Double) {
            self.labels = labels
            self.value = .number(value)
        }

        init(_ labels: [String] = [], _ value: Int) {
            self.init(labels, Double(value))
        }

        init(_ labels: [String] = [], _ histogram: HistogramReading) {
            self.labels = labels
            value = .histogram(histogram)
        }
    }

    enum Value: Sendable {
        case number(Double)
        case histogram(HistogramReading)
    }

    let name: String
    let kind: Kind
    let labels: [String]
    /// One line.
    let help: String
    /// None where there is nothing to tell, such as of a store that is not there.
    let read: @Sendable (ServerReading) -> [Sample]

    init(
        _ name: String, _ kind: Kind, _ labels: [String], _ help: String,
        _ read: @escaping @Sendable (ServerReading) -> [Sample]
    ) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.help = help
        self.read = read
    }

    init(
        _ name: String, _ kind: Kind, _ help: String, _ read: @escaping @Sendable (ServerReading) -> [Sample]
    ) {
        self.init(name, kind, [], help, read)
    }

    /// One number of each shard, under the label `shard`.
    static func perShard(
        _ name: String, _ kind: Kind, _ help: String, _ read: @escaping @Sendable (ShardReading) -> Double
    ) -> Metric {
        Metric(name, kind, ["shard"], help) { server in
            server.answered.map { Sample(["\($0.index)"], read($0.reading)) }
        }
    }

    /// One number of the whole server.
    static func total(
        _ name: String, _ kind: Kind, _ help: String, _ read: @escaping @Sendable (ShardReading) -> Int
    ) -> Metric {
        Metric(name, kind, [], help) { server in [Sample([], server.sum(read))] }
    }
}

/// A histogram for output, in seconds.
struct HistogramReading: Sendable {
    let bounds: [Double]
    /// One more than bounds.
    let counts: [Int]
    let sum: Double

    init(bounds: [Double], counts: [Int], sum: Double) {
        precondition(counts.count == bounds.count + 1, "the last bucket has no bound")
        self.bounds = bounds
        self.counts = counts
        self.sum = sum
    }

    init(_ histogram: DurationHistogram) {
        let bounds = DurationHistogram.bounds
        self.init(
            bounds: bounds.indices.map { Double(bounds[$0]) / 1e9 }, counts: histogram.counts,
            sum: Double(histogram.sumNanoseconds) / 1e9)
    }
}
