/// The time between two ticks of a room, chosen by how busy the loop is: every millisecond of it is latency, and every
/// tick costs a write for each member.
struct TickPace {
    /// The load to be at, when the bounds allow it: as much as leaves room for what comes all at once.
    private static let targetLoad = 0.6

    private let bounds: ClosedRange<Int>
    private(set) var milliseconds: Double

    init(_ bounds: ClosedRange<Int>) {
        self.bounds = bounds
        milliseconds = Double(bounds.lowerBound)
    }

    /// Goes a step towards the interval at which the load would be right: faster up, when the loop falls behind, than
    /// down.
    mutating func adapt(to load: Double) {
        let step = min(max(load / Self.targetLoad, 0.8), 1.5)
        milliseconds = min(max(milliseconds * step, Double(bounds.lowerBound)), Double(bounds.upperBound))
    }
}
