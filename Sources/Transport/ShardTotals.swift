/// The counts of a shard since its start: plain numbers of its thread, copied on request.
public struct ShardTotals: Sendable {
    public internal(set) var bytesIn = 0
    public internal(set) var bytesOut = 0
    /// Connections that are open on it.
    public internal(set) var plainConnections = 0
    public internal(set) var secureConnections = 0
    /// The durations of its turns, from waking up to sleeping. Input that arrives meanwhile waits as long.
    public internal(set) var turns = DurationHistogram()
    private var answers = InlineArray<5, Int>(repeating: 0)

    /// Answers to HTTP requests by the first digit of their status, those of 1xx first.
    public var answersByClass: [Int] { answers.indices.map { answers[$0] } }

    mutating func countAnswer(_ status: Int) {
        let index = status / 100 - 1
        if answers.indices.contains(index) { answers[index] &+= 1 }
    }
}
